// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority that was wanted and refused: ordinary threads were measured in its place.
use serde::{Deserialize, Serialize};

/// Why the measured threads are ordinary ones although nobody asked for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPriority {
    /// The real-time priority that was refused.
    pub priority: u32,
    /// The kernel's error.
    pub error: String,
    /// What grants it on the machine that was measured, or in its container.
    pub remedy: String,
}

impl RefusedPriority {
    /// Why requirements of the run are not decided.
    pub fn undecided(&self) -> String {
        let Self { priority, remedy, .. } = self;
        format!("at ordinary priority: real-time priority {priority} was refused ({remedy})")
    }
}
