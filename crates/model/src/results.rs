// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of a command that have no distribution, one member each.
use super::{Divided, EventLimit, Phase};
use crate::units::Unit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures without a distribution. Absent ones were not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// CPU modes of the responses, by line.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub divided: BTreeMap<String, Divided>,
    /// How well the stimuli covered a cycle, by the letter of their generator.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<char, Phase>,
    /// Answered and failed periods of each line, by line name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub periods: BTreeMap<String, Periods>,
    /// How many events fit in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<EventLimit>,
    /// Summary of a sweep over arrival instants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// Units of a batch that were merged into this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// Instructions from the first pulse to the end, in which the lab counted the load's progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_instructions: Option<u64>,
    /// Number of kernel events recorded during the task set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_events: Option<u64>,
}

impl Results {
    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the results of another part of the run. Its values replace earlier ones.
    pub fn take(&mut self, later: Self) {
        let Self { divided, phases, periods, limit, sweep, units, load_instructions, trace_events } = later;
        self.divided.extend(divided);
        self.phases.extend(phases);
        self.periods.extend(periods);
        self.limit = limit.or(self.limit);
        self.sweep = sweep.or(self.sweep);
        self.units = units.or(self.units);
        self.load_instructions = load_instructions.or(self.load_instructions);
        self.trace_events = trace_events.or(self.trace_events);
    }
}

/// The shortest period at which a line missed nothing, and the longest at which it missed a pulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Periods {
    /// Unit of both periods.
    pub unit: Unit,
    /// The line answered every pulse at this period and at all longer tried ones; absent if it missed a pulse even at the longest
    /// period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// The longest period at which the line missed a pulse; absent if it missed no pulse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<u64>,
}

/// Summary of a sweep, in instructions and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Pulses that were answered.
    pub arrivals: u64,
    /// Pulses that were not answered.
    pub missed: u64,
    /// Instants between the first and the last arrival that have no answered pulse.
    pub untried: u64,
    /// Instant of the first answered pulse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Instant of the last answered pulse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// The smallest latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<u64>,
    /// The largest latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<u64>,
    /// Instant of the pulse with the largest latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_at: Option<u64>,
    /// Largest minus smallest latency: the longest time for which the guest could not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<u64>,
}

/// Number of batch units merged into a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// Units that were planned.
    pub planned: u64,
    /// Units that are done.
    pub done: u64,
    /// Different results; identical ones count once.
    pub different: u64,
}
