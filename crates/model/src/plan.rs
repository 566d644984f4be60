// SPDX-License-Identifier: MIT OR Apache-2.0
use super::Extension;
use crate::units::Nanoseconds;
use serde::{Deserialize, Serialize};

/// What happens to releases that come due during a late response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Overrun {
    /// The releases count as missed; the next release is the first one in the future.
    #[default]
    Skip,
    /// The releases are answered one after the other, each measured from its own release time.
    Queue,
}

/// Scheduling policy of the measured threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// SCHED_FIFO.
    #[default]
    Fifo,
    /// SCHED_RR.
    Rr,
    /// SCHED_DEADLINE.
    Deadline,
    /// SCHED_OTHER.
    Other,
}

/// The requested measurement. Members that a command does not use are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Load of each phase, in order; `none` for a phase without load.
    pub loads: Vec<String>,
    /// C-state setting of each phase: `as-is` or `off`.
    pub idle: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Length of one phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_ns: Option<Nanoseconds>,
    /// Length of all phases together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_ns: Option<Nanoseconds>,
    /// The CPU of the probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// The CPUs of several measured threads, one thread each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// The scheduling policy; absent: `fifo`, or what the device has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// With the policy `deadline`: the CPU time that the kernel guarantees in each period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_ns: Option<Nanoseconds>,
    /// Real-time priority, or 0 for SCHED_OTHER.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// Time between releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ns: Option<Nanoseconds>,
    /// A response that takes longer than this is late; absent: longer than the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<Nanoseconds>,
    /// What happens to releases that come due during a late response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
    /// CPUs of the loads, if named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_cpus: Vec<u32>,
    /// The user's own load: a shell command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_command: Option<String>,
    /// A response longer than this ends the run, and its trace is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_above_ns: Option<Nanoseconds>,
    /// The trace around a response longer than this is kept, and the run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_above_ns: Option<Nanoseconds>,
    /// Whether to continue without real-time privileges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best_effort: bool,
    /// The requirements as they were typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
    /// Whether raw samples were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_samples: Option<bool>,
    /// The members of the command.
    #[serde(flatten)]
    pub extension: Extension,
}
