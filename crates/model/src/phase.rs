// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a cycle the stimuli covered: their phases relative to something periodic, such as a guest's tick.
use serde::{Deserialize, Serialize};

/// Coverage of one circle; lengths in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// After what time it repeats.
    pub circle: u64,
    /// Number of equal parts distinguished.
    pub parts: u64,
    /// Parts that a stimulus fell into.
    pub met: u64,
    /// The widest stretch of the circle without a stimulus.
    pub widest_gap: u64,
}
