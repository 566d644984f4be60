// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was read of the machine around the run.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was read of the machine around the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Ticks (10 ms) the hypervisor took during the run, over all processors.
    pub steal_ticks: u64,
    /// Whether real-time throttling or a fair server could take the processor.
    pub throttled: bool,
    /// One line per thing that was read.
    pub checks: Vec<Check>,
    /// Anything else, by name.
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

impl Environment {
    /// Whether the machine was read at all: a probe's stream from elsewhere, or a capture, tells nothing of it.
    pub fn was_read(&self) -> bool {
        !self.checks.is_empty()
    }
}

/// One line of `backwall check`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the setting.
    pub name: String,
    /// What was read, and where.
    pub found: String,
    /// Whether it matters here.
    pub verdict: CheckVerdict,
    /// Why it matters.
    pub why: String,
    /// How to change it; empty when there is nothing to do.
    pub fix: String,
}

/// Whether a setting stands in the way of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// Set up for real time.
    Good,
    /// Worth knowing, no harm by itself.
    Note,
    /// Makes responses late.
    Bad,
    /// Could not be read; `found` says why.
    Unknown,
}
