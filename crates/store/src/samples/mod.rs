// SPDX-License-Identifier: MIT OR Apache-2.0
//! `samples.parquet`: every stimulus of a run, in columns that any data-frame tool can read.
//!
//! One row for each answered stimulus, and one for each group of consecutive missed ones:
//!
//! | column | |
//! |---|---|
//! | `series`, `load`, `idle` | which series in which phase; the same in all rows of a row group |
//! | `seq` | number of the stimulus |
//! | `at` | its time since the first stimulus, in the series' unit |
//! | `value` | the latency in the series' unit; null if the stimulus was missed |
//! | `missed` | number of stimuli missed from this one on; 0 if it was answered |
//! | `late` | answered after its deadline; if missed: skipped by the overload rule |
//! | `warmup` | before the steady state: in no figure |
//! | `cpu` | the CPU if the run measured several, otherwise null; the same in all rows of a row group |
//! | `variant` | what else distinguishes the series from others with its name, a JSON object; the same in all rows of a row group |
//!
//! Units and end points of every series are JSON in the file's metadata under `backwall.series`.

mod agree;
mod columns;
mod constant;
mod guard;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use agree::disagreement;
pub use reader::read;
pub use writer::{SeriesId, Writer};

use backwall_model::{Key, Span};
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

pub const FILE_NAME: &str = "samples.parquet";
const DESCRIBED: &str = "backwall.series";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Described {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    span: Span,
}

const SCHEMA: &str = "message samples {
    required binary series (STRING);
    required binary load (STRING);
    required binary idle (STRING);
    required int64 seq (INTEGER(64, false));
    required int64 at (INTEGER(64, false));
    optional int64 value (INTEGER(64, false));
    required int64 missed (INTEGER(64, false));
    required boolean late;
    required boolean warmup;
    optional int64 cpu (INTEGER(64, false));
    required binary variant (STRING);
}";

#[derive(Clone, Copy)]
enum Column {
    Series,
    Load,
    Idle,
    Seq,
    At,
    Value,
    Missed,
    Late,
    Warmup,
    Cpu,
    Variant,
}

impl Column {
    fn name(self) -> &'static str {
        ["series", "load", "idle", "seq", "at", "value", "missed", "late", "warmup", "cpu", "variant"][self as usize]
    }
}

pub(crate) fn variant_text(key: &Key) -> String {
    serde_json::to_string(&key.variant).expect("texts are JSON")
}

#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    #[error("{}: cannot write the samples: {cause}; free some space or leave out --keep-samples", path.display())]
    Write { path: PathBuf, cause: ParquetError },
    /// The file is missing, is not Parquet, or lacks the expected columns.
    #[error("{}: cannot read the samples: {what}", path.display())]
    Read { path: PathBuf, what: String },
}
