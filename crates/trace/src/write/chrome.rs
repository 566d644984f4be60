// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chrome's JSON of a window: one row per CPU. For long recordings use Perfetto's format, which takes a tenth of the space.
use super::csv::told;
use super::stretches::Taker;
use crate::processor::Stretch;
use serde_json::json;
use std::io::{Result, Write};
use std::ops::Range;

/// A viewer accepts at most this many slices.
pub const SLICES_MAX: u64 = 1_000_000;

/// Writes slices as they come.
pub struct Chrome<W> {
    out: W,
    window: Range<u64>,
    failure: Option<std::io::Error>,
    /// Number of slices that were written.
    pub written: u64,
    /// Number of slices beyond [`SLICES_MAX`], which were left out.
    pub beyond: u64,
}

impl<W: Write> Chrome<W> {
    /// Writes the part of the recording within `window`, on the recording's clock.
    pub fn new(mut out: W, window: Range<u64>) -> Result<Self> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        Ok(Self { out, window, failure: None, written: 0, beyond: 0 })
    }

    /// Ends the text; returns the writer, or the first failure.
    pub fn finish(mut self) -> Result<W> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()?;
        self.failure.map_or(Ok(self.out), Err)
    }
}

impl<W: Write> Taker for Chrome<W> {
    fn stretch(&mut self, cpu: u32, stretch: &Stretch) {
        let (from, to) = (stretch.from_ns.max(self.window.start), stretch.to_ns.min(self.window.end));
        let (kind, name) = told(stretch);
        if from >= to || kind == "idle" || kind == "unknown" {
            return;
        }
        if self.written == SLICES_MAX {
            self.beyond += 1;
            return;
        }
        let thread = stretch.thread.map_or(0, |thread| thread.id);
        let slice = json!({
            "ph": "X", "pid": 0, "tid": cpu, "cat": kind, "name": name, "ts": from as f64 / 1e3,
            "dur": (to - from) as f64 / 1e3, "args": { "thread": thread },
        });
        let before = if self.written == 0 { "" } else { ",\n" };
        if let Err(error) = write!(self.out, "{before}{slice}") {
            self.failure.get_or_insert(error);
        }
        self.written += 1;
    }
}
