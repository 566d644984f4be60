// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of capture readers, and their result.
use super::edges::Edges;
use backwall_model::units::ClockRate;
use backwall_model::{Origin, Warning};
use std::error::Error;
use std::io::{BufRead, Seek};

/// The input of a capture reader: most formats read it once; an archive has its directory at the end.
pub trait Source: BufRead + Seek {}

impl<T: BufRead + Seek> Source for T {}

/// Facts from the user that a capture file may lack.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CaptureHints {
    /// Samples a second.
    pub samplerate: Option<ClockRate>,
    /// Voltage above which an analog channel is high.
    pub threshold: Option<f64>,
}

/// Which [`CaptureHints`] a format can use; others are refused rather than ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Its instants are numbers of samples.
    pub samplerate: bool,
    /// It can hold volts.
    pub threshold: bool,
}

impl Takes {
    /// For a format that has its own times and levels.
    pub const NOTHING: Self = Self { samplerate: false, threshold: false };
    /// Samples of levels.
    pub const SAMPLERATE: Self = Self { samplerate: true, threshold: false };
    /// Volts, and when they were taken.
    pub const THRESHOLD: Self = Self { samplerate: false, threshold: true };
    /// Samples of levels and of volts.
    pub const BOTH: Self = Self { samplerate: true, threshold: true };
}

/// A format of captures; `capture.rs` has the table of them.
pub struct Format {
    /// As a user knows it.
    pub name: &'static str,
    /// Whether a file with these first bytes is one.
    pub begins: fn(&[u8]) -> bool,
    /// What the user may say of it.
    pub takes: Takes,
    /// Reads it to its end.
    pub read: fn(&mut dyn Source, &CaptureHints) -> Result<Capture, BadCapture>,
}

/// A capture and its reader's remarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The edges.
    pub edges: Edges,
    /// What made them.
    pub origin: Origin,
    /// Whether the recording was cut off.
    pub interrupted: bool,
    /// Sentences for the user.
    pub warnings: Vec<Warning>,
}

/// Why a file is not a capture.
#[derive(Debug, thiserror::Error)]
pub enum BadCapture {
    /// The format is known, but its reader found this fault.
    #[error(transparent)]
    Format(Box<dyn Error + Send + Sync>),
    /// Reading failed at once.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Said of a format that knows it itself.
    #[error("{option} does not apply to {format}, {why}; leave it out")]
    Needless {
        /// The option.
        option: &'static str,
        /// The format's name.
        format: &'static str,
        /// Why it has no use for it.
        why: &'static str,
    },
    /// Empty, packed, or in another encoding.
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
    /// The refusal of a format's reader.
    pub fn of(refusal: impl Error + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(refusal))
    }
}
