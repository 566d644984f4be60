// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority that was wanted and refused: ordinary threads were measured in its place.
use serde::{Deserialize, Serialize};

/// Why the measured threads are ordinary ones although nobody asked for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordinary {
    /// The real-time priority that was refused.
    pub refused_priority: u32,
    /// What the kernel said.
    pub because: String,
    /// What grants it on the machine that was measured, or in its container.
    pub remedy: String,
}

impl Ordinary {
    /// Why requirements of the run are not decided.
    pub fn undecided(&self) -> String {
        let Self { refused_priority, remedy, .. } = self;
        format!("at ordinary priority, for real-time priority {refused_priority} was refused ({remedy})")
    }
}
