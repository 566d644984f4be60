// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device under test, as it describes itself.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The device under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// `linux`, `detent`, `fake`, `capture`.
    pub kind: String,
    /// Release and version of its kernel.
    pub kernel: String,
    /// Model of its processor.
    pub cpu: String,
    /// Processors online.
    pub cpus: u32,
    /// The clock that was read, with its source.
    pub clock: String,
    /// Counts per second of that clock.
    pub clock_hz: u64,
    /// The preemption model of the kernel.
    pub preemption: String,
    /// Anything else it said of itself.
    #[serde(flatten)]
    pub more: BTreeMap<String, String>,
}
