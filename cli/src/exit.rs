// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exit codes of the programs, and the exit code of each error.
use backwall_model::Outcome;
use backwall_os::refusal::{self, Refusal};

/// How a command ended; the number is what scripts see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Undecided = 3,
    /// The machine could not do what the command needs.
    Unable = 4,
}

impl Exit {
    /// Combines two exit codes: a failed requirement outweighs an undecided one.
    #[must_use]
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

impl From<&Refusal> for Exit {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Input(_) => Self::Usage,
            Refusal::Undecided(_) => Self::Undecided,
            Refusal::Unable(_) | Refusal::NoRight { .. } => Self::Unable,
        }
    }
}

pub fn usage(text: impl Into<String>) -> anyhow::Error {
    refusal::usage(text).into()
}

pub fn undecided(text: impl Into<String>) -> anyhow::Error {
    refusal::undecided(text).into()
}

pub fn unable(text: impl Into<String>) -> anyhow::Error {
    refusal::unable(text).into()
}

pub fn code_of(error: &anyhow::Error) -> Exit {
    error.chain().find_map(|cause| cause.downcast_ref::<Refusal>()).map_or(Exit::Usage, Exit::from)
}
