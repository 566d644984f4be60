// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a load came.
use serde::{Deserialize, Serialize};

/// Units per second of a load, so that starvation is visible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadProgress {
    /// Its name.
    pub name: String,
    /// What is counted.
    pub unit: String,
    /// The phase it ran in: name of the load asked for (`all` runs several).
    pub phase: String,
    /// Units over the whole phase.
    pub done: u64,
    /// Units in each second of the phase.
    pub per_second: Vec<f64>,
}
