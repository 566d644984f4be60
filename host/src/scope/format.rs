// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of captures is, and what it gives.
use super::edges::Edges;
use crate::run::Origin;
use crate::units::ClockRate;
use std::error::Error;
use std::io::{BufRead, Seek};

/// What a capture is read from: most formats go through it once; an archive has its contents at its end.
pub trait Source: BufRead + Seek {}

impl<T: BufRead + Seek> Source for T {}

/// What the user says of a capture because its file may not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told {
    /// Samples a second.
    pub samplerate: Option<ClockRate>,
    /// Above so many volts an analog channel is high.
    pub threshold: Option<f64>,
}

/// A format of captures; `capture.rs` has the table of them.
pub struct Format {
    /// As a user knows it.
    pub name: &'static str,
    /// Whether a file with these first bytes is one.
    pub begins: fn(&[u8]) -> bool,
    /// Reads it to its end.
    pub read: fn(&mut dyn Source, &Told) -> Result<Capture, BadCapture>,
}

/// A capture and what its reader has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The edges.
    pub edges: Edges,
    /// What made them.
    pub origin: Origin,
    /// Whether the recording was cut off.
    pub interrupted: bool,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// Why a file is no capture.
#[derive(Debug, thiserror::Error)]
pub enum BadCapture {
    /// Of a known format, but wrong; its reader says what and where.
    #[error(transparent)]
    Format(Box<dyn Error + Send + Sync>),
    /// Reading failed at once.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Anything else.
    #[error(
        "no capture that is known here ({0}); what sigrok reads becomes one by sigrok-cli -i CAPTURE -O vcd -o CAPTURE.vcd"
    )]
    Unknown(String),
}

impl BadCapture {
    /// The refusal of a format's reader.
    pub fn of(refusal: impl Error + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(refusal))
    }
}
