// SPDX-License-Identifier: MIT OR Apache-2.0
//! The error type of everything that uses the system or a user's files: one line for the user, and the kind of refusal.
use std::error::Error;
use std::fmt;

/// Why something failed. The text is one line: what, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Input(String),
    Undecided(String),
    Unable(String),
    NoRight { what: String, remedy: String },
}

pub type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    #[must_use]
    pub fn with_text(self, text: impl FnOnce(&str) -> String) -> Self {
        let said = text(&self.to_string());
        match self {
            Self::Input(_) => Self::Input(said),
            Self::Undecided(_) => Self::Undecided(said),
            Self::Unable(_) | Self::NoRight { .. } => Self::Unable(said),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(text) | Self::Undecided(text) | Self::Unable(text) => f.write_str(text),
            Self::NoRight { what, remedy } => {
                write!(f, "{what} was refused: {remedy}; --best-effort continues without it")
            }
        }
    }
}

impl Error for Refusal {}

pub fn usage(text: impl Into<String>) -> Refusal {
    Refusal::Input(text.into())
}

pub fn undecided(text: impl Into<String>) -> Refusal {
    Refusal::Undecided(text.into())
}

pub fn unable(text: impl Into<String>) -> Refusal {
    Refusal::Unable(text.into())
}

pub fn bad_input(error: impl Error) -> Refusal {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        text = format!("{text}: {cause}");
        below = cause.source();
    }
    Refusal::Input(text)
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        bad_input(error)
    }
}
