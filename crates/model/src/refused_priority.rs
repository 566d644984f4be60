// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel refused a real-time priority, so ordinary threads were measured.
use serde::{Deserialize, Serialize};

/// Why the measured threads have no real-time priority although the user did not ask for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPriority {
    /// The real-time priority that was refused.
    pub priority: u32,
    /// The kernel's error.
    pub error: String,
    /// How to get the right on the measured machine, or in its container.
    pub remedy: String,
}

impl RefusedPriority {
    /// Why the run's requirements are undecided.
    pub fn undecided(&self) -> String {
        let Self { priority, remedy, .. } = self;
        format!("at ordinary priority: real-time priority {priority} was refused ({remedy})")
    }
}
