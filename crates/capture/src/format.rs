// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of captures is, and what it gives.
use super::edges::Edges;
use backwall_model::units::ClockRate;
use backwall_model::{Origin, Warning};
use std::error::Error;
use std::io::{BufRead, Seek};

/// What a capture is read from: most formats go through it once; an archive has its contents at its end.
pub trait Source: BufRead + Seek {}

impl<T: BufRead + Seek> Source for T {}

/// What the user says of a capture because its file may not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CaptureHints {
    /// Samples a second.
    pub samplerate: Option<ClockRate>,
    /// Above so many volts an analog channel is high.
    pub threshold: Option<f64>,
}

/// What of [`CaptureHints`] a format has a use for; the rest would be ignored, and is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Its instants are numbers of samples.
    pub samplerate: bool,
    /// It can hold volts.
    pub threshold: bool,
}

impl Takes {
    /// It says itself when each level began.
    pub const NOTHING: Self = Self { samplerate: false, threshold: false };
    /// Samples of levels.
    pub const SAMPLERATE: Self = Self { samplerate: true, threshold: false };
    /// Volts, and when they were taken.
    pub const THRESHOLD: Self = Self { samplerate: false, threshold: true };
    /// Samples of levels and of volts.
    pub const BOTH: Self = Self { samplerate: true, threshold: true };
}

pub struct Format {
    pub name: &'static str,
    pub begins: fn(&[u8]) -> bool,
    pub takes: Takes,
    pub read: fn(&mut dyn Source, &CaptureHints) -> Result<Capture, BadCapture>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
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
    /// Of a known format, but wrong; its reader says what and where.
    #[error(transparent)]
    Format(Box<dyn Error + Send + Sync>),
    /// Reading failed at once.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Said of a format that knows it itself.
    #[error("{option} does not apply to {format}, {why}; leave it out")]
    Needless {
        option: &'static str,
        format: &'static str,
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
    pub fn of(refusal: impl Error + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(refusal))
    }
}
