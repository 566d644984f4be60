// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts read from the machine around the run.
use super::More;
use serde::{Deserialize, Serialize};

/// Facts about the machine, read before and after the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Steal ticks (10 ms each) during the run, over all CPUs.
    pub steal_ticks: u64,
    /// Whether real-time throttling or a fair server could take the CPU from real-time threads.
    pub throttled: bool,
    /// One entry per setting that was read.
    pub checks: Vec<Check>,
    /// Other facts by name, added by [`Environment::add`].
    #[serde(flatten)]
    pub more: More<serde_json::Value>,
}

const FIELDS: [&str; 3] = ["steal_ticks", "throttled", "checks"];

impl Environment {
    /// Adds a fact by name. If a field has that name, the fact is stored as `said_NAME`.
    pub fn add(&mut self, name: &str, value: serde_json::Value) {
        self.more.add(&FIELDS, name, value);
    }

    /// Whether backwall read the machine's settings. Runs from captures and from probe streams of other machines have
    /// no settings.
    pub fn was_read(&self) -> bool {
        !self.checks.is_empty()
    }
}

/// One line of `backwall check`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the setting.
    pub name: String,
    /// The value, and the file it was read from.
    pub value: String,
    /// Whether the setting makes responses late.
    pub verdict: CheckVerdict,
    /// Why the setting matters.
    pub why: String,
    /// How to change the setting; empty if no change is needed.
    pub fix: String,
}

/// Whether a setting makes responses late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// Set up for real time.
    Good,
    /// Worth knowing, but harmless by itself.
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
