// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of a command that have no distribution, each with a member of its own.
use super::{Divided, EventLimit, Phase};
use crate::units::Unit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures without a distribution; what a run did not look for is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Where the instructions of the responses were executed, by the line that answered.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub divided: BTreeMap<String, Divided>,
    /// How much of a circle the stimuli met, by the letter of their generator.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<char, Phase>,
    /// Up to which period each line answered all, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub periods: BTreeMap<String, Periods>,
    /// How many events fit in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<EventLimit>,
    /// What every arrival instant of a span gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The units of a campaign of which this run is the sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// The instructions from the first pulse to the end, in which the progress of a load was counted in the lab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_instructions: Option<u64>,
    /// The kernel's events that were recorded beside the set of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_events: Option<u64>,
}

impl Results {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the results of another part of the run; where both have one, the later.
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

/// The shortest period at which a line answered all, and the longest at which it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Periods {
    /// Of both.
    pub unit: Unit,
    /// All were answered down to it; absent: not even at the longest that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// One was lost at it; absent: none was lost at any.
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
    /// Instants between the first and the last at which none was answered.
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
    /// The largest latency beyond the smallest: the longest that answers were kept away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<u64>,
}

/// Of how many units of a campaign a run is the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// What the campaign has.
    pub planned: u64,
    /// What was done of them.
    pub done: u64,
    /// Results that differ; the same result counts once.
    pub different: u64,
}
