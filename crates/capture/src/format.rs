// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of capture readers, and their result.
use super::edges::Edges;
use backwall_model::units::ClockRate;
use backwall_model::{Origin, Warning};
use std::error::Error;
use std::io::{BufRead, Seek};

/// The input of a capture reader. Most formats are read once from front to back; an archive has its directory at the end.
pub trait Source: BufRead + Seek {}

impl<T: BufRead + Seek> Source for T {}

/// Facts that a capture file may lack and the user may state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CaptureHints {
    /// Samples a second.
    pub samplerate: Option<ClockRate>,
    /// Voltage from which an analog channel counts as high.
    pub threshold: Option<f64>,
}

/// The [`CaptureHints`] that a format can use. Any other hint is an error, so that no hint is silently ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// The format's timestamps are sample numbers, so it needs a sample rate.
    pub samplerate: bool,
    /// The format can contain volts, so it needs a threshold.
    pub threshold: bool,
}

impl Takes {
    /// For a format with its own timestamps and logic levels.
    pub const NOTHING: Self = Self { samplerate: false, threshold: false };
    /// For a format with volts and timestamps.
    pub const THRESHOLD: Self = Self { samplerate: false, threshold: true };
    /// For a format with samples of levels or volts.
    pub const BOTH: Self = Self { samplerate: true, threshold: true };
}

/// A capture format. The table of formats is in `capture.rs`.
pub struct Format {
    /// Name of the format, for messages.
    pub name: &'static str,
    /// Whether a file with these first bytes has this format.
    pub begins: fn(&[u8]) -> bool,
    /// The facts that the user may state about a capture in this format.
    pub takes: Takes,
    /// Reads a file in this format to its end.
    pub read: fn(&mut dyn Source, &CaptureHints) -> Result<Capture, BadCapture>,
}

/// A capture and its reader's warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The edges.
    pub edges: Edges,
    /// Device or program that made the capture.
    pub origin: Origin,
    /// Whether the recording was cut off.
    pub interrupted: bool,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// Why a file is not a capture.
#[derive(Debug, thiserror::Error)]
pub enum BadCapture {
    /// The format is known, but its reader found an error.
    #[error(transparent)]
    Format(Box<dyn Error + Send + Sync>),
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The user stated a fact that this format contains itself.
    #[error("{option} does not apply to {format}, {why}; leave it out")]
    Needless {
        /// The option.
        option: &'static str,
        /// The format's name.
        format: &'static str,
        /// Why the format does not need the option.
        why: &'static str,
    },
    /// The file is empty, compressed, or in another text encoding.
    #[error("{0}")]
    Wrapped(&'static str),
    /// Anything else.
    #[error(
        "unknown capture format (known: {0}); convert formats that sigrok-cli -L lists with sigrok-cli -I FORMAT -i \
            CAPTURE -O vcd -o CAPTURE.vcd"
    )]
    Unknown(String),
}

impl BadCapture {
    /// Wraps the error of a format's reader.
    pub fn of(refusal: impl Error + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(refusal))
    }
}
