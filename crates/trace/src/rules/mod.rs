// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules for recordings: "after A within 200us B, unless C".
//!
//! Each A is an obligation: B must come within the time, unless C comes first. An obligation is kept, excused, violated, or
//! undecided. It is undecided if the recording has a gap before B, or ends before the time is over.
//!
//! `monitor NAME` evaluates an automaton of the kernel's runtime verification: the result is kept, broken, or undecided because
//! the recording lacks events.

mod automaton;
mod evaluate;
mod monitors;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;
mod watched;

pub use automaton::{Arc, Automaton, Limit, Scope, Symbol};
pub use evaluate::{Account, Evaluation, Example, Holder};
pub use monitors::{MONITORS, monitor};
pub use parse::{Mistake, parse};
pub use pattern::{Pattern, Who};
pub use watched::{Breach, Monitored, Present, Watched};

/// The contents of a file of rules.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The rules, in the file's order.
    pub rules: Vec<Rule>,
    /// The automata, in the file's order.
    pub monitors: Vec<Monitor>,
}

/// An automaton of the kernel's runtime verification, by name.
#[derive(Clone, Copy, Debug)]
pub struct Monitor {
    /// The automaton.
    pub automaton: &'static Automaton,
    /// The longest time that the automaton may be in its limited state.
    pub within_ns: u64,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The text as the user wrote it.
    pub text: String,
    /// A, the event that begins an obligation.
    pub after: Pattern,
    /// The longest time from A to B.
    pub within_ns: u64,
    /// B, the event that must come.
    pub then: Pattern,
    /// C, the event that excuses the obligation.
    pub unless: Option<Pattern>,
}
