// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface of importers, and their result.
use backwall_model::{Device, Series, Warning};
use jiff::Timestamp;
use std::io::BufRead;

#[derive(Debug)]
pub struct Importer {
    pub name: &'static str,
    pub about: &'static str,
    pub begins: fn(&str) -> bool,
    /// Reads the whole file. The second argument is the load under which the other tool ran; it becomes part of every series'
    /// key.
    pub read: fn(&mut dyn BufRead, &str) -> Result<Imported, BadImport>,
}

#[derive(Clone, Debug, Default)]
pub struct Imported {
    pub tool: String,
    pub asked: Option<String>,
    pub device: Device,
    pub started: Option<Timestamp>,
    pub seconds: Option<f64>,
    pub series: Vec<Series>,
    pub invalid: Option<String>,
    pub warnings: Vec<Warning>,
}

const QUOTED: usize = 40;

pub(super) fn rounded(said: &str) -> Warning {
    Warning::new("rounded", said)
}

#[derive(Debug, thiserror::Error)]
pub enum BadImport {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("line {line}: {text:?}: {fault}")]
    Line {
        /// The line's number, from 1.
        line: u64,
        text: String,
        fault: String,
    },
    /// An error about the whole file: it is not the tool's output, or lacks something.
    #[error("{0}")]
    Whole(String),
    #[error("unknown format; expected one of: {0}")]
    Unknown(String),
}

impl BadImport {
    pub(super) fn line(line: u64, text: &str, fault: impl Into<String>) -> Self {
        Self::Line { line, text: text.chars().take(QUOTED).collect(), fault: fault.into() }
    }

    /// An error about the whole file. The message may quote the file, so control characters are escaped.
    pub(super) fn whole(fault: impl Into<String>) -> Self {
        let shown =
            |letter: char| if letter.is_control() { letter.escape_default().collect() } else { String::from(letter) };
        Self::Whole(fault.into().chars().map(shown).collect())
    }
}
