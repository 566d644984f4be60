// SPDX-License-Identifier: MIT OR Apache-2.0
//! A refused real-time priority: ordinary threads were measured instead.
use serde::{Deserialize, Serialize};

/// Why the measured threads are ordinary without the user's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPriority {
    /// The real-time priority that was refused.
    pub priority: u32,
    /// The kernel's error.
    pub error: String,
    /// How to grant it on the measured machine, or in its container.
    pub remedy: String,
}

impl RefusedPriority {
    /// Why requirements of the run are not decided.
    pub fn undecided(&self) -> String {
        let Self { priority, remedy, .. } = self;
        format!("at ordinary priority: real-time priority {priority} was refused ({remedy})")
    }
}
