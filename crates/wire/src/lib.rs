// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the stream of a probe, record by record.
//!
//! `wire/FORMAT.md` describes every byte of both versions. [`Reader`] splits a stream into records, checks the rules of the
//! format, and reports record and byte offset of a violation. Its memory is bounded whatever the stream contains. Bytes pass
//! through `reader`, which checks the rules between records, and `decode`, which checks those within a record, and become a
//! [`Record`].
#![warn(missing_docs)]
mod decode;

mod error;
#[doc(hidden)] // for tests in other crates; not behind a feature, which would compile this crate a second time
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
/// Maximum number of timestamps per sample.
pub const POINTS_MAX: usize = 8;
/// Maximum number of fields per series.
pub const FIELDS_MAX: usize = 16;
/// Maximum length of a name in version 2, in bytes.
pub const NAME_BYTES_MAX: usize = 255;

/// One record, borrowing its payload from the reader.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    /// The device and its clock.
    Hello(Hello),
    /// A named text about the device.
    Text {
        /// Name of the text.
        key: &'a str,
        /// The text.
        value: &'a str,
    },
    /// A series, before its first sample.
    Series(SeriesHead),
    /// A block of consecutive samples.
    Samples(Samples<'a>),
    /// Stimuli without a sample.
    Lost(MissedStimuli),
    /// A load, before its first progress.
    Load(LoadHead),
    /// A load's progress.
    Progress(Progress),
    /// A number that the device measured about itself.
    Value(NamedValue<'a>),
    /// A message for the user.
    Note {
        /// Severity of the note.
        severity: Severity,
        /// The sentence.
        text: &'a str,
    },
    /// The device's own counts of a series, which the reader has confirmed.
    Totals(Totals),
    /// The end of a complete stream.
    End(EndReason),
    /// A record of a type that this version does not know. It is skipped and counted.
    Unknown {
        /// The type.
        kind: u16,
        /// Length of the payload in bytes.
        bytes: usize,
    },
}

/// The first record of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// Version of the stream.
    pub version: u32,
    /// The kind of device, as it calls itself: `linux`, `detent` …
    pub device: String,
    /// Counts per second, for every count in the stream.
    pub rate: ClockRate,
    /// Unit of a value after conversion.
    pub unit: Unit,
    /// Name of the clock.
    pub clock: String,
}

impl Hello {
    /// Whether the device's clock is scripted, so that its figures describe no real machine.
    pub fn scripted(&self) -> bool {
        self.device == "fake"
    }

    /// Converts counts to a value in [`Hello::unit`]: nanoseconds, or unchanged instructions.
    pub fn value_of(&self, counts: u64) -> u64 {
        match self.unit {
            Unit::Ns => self.rate.ns_of(counts),
            Unit::Instructions => counts,
        }
    }
}

/// The declaration of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesHead {
    /// The number that later records use for the series.
    pub series: u32,
    /// The times of the series' stimuli; `None` if not periodic.
    pub schedule: Option<Schedule>,
    /// Deadline in counts after the stimulus.
    pub deadline: Option<NonZero<u64>>,
    /// CPU of the response, if it distinguishes the series.
    pub cpu: Option<u32>,
    /// Name of the series.
    pub name: String,
    /// Names of the points, the stimulus first; 2 to [`POINTS_MAX`].
    pub points: Vec<String>,
    /// Other fields that distinguish the series from others of the same name.
    pub fields: BTreeMap<String, String>,
}

impl SeriesHead {
    /// Names of the series' figures, one per response. A single response has the name of the series, several have the
    /// names of their points.
    pub fn figures(&self) -> impl Iterator<Item = &str> {
        figures(&self.name, &self.points)
    }
}

/// Names of the figures of a series with this name and these points; see [`SeriesHead::figures`].
pub fn figures<'a, Text: AsRef<str>>(name: &'a str, points: &'a [Text]) -> impl Iterator<Item = &'a str> {
    let single = points.len() == 2;
    points.iter().skip(1).map(move |point| if single { name } else { point.as_ref() })
}

/// A fixed schedule of stimuli.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Counts between stimuli.
    pub period: NonZero<u64>,
    /// Clock count of the stimulus with number 0.
    pub first_at: u64,
    /// The overload rule.
    pub overrun: Overrun,
}

/// A number that the device measured about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue<'a> {
    /// The series that the value is about; `None`: the whole device.
    pub series: Option<u32>,
    /// Name of the value, which ends with the unit.
    pub name: &'a str,
    /// The number.
    pub value: u64,
}

/// A block of consecutive samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples<'a> {
    /// The series.
    pub series: u32,
    /// Number of the first sample's stimulus. The others follow without a gap.
    pub first_seq: u64,
    /// Whether the samples belong to the warmup: such samples are stored, but no figure includes them.
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

/// The timestamps of one sample, in counts.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(&'a [u8]);

impl Row<'_> {
    /// Timestamp of the stimulus, which is always present.
    pub fn stimulus(&self) -> u64 {
        self.raw(0)
    }

    /// Timestamp of a point; `None` if it was not observed, or if the series has no such point.
    pub fn point(&self, index: usize) -> Option<u64> {
        (index < self.0.len() / 8).then(|| self.raw(index)).filter(|count| *count != decode::ABSENT)
    }

    fn raw(&self, index: usize) -> u64 {
        decode::u64_at(self.0, 8 * index)
    }
}

/// Stimuli without a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedStimuli {
    /// The series.
    pub series: u32,
    /// Why the stimuli have no sample.
    pub reason: LossReason,
    /// Number of the first missed stimulus.
    pub first_seq: u64,
    /// Number of stimuli, at least 1.
    pub count: u64,
}

/// Why a stimulus has no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// The stimulus came due while an earlier response was late.
    Overrun,
    /// The probe's buffer was full.
    RingFull,
    /// The stimulus was still unanswered when the probe was stopped.
    Stopped,
    /// The event to be measured did not happen.
    Void,
    /// The job was aborted at the next release.
    Aborted,
}

/// The declaration of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadHead {
    /// The number that later records use for the load.
    pub load: u32,
    /// Name of the load.
    pub name: String,
    /// What a unit of the load is.
    pub unit: String,
}

/// A load's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The load.
    pub load: u32,
    /// Clock count of the report.
    pub at: u64,
    /// Units of work since the load began.
    pub done: u64,
}

/// How bad a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The note is worth knowing.
    Info,
    /// The figures must be interpreted with care.
    Warning,
    /// The probe could not do what was requested.
    Error,
}

/// The device's own counts of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The series.
    pub series: u32,
    /// Stimuli that were due.
    pub due: u64,
    /// Stimuli that were answered.
    pub done: u64,
    /// Stimuli without an answer.
    pub lost: u64,
}

/// Why the device ended the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The requested time has passed.
    Done,
    /// The probe was asked to stop.
    Interrupted,
    /// The probe could not continue; a note says why.
    Failed,
}
