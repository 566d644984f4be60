// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a file is not a usable task set: file, line, field, and what is expected.
use std::path::PathBuf;

/// What is wrong, as a reader finds it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The line it is in, from 1.
    pub line: Option<usize>,
    /// The field or element.
    pub field: String,
    /// What is wrong and what is wanted.
    pub text: String,
}

impl Fault {
    /// For a field whose line is unknown.
    pub fn of(field: impl Into<String>, text: impl Into<String>) -> Self {
        Self { line: None, field: one_line(&field.into()), text: one_line(&text.into()) }
    }

    /// The same in a line.
    pub fn at(line: usize, field: impl Into<String>, text: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::of(field, text) }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.text)
    }
}

/// Text from a file can be long and have several lines.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// The same with the file's name; one line.
#[derive(Debug, thiserror::Error)]
pub enum BadSet {
    /// It cannot be read.
    #[error("{}", place.display())]
    Io {
        /// The file.
        place: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// Not text, or too long.
    #[error("{}: {text}", place.display())]
    NoText {
        /// The file.
        place: PathBuf,
        /// What it is instead.
        text: &'static str,
    },
    /// A reader refused it.
    #[error("{}: {fault}", place.display())]
    Fault {
        /// The file.
        place: PathBuf,
        /// Where and what.
        fault: Fault,
    },
}
