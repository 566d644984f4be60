// SPDX-License-Identifier: MIT OR Apache-2.0
//! A requirement and its outcome.
use serde::{Deserialize, Serialize};

/// A requirement and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// The requirement as the user typed it.
    pub text: String,
    /// Pass, fail or undecided.
    pub outcome: Outcome,
    /// How many more samples would decide the requirement.
    pub needs_more: u64,
    /// The confidence of the decision, in (0, 1]; 1 for a fact about this run.
    pub confidence: f64,
    /// The reason in one sentence, with the deciding figures.
    pub because: String,
}

impl Requirement {
    /// The same requirement as undecided because the figures are invalid; `why` is the reason.
    pub fn undecided(self, why: &str) -> Self {
        Self { outcome: Outcome::Undecided, because: format!("{why}; {}", self.because), ..self }
    }
}

/// The three outcomes of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The requirement is proven at the stated confidence.
    Pass,
    /// The samples show that the requirement does not hold.
    Fail,
    /// The samples do not decide the requirement.
    Undecided,
}
