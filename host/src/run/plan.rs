// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that was asked.
use crate::units::Nanoseconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What to do with releases that came due while a response was late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Overrun {
    /// They are counted as lost, and the next release is the first in the future.
    #[default]
    Skip,
    /// They are answered one after the other, each against its own release.
    Queue,
}

/// Everything that was asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Load of each phase, in order; `none` is a phase without load.
    pub loads: Vec<String>,
    /// Length of one phase.
    pub phase_ns: Nanoseconds,
    /// The processor of the probe.
    pub cpu: Option<u32>,
    /// SCHED_FIFO priority, or 0 for the ordinary scheduler.
    pub priority: u32,
    /// Distance of releases.
    pub period_ns: Nanoseconds,
    /// The overload rule.
    pub overrun: Overrun,
    /// `as-is` or `off`, per phase.
    pub idle: String,
    /// Whether raw samples were kept.
    pub keep_samples: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// What a command adds of its own (a scenario, the options of a 2002 tool).
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}
