// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to do first, and all boot options in one line.
use super::{Machine, Reading};
use backwall_model::CheckVerdict;
use serde::Serialize;

/// Number of fixes shown first; with more changes at once nobody knows which one helped.
const FIRST: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Names of the checks to fix first, the most costly first.
    pub first: Vec<String>,
    /// Options to add to the kernel command line; may be empty.
    pub boot: String,
}

impl Advice {
    pub(super) fn of(machine: &Machine, readings: &[(&str, Reading)]) -> Self {
        let with = |verdict: CheckVerdict| {
            let to_do = move |(_, reading): &&(&str, Reading)| reading.verdict == verdict && !reading.fix.is_empty();
            readings.iter().filter(to_do)
        };
        // Without the right to real-time priority, no other fix helps.
        let right = with(CheckVerdict::Bad).filter(|(name, _)| *name == super::PRIORITY_LIMIT);
        let others = with(CheckVerdict::Bad).filter(|(name, _)| *name != super::PRIORITY_LIMIT);
        let ranked = right.chain(others).chain(with(CheckVerdict::Note));
        let options: Vec<&str> =
            readings.iter().map(|(_, reading)| reading.boot.as_str()).filter(|option| !option.is_empty()).collect();
        let boot = if options.is_empty() { String::new() } else { line(machine, &options) };
        Self { first: ranked.take(FIRST).map(|(name, _)| name.to_string()).collect(), boot }
    }
}

/// Options missing from the running kernel's command line, each once, because several checks may need the same option.
fn line(machine: &Machine, options: &[&str]) -> String {
    let given = machine.read("/proc/cmdline").unwrap_or_default();
    let new = |option: &&&str| !given.split_whitespace().any(|word| word == **option);
    let mut asked: Vec<&str> = Vec::new();
    for option in options.iter().filter(new) {
        if !asked.contains(option) {
            asked.push(option);
        }
    }
    asked.join(" ")
}
