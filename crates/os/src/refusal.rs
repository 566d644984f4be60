// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors that choose the exit code of a command.
use backwall_model::Outcome;
use std::fmt;

/// How a command ended; the number is what scripts see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, and every requirement passed.
    Done = 0,
    /// A requirement failed.
    Failed = 1,
    /// Bad usage or input.
    Usage = 2,
    /// A requirement needs more samples.
    Undecided = 3,
    /// The machine could not do what was asked.
    Unable = 4,
}

impl Exit {
    /// Of the ends of two runs that of both: a failed requirement outweighs an undecided one.
    pub fn worse(self, other: Self) -> Self {
        if self == Self::Failed || other == Self::Done { self } else { other }
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pass => Self::Done,
            Outcome::Fail => Self::Failed,
            Outcome::Undecided => Self::Undecided,
        }
    }
}

/// An error that knows its exit code; the text is one line: what, where, how to mend it.
#[derive(Debug)]
pub struct Refusal {
    /// The code the process ends with.
    pub exit: Exit,
    /// One line for the user.
    pub text: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

/// A right that this user, or this container, lacks; the machine would do what was asked.
#[derive(Debug)]
pub struct NoRight {
    /// What was refused, as the subject of a sentence.
    pub what: String,
    /// What grants it here.
    pub remedy: String,
}

impl fmt::Display for NoRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused: {}; --best-effort goes on without", self.what, self.remedy)
    }
}

impl std::error::Error for NoRight {}

/// Bad usage or input: exit 2.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    Refusal { exit: Exit::Usage, text: text.into() }.into()
}

/// The input lacks what the answer needs: exit 3.
pub fn undecided(text: impl Into<String>) -> anyhow::Error {
    Refusal { exit: Exit::Undecided, text: text.into() }.into()
}

/// The machine lacks a right, a feature or a program: exit 4.
pub fn unable(text: impl Into<String>) -> anyhow::Error {
    Refusal { exit: Exit::Unable, text: text.into() }.into()
}

/// The exit code of an error: its own, or 2 for an error of input that did not choose.
pub fn code_of(error: &anyhow::Error) -> Exit {
    let own = |cause: &(dyn std::error::Error + 'static)| {
        let refusal = cause.downcast_ref::<Refusal>().map(|refusal| refusal.exit);
        refusal.or_else(|| cause.is::<NoRight>().then_some(Exit::Unable))
    };
    error.chain().find_map(own).unwrap_or(Exit::Usage)
}
