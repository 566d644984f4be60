// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules on recordings: "after A within 200us B, unless C", with three outcomes.
//!
//! Each A obliges: B must come within the time, unless C comes first. An obligation is kept, excused, violated, or
//! undecided where the recording has a gap before B, or ends before the time is over.
//!
//! `monitor NAME` evaluates an automaton of the kernel's runtime verification: kept, broken, or undecided for want of its events.

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

/// What a file of rules holds.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Its rules, in order.
    pub rules: Vec<Rule>,
    /// Its automata, in order.
    pub monitors: Vec<Monitor>,
}

/// An automaton of the kernel's runtime verification, by name.
#[derive(Clone, Copy, Debug)]
pub struct Monitor {
    /// Which.
    pub automaton: &'static Automaton,
    /// The longest stay in its limited state.
    pub within_ns: u64,
}

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
