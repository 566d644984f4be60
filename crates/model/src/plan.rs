// SPDX-License-Identifier: MIT OR Apache-2.0
use super::Extension;
use crate::units::Nanoseconds;
use serde::{Deserialize, Serialize};

/// Handling of releases that came due during a late response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Overrun {
    /// Count them as missed; the next release is the first in the future.
    #[default]
    Skip,
    /// Answer them one after the other, each against its own release.
    Queue,
}

/// The scheduler of the measured threads.
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

/// The request. Members that a command does not use are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Load of each phase in order; `none` is a phase without load.
    pub loads: Vec<String>,
    /// `as-is` or `off`, per phase.
    pub idle: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Length of one phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_ns: Option<Nanoseconds>,
    /// Length of all phases together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_ns: Option<Nanoseconds>,
    /// The processor of the probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// The processors of several measured threads, one each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// The scheduler; absent: `fifo`, or what the device has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// With `deadline`: processor time in each period that the kernel warrants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_ns: Option<Nanoseconds>,
    /// Real-time priority, or 0 for the ordinary scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u32>,
    /// Distance of releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ns: Option<Nanoseconds>,
    /// An answer later than this is late; absent: one later than the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ns: Option<Nanoseconds>,
    /// The overload rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
    /// CPUs of the loads, if named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_cpus: Vec<u32>,
    /// The user's own load: a command for the shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_command: Option<String>,
    /// A longer response ends the run and keeps its trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_above_ns: Option<Nanoseconds>,
    /// Keeps the trace around a longer response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_above_ns: Option<Nanoseconds>,
    /// Whether to go on without rights that are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best_effort: bool,
    /// The requirements as they were typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
    /// Whether raw samples were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_samples: Option<bool>,
    /// The command's own members.
    #[serde(flatten)]
    pub extension: Extension,
}
