// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wire: what a probe says, record by record.
//!
//! `wire/FORMAT.md` describes every byte of both versions. [`Reader`] takes a stream apart, checks the rules of the format, and
//! names record and offset where one is broken. Its memory is bounded whatever the stream says. Bytes pass from `reader`, which
//! keeps the rules between records, through `decode`, which keeps those within one, and come out as a [`Record`].
#![warn(missing_docs)]
mod decode;

mod error;
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod fixture;
mod reader;
#[cfg(test)]
mod tests;

pub use decode::is_stream;
pub use error::{Fault, WireError};
pub use reader::{Ending, Reader};

use backwall_model::Overrun;
use backwall_model::units::{ClockRate, Unit};
use std::collections::BTreeMap;
use std::num::NonZero;

/// The largest payload of a record.
pub const PAYLOAD_BYTES_MAX: usize = 65_536;
/// Most time stamps per sample.
pub const POINTS_MAX: usize = 8;
/// Fields a series may have.
pub const FIELDS_MAX: usize = 16;
/// The longest name of version 2.
pub const NAME_BYTES_MAX: usize = 255;

/// One record, borrowing its payload from the reader.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    /// The device and its clock.
    Hello(Hello),
    /// A named text about the device.
    Text {
        /// Its name.
        key: &'a str,
        /// What the device says.
        value: &'a str,
    },
    /// A series, before its first sample.
    Series(SeriesHead),
    /// A block of consecutive samples.
    Samples(Samples<'a>),
    /// Stimuli that got no sample.
    Lost(MissedStimuli),
    /// A load, before its first progress.
    Load(LoadHead),
    /// A load's progress.
    Progress(Progress),
    /// A number the device measured about itself.
    Value(NamedValue<'a>),
    /// A sentence for the user.
    Note {
        /// How bad it is.
        severity: Severity,
        /// The sentence.
        text: &'a str,
    },
    /// The device's own account of a series; the reader has found it right.
    Totals(Totals),
    /// The stream is whole.
    End(EndReason),
    /// A type this version does not know: skipped and counted.
    Unknown {
        /// The type.
        kind: u16,
        /// Bytes of its payload.
        bytes: usize,
    },
}

/// What a device says first.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// Version of the stream.
    pub version: u32,
    /// The kind of device, in its own word: `linux`, `detent` …
    pub device: String,
    /// Counts per second of every count in the stream.
    pub rate: ClockRate,
    /// What one value is after conversion.
    pub unit: Unit,
    /// Name of the clock.
    pub clock: String,
}

impl Hello {
    /// Whether its clock is scripted, so that its figures do not describe a real machine.
    pub fn scripted(&self) -> bool {
        self.device == "fake"
    }

    /// Counts as a value of [`Hello::unit`]: nanoseconds, or instructions as they are.
    pub fn value_of(&self, counts: u64) -> u64 {
        match self.unit {
            Unit::Ns => self.rate.ns_of(counts),
            Unit::Instructions => counts,
        }
    }
}

/// A series as it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesHead {
    /// The number later records use.
    pub series: u32,
    /// When its stimuli come; `None`: not periodic.
    pub schedule: Option<Schedule>,
    /// Counts after the stimulus.
    pub deadline: Option<NonZero<u64>>,
    /// The response's CPU, if it distinguishes the series.
    pub cpu: Option<u32>,
    /// Its name.
    pub name: String,
    /// Names of the points, the stimulus first; 2 to [`POINTS_MAX`].
    pub points: Vec<String>,
    /// Other fields that distinguish it from series of the same name.
    pub fields: BTreeMap<String, String>,
}

impl SeriesHead {
    /// Its figures, one per response: a single one has the series' name, several have their points'.
    pub fn figures(&self) -> impl Iterator<Item = &str> {
        figures(&self.name, &self.points)
    }
}

/// Figure names of a series with this name and these points; see [`SeriesHead::figures`].
pub fn figures<'a, Text: AsRef<str>>(name: &'a str, points: &'a [Text]) -> impl Iterator<Item = &'a str> {
    let single = points.len() == 2;
    points.iter().skip(1).map(move |point| if single { name } else { point.as_ref() })
}

/// A fixed schedule of stimuli.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Counts between stimuli.
    pub period: NonZero<u64>,
    /// Count of the stimulus with seq 0.
    pub first_at: u64,
    /// The overload rule.
    pub overrun: Overrun,
}

/// A number the device measured about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue<'a> {
    /// The series it is about; `None`: the whole device.
    pub series: Option<u32>,
    /// Its name, the unit last.
    pub name: &'a str,
    /// The number.
    pub value: u64,
}

/// A block of consecutive samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples<'a> {
    /// The series.
    pub series: u32,
    /// Number of the first sample's stimulus; the others follow without a gap.
    pub first_seq: u64,
    /// Before the steady state: kept, but not summarized.
    pub warmup: bool,
    points: usize,
    counts: &'a [u8],
}

impl<'a> Samples<'a> {
    /// Samples in the block.
    pub fn count(&self) -> u64 {
        (self.counts.len() / (8 * self.points)) as u64
    }

    /// The samples in order, each with its stimulus number.
    pub fn rows(&self) -> impl Iterator<Item = (u64, Row<'a>)> + use<'a> {
        (self.first_seq..).zip(self.counts.chunks_exact(8 * self.points).map(Row))
    }
}

/// The time stamps of one sample, in counts.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(&'a [u8]);

impl Row<'_> {
    /// The stimulus; always present.
    pub fn stimulus(&self) -> u64 {
        self.raw(0)
    }

    /// A point; `None` if not observed, or if the series has no such point.
    pub fn point(&self, index: usize) -> Option<u64> {
        (index < self.0.len() / 8).then(|| self.raw(index)).filter(|count| *count != decode::ABSENT)
    }

    fn raw(&self, index: usize) -> u64 {
        decode::u64_at(self.0, 8 * index)
    }
}

/// Stimuli that got no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedStimuli {
    /// The series.
    pub series: u32,
    /// Why.
    pub reason: LossReason,
    /// The first of them.
    pub first_seq: u64,
    /// How many; at least 1.
    pub count: u64,
}

/// Why a stimulus got no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// It came due during an earlier late response.
    Overrun,
    /// The probe's buffer was full.
    RingFull,
    /// It was still open when the probe was stopped.
    Stopped,
    /// The event to measure did not happen.
    Void,
    /// Aborted at the next release.
    Aborted,
}

/// A load as it is declared.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadHead {
    /// The number later records use.
    pub load: u32,
    /// Its name.
    pub name: String,
    /// What it counts.
    pub unit: String,
}

/// A load's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The load.
    pub load: u32,
    /// Count of the clock.
    pub at: u64,
    /// Units since the load began.
    pub done: u64,
}

/// How bad a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The figures need care.
    Warning,
    /// The probe could not do as requested.
    Error,
}

/// The device's own account of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The series.
    pub series: u32,
    /// Stimuli that were due.
    pub due: u64,
    /// Stimuli that were answered.
    pub done: u64,
    /// Stimuli that were not.
    pub lost: u64,
}

/// The device's reason for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The requested time is over.
    Done,
    /// It was told to stop.
    Interrupted,
    /// It could not continue; a note says why.
    Failed,
}
