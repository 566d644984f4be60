// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a circle the stimuli of a run met: their phases against something that repeats, such as a guest's tick.
use serde::{Deserialize, Serialize};

/// What was met of one circle; lengths in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// After what time it repeats.
    pub circle: u64,
    /// Equal parts that are told apart.
    pub parts: u64,
    /// Parts that a stimulus fell into.
    pub met: u64,
    /// The widest stretch of the circle without a stimulus.
    pub widest_gap: u64,
}
