// SPDX-License-Identifier: MIT OR Apache-2.0
//! A requirement as it was judged.
use serde::{Deserialize, Serialize};

/// A requirement and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// As typed.
    pub text: String,
    /// Pass, fail or undecided.
    pub outcome: Outcome,
    /// How many more samples would decide it.
    pub needs_more: u64,
    /// The confidence of the decision, in (0, 1]; 1 for what the run itself observed.
    pub confidence: f64,
    /// One sentence with the figures that decided.
    pub because: String,
}

impl Requirement {
    /// The requirement marked as undecided because of `why`: the figures are invalid.
    pub fn undecided(self, why: &str) -> Self {
        Self { outcome: Outcome::Undecided, because: format!("{why}; {}", self.because), ..self }
    }
}

/// The three outcomes of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Proven at the stated confidence.
    Pass,
    /// Shown not to hold.
    Fail,
    /// The samples do not decide.
    Undecided,
}
