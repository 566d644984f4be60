// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command's figures without a distribution, one member each.
use super::{Divided, EventLimit, Phase};
use crate::units::Unit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures without a distribution; those not sought are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Modes in which responses ran, by line.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub divided: BTreeMap<String, Divided>,
    /// How much of a circle the stimuli met, by the letter of their generator.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<char, Phase>,
    /// Answered periods of each line, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub periods: BTreeMap<String, Periods>,
    /// How many events fit in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<EventLimit>,
    /// What every arrival instant of a span gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The campaign units summed in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// Instructions from the first pulse to the end, over which the lab counted a load's progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_instructions: Option<u64>,
    /// Kernel events recorded during the task set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_events: Option<u64>,
}

impl Results {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the results of another part of the run; its values replace earlier ones.
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

/// The shortest period at which a line answered everything, and the longest at which it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Periods {
    /// The unit of both.
    pub unit: Unit,
    /// All were answered down to it; absent if not even at the longest one tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// Period with a loss; absent if nothing was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<u64>,
}

/// The figures of a sweep, in instructions and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Pulses that were answered.
    pub arrivals: u64,
    /// Pulses that were not.
    pub missed: u64,
    /// Instants between the first and last without an answer.
    pub untried: u64,
    /// The instant of the first that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// The instant of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// The smallest latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<u64>,
    /// The largest latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<u64>,
    /// The instant of the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_at: Option<u64>,
    /// Largest minus smallest latency: the longest time answers were blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<u64>,
}

/// Number of campaign units summed in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// What the campaign has.
    pub planned: u64,
    /// What was done of them.
    pub done: u64,
    /// Results that differ; the same result counts once.
    pub different: u64,
}
