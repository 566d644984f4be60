// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instrument's edge file: what it holds and what can be wrong with it.
//!
//! Every byte is described in `lab/instrument/FORMAT.md`.
use super::edges::{Edges, Interrupted};
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::modes::Modes;
use backwall_model::{Origin, Warning};

mod reader;
#[cfg(test)]
mod tests;

pub use reader::{read, read_unbuffered};

/// It begins with its name.
pub const FORMAT: Format = Format {
    name: "the lab's edges.bin",
    begins: |start| start.starts_with(b"BWEDGES"),
    takes: Takes::NOTHING,
    read: read_capture,
};

const HEADER_BYTES: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingEnd {
    /// All pulses were given and the tail is over.
    Complete,
    /// The limit of instructions was reached first.
    Limit,
    Guest(u32),
    /// The guest wrote more to the byte channel than it may.
    Channel,
    Emulator,
    /// The file has no footer: what was read counts, the rest is unknown.
    Truncated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub edges: Edges,
    /// What each pulse of generator A and of B interrupted, where that was asked for.
    pub interrupted: [Vec<Interrupted>; 2],
    /// Instructions by mode, where that was asked for.
    pub modes: Modes,
    /// Pulses the emulator gave after the instant asked for; the edge is where it really was.
    pub late_stimuli: u64,
    /// Bytes the guest sent through the channel.
    pub channel_bytes: u64,
    /// Why it ended.
    pub ended: RecordingEnd,
}

/// Why a file is not an edge file.
#[derive(Debug, thiserror::Error)]
pub enum BadRecording {
    #[error("edge file: cannot read byte {offset}: {source}")]
    Io {
        offset: u64,
        source: std::io::Error,
    },
    #[error("not an edge file: expected a header of {HEADER_BYTES} bytes that begins with BWEDGES")]
    NotEdges,
    #[error("edge file: {field} is {found}, expected {known}; use the instrument of this version")]
    Header {
        field: &'static str,
        found: u64,
        known: u64,
    },
    #[error("edge file: the record at byte {offset} {fault}")]
    Record {
        offset: u64,
        fault: RecordFault,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    #[error("names line {0}, which does not exist")]
    Line(u16),
    /// A level that is none.
    #[error("has level {0}; expected 0 or 1")]
    Level(u8),
    /// An edge to the level the line already has.
    #[error("changes nothing: line {0} already has that level")]
    NoChange(u16),
    #[error("is at {at}, earlier than the record before it ({before})")]
    Order {
        at: u64,
        before: u64,
    },
    #[error("is at {0}, beyond the latest time a capture can hold")]
    TooLate(u64),
    #[error("is a warm-up pulse after the first measured pulse")]
    Warmup,
    #[error("announces {said} pulses, but {counted} were recorded")]
    Pulses {
        said: u64,
        counted: u64,
    },
    #[error("has the unknown end reason {0}")]
    Reason(u8),
    /// A count that is less than before, or more than there was time for.
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
