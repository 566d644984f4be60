// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts read from the machine around the run.
use super::More;
use serde::{Deserialize, Serialize};

/// What was read of the machine around the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Ticks (10 ms) the hypervisor took during the run, over all processors.
    pub steal_ticks: u64,
    /// Whether real-time throttling or a fair server could take the processor.
    pub throttled: bool,
    /// One line per thing that was read.
    pub checks: Vec<Check>,
    /// Anything else, by name: [`Environment::add`].
    #[serde(flatten)]
    pub more: More<serde_json::Value>,
}

const FIELDS: [&str; 3] = ["steal_ticks", "throttled", "checks"];

impl Environment {
    /// Adds a value; under `said_NAME` if the name is a field's.
    pub fn add(&mut self, name: &str, value: serde_json::Value) {
        self.more.add(&FIELDS, name, value);
    }

    /// Whether the machine was read: a probe's stream from elsewhere, or a capture, has no facts about it.
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
    pub value: String,
    /// Whether it matters here.
    pub verdict: CheckVerdict,
    /// Why it matters.
    pub why: String,
    /// How to change it; empty if nothing needs doing.
    pub fix: String,
}

/// Whether a setting makes responses late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// Set up for real time.
    Good,
    /// Worth knowing, no harm by itself.
    Note,
    /// Makes responses late.
    Bad,
    /// Could not be read; `value` says why.
    Unknown,
}

impl CheckVerdict {
    /// Sort key: most urgent first.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Bad => 0,
            Self::Note => 1,
            Self::Unknown => 2,
            Self::Good => 3,
        }
    }
}
