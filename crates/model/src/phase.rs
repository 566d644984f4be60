// SPDX-License-Identifier: MIT OR Apache-2.0
//! How well the stimuli covered a cycle, such as the tick of a guest: at which phases of the cycle they arrived.
use serde::{Deserialize, Serialize};

/// Coverage of one cycle; lengths in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Length of the cycle.
    pub circle: u64,
    /// Number of equal parts into which the cycle is divided.
    pub parts: u64,
    /// Parts in which at least one stimulus arrived.
    pub met: u64,
    /// The longest part of the cycle without a stimulus.
    pub widest_gap: u64,
}
