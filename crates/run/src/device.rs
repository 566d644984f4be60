// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device under test, as it describes itself.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The device under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// `linux`, `detent`, `fake`, `capture`, or what else a device calls itself.
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

/// The kind whose priorities and releases are those of Linux.
const LINUX: &str = "linux";

impl Device {
    /// What real-time priorities are of, where the device's system is known for one.
    pub fn scheduler(&self) -> Option<&'static str> {
        (self.kind == LINUX).then_some("SCHED_FIFO")
    }

    /// The release of a Linux kernel, without the rest of its version.
    pub fn linux_release(&self) -> Option<&str> {
        let text = self.kernel.strip_prefix("Linux ").unwrap_or(&self.kernel);
        (self.kind == LINUX).then(|| text.split_whitespace().next().unwrap_or("unknown kernel"))
    }
}
