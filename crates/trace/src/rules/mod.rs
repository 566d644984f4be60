// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules on recordings: "after A within 200us B, unless C", with three outcomes.
//!
//! Each A obliges: B must come within the time, unless C comes first. An obligation is kept, excused, violated, or
//! undecided where the recording has a gap before B, or ends before the time is over.

mod evaluate;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;

pub use evaluate::{Account, Evaluation, Example, Holder};
pub use parse::{Mistake, parse};
pub use pattern::{Pattern, Who};

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As it was typed.
    pub text: String,
    /// The event that obliges.
    pub after: Pattern,
    /// How long after it at most.
    pub within_ns: u64,
    /// What must come.
    pub then: Pattern,
    /// What excuses.
    pub unless: Option<Pattern>,
}
