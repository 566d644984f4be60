// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instrument's edge file: its contents and possible errors.
//!
//! `lab/instrument/FORMAT.md` describes every byte.
use super::edges::{Edges, Interrupted};
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::modes::Modes;
use backwall_model::{Origin, Warning};

mod reader;
#[cfg(test)]
mod tests;

pub use reader::{read, read_unbuffered};

/// A file in this format begins with the name of the format.
pub const FORMAT: Format = Format {
    name: "the lab's edges.bin",
    begins: |start| start.starts_with(b"BWEDGES"),
    takes: Takes::NOTHING,
    read: read_capture,
};

const HEADER_BYTES: usize = 32;

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// The generators sent all pulses, and the time after the last one has passed.
    Complete,
    /// The limit of instructions was reached.
    Limit,
    /// The guest ended the run with this code.
    Guest(u32),
    /// The guest wrote more to the byte channel than allowed.
    Channel,
    /// The emulator ended.
    Emulator,
    /// The file has no footer, because it was cut off.
    Truncated,
}

/// The contents of an edge file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The edges, in instructions.
    pub edges: Edges,
    /// What each pulse of generators A and B interrupted, if recorded.
    pub interrupted: [Vec<Interrupted>; 2],
    /// Instructions by CPU mode, if counted.
    pub modes: Modes,
    /// Number of pulses that the emulator sent late. Their edges have the actual times.
    pub late_stimuli: u64,
    /// Bytes that the guest wrote to the channel.
    pub channel_bytes: u64,
    /// Why the recording ended.
    pub ended: RecordingEnd,
}

/// Why a file is not an edge file.
#[derive(Debug, thiserror::Error)]
pub enum BadRecording {
    /// Reading failed.
    #[error("edge file: cannot read byte {offset}: {source}")]
    Io {
        /// Offset in the file.
        offset: u64,
        /// The error of the read.
        source: std::io::Error,
    },
    /// The file is empty or in another format.
    #[error("not an edge file: expected a header of {HEADER_BYTES} bytes that begins with BWEDGES")]
    NotEdges,
    /// A header field has a value that this reader does not support.
    #[error("edge file: {field} is {found}, expected {known}; use the instrument of this version")]
    Header {
        /// The field.
        field: &'static str,
        /// The value found.
        found: u64,
        /// The supported value.
        known: u64,
    },
    /// An invalid record.
    #[error("edge file: the record at byte {offset} {fault}")]
    Record {
        /// Where the record begins.
        offset: u64,
        /// What is wrong.
        fault: RecordFault,
    },
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// The line does not exist.
    #[error("names line {0}, which does not exist")]
    Line(u16),
    /// The level is neither 0 nor 1.
    #[error("has level {0}; expected 0 or 1")]
    Level(u8),
    /// An edge to the level that the line already has.
    #[error("changes nothing: line {0} already has that level")]
    NoChange(u16),
    /// The record's time is before that of the previous record.
    #[error("is at {at}, earlier than the previous record ({before})")]
    Order {
        /// Instant of the record.
        at: u64,
        /// Time of the previous record.
        before: u64,
    },
    /// The time is beyond [`Tick::MAX`](super::tick::Tick::MAX).
    #[error("is at {0}, beyond the latest time a capture can hold")]
    TooLate(u64),
    /// A warmup pulse after the first measured one.
    #[error("is a warm-up pulse after the first measured pulse")]
    Warmup,
    /// The footer contradicts the records.
    #[error("announces {said} pulses, but {counted} were recorded")]
    Pulses {
        /// The footer's number.
        said: u64,
        /// The number of records.
        counted: u64,
    },
    /// An unknown reason for the end.
    #[error("has the unknown end reason {0}")]
    Reason(u8),
    /// A count that is smaller than the previous one, or larger than the elapsed time.
    #[error("has the impossible count {0}")]
    Count(u64),
    /// Bytes after the end.
    #[error("comes after the end of the recording")]
    AfterEnd,
}

fn read_capture(source: &mut dyn Source, _: &CaptureHints) -> Result<Capture, BadCapture> {
    let recording = read(source).map_err(BadCapture::of)?;
    let interrupted = recording.ended == RecordingEnd::Truncated;
    let cut = interrupted.then(|| Warning::new("cut", "edge file: truncated, the footer is missing"));
    let late = recording.late_stimuli;
    let late = (late > 0).then(|| Warning::late_stimuli(late));
    let warnings = cut.into_iter().chain(late).collect();
    Ok(Capture { edges: recording.edges, origin: Origin::Emulated, interrupted, warnings })
}
