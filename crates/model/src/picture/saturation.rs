// SPDX-License-Identifier: MIT OR Apache-2.0
//! The highest answered frequencies of a device, from a search.
use serde::{Deserialize, Serialize};

/// A search, in instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saturation {
    /// How it was searched, for the reader.
    pub rule: String,
    /// Interval of the undisturbed load's progress edges, if there is a load.
    pub undisturbed_progress_instructions: Option<u64>,
    /// What was searched for, each with what was found.
    pub goals: Vec<Sought>,
    /// Each period that was tried, shortest first.
    pub tried: Vec<TriedPeriod>,
}

/// One goal. With only a period, every period tried passed; with only a failure, none did; with neither, the search ended too early.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sought {
    /// `MF-ISR`, `MF-IST`, `MF-APP`, `SF`; for the second generator with `B_`.
    pub name: String,
    /// The shortest period that holds.
    pub period_instructions: Option<u64>,
    /// The next shorter period tried; if none passed, the longest.
    pub fails_at_instructions: Option<u64>,
    /// Longer periods that failed although a shorter one held.
    pub also_fails_at: Vec<u64>,
    /// The tried periods, split where the result changes, shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<Band>,
}

/// Periods that were tried, one after the other, with the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Band {
    /// The shortest of them.
    pub from_instructions: u64,
    /// The longest of them.
    pub to_instructions: u64,
    /// Whether the goal holds at them.
    pub holds: bool,
}

/// One period that was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedPeriod {
    /// The period.
    pub period_instructions: u64,
    /// For each goal the lost pulses, for SF the progress edges.
    pub figures: Vec<u64>,
}

impl Sought {
    /// Name of the goal that the background load makes progress.
    pub const SF: &str = "SF";

    /// Name of the goal that no pulse is lost on a response line.
    pub fn name_of(line: &str) -> String {
        format!("MF-{}", line.to_uppercase())
    }

    /// The response line that must miss no pulse; `None` for other goals.
    pub fn line(&self) -> Option<String> {
        self.name.strip_prefix("MF-").map(str::to_lowercase)
    }
}
