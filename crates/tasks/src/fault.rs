// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a file is not a valid task set: file, line, field, and what was expected.
use std::path::PathBuf;

/// What is wrong, as a reader of a format finds it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Number of the faulty line, from 1.
    pub line: Option<usize>,
    /// The field or element.
    pub field: String,
    /// What is wrong and what was expected.
    pub text: String,
}

impl Fault {
    /// A fault in a field whose line is unknown.
    pub fn of(field: impl Into<String>, text: impl Into<String>) -> Self {
        Self { line: None, field: one_line(&field.into()), text: one_line(&text.into()) }
    }

    /// A fault in a field of a known line.
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

/// Replaces line breaks and shortens the text: it comes from a file and can be long.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// A fault with the name of its file, in one line.
#[derive(Debug, thiserror::Error)]
pub enum BadSet {
    /// The file cannot be read.
    #[error("{}", place.display())]
    Io {
        /// The file.
        place: PathBuf,
        /// The system's error message.
        source: std::io::Error,
    },
    /// The file is not text, or is too long.
    #[error("{}: {text}", place.display())]
    NoText {
        /// The file.
        place: PathBuf,
        /// Why the file cannot be a task set.
        text: &'static str,
    },
    /// The reader of the format refused the file.
    #[error("{}: {fault}", place.display())]
    Fault {
        /// The file.
        place: PathBuf,
        /// Where the fault is, and what is wrong.
        fault: Fault,
    },
}
