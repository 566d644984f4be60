// SPDX-License-Identifier: MIT OR Apache-2.0
//! The highest rates at which a device answers every pulse, found by a search.
use serde::{Deserialize, Serialize};

/// A search; periods are in instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saturation {
    /// How the search worked, in words for the reader.
    pub rule: String,
    /// Interval between progress edges of the load without stimuli; absent without load.
    pub undisturbed_progress_instructions: Option<u64>,
    /// The searched goals with their results.
    pub goals: Vec<Sought>,
    /// All tried periods, shortest first.
    pub tried: Vec<TriedPeriod>,
}

/// One goal. Without `fails_at`, every tried period passed; without `period`, none did; without both, the search ended too early.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sought {
    /// `MF-ISR`, `MF-IST`, `MF-APP` or `SF`; for the second generator with the prefix `B_`.
    pub name: String,
    /// The shortest period that passed.
    pub period_instructions: Option<u64>,
    /// The longest tried period that is shorter than `period`; it failed. If no period passed, the longest tried period.
    pub fails_at_instructions: Option<u64>,
    /// Longer periods that failed although a shorter one passed.
    pub also_fails_at: Vec<u64>,
    /// The tried periods grouped by result, shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<Band>,
}

/// Adjacent tried periods with the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Band {
    /// The shortest period of the group.
    pub from_instructions: u64,
    /// The longest period of the group.
    pub to_instructions: u64,
    /// Whether the goal was met at these periods.
    pub holds: bool,
}

/// One tried period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedPeriod {
    /// The period.
    pub period_instructions: u64,
    /// For each goal the number of missed pulses; for SF the number of progress edges.
    pub figures: Vec<u64>,
}

impl Sought {
    /// Name of the goal that the background load still makes progress.
    pub const SF: &str = "SF";

    /// Name of the goal that a response line misses no pulse.
    pub fn name_of(line: &str) -> String {
        format!("MF-{}", line.to_uppercase())
    }

    /// The response line of this goal; `None` for SF.
    pub fn line(&self) -> Option<String> {
        self.name.strip_prefix("MF-").map(str::to_lowercase)
    }
}
