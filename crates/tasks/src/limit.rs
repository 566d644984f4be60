// SPDX-License-Identifier: MIT OR Apache-2.0
//! The largest number of events that fit into a period: the rules of the search and its result.
use backwall_model::units::Unit;
use backwall_model::{EventLimit, Results, Spread};

/// Requirements on a number of events; times are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Length of the period in which events are counted.
    pub period_ns: u64,
    /// Deadline of each event.
    pub deadline_ns: u64,
    /// One event in this many may be late.
    pub one_late_of: u64,
    /// Computation time of each event.
    pub computation_ns: u64,
    /// Number of threads that take the events in turn.
    pub threads: u64,
    /// The smallest number of events to try. With it each event finds the CPU idle, which gives the cost of a switch.
    pub few: u64,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The rules of the search.
    pub rules: Rules,
    /// The unit of all its times.
    pub unit: Unit,
    /// The most events per period that met the rules; 0 if no tried number did.
    pub events: u64,
    /// The fewest events that did not meet the rules; `None` if all tried numbers did.
    pub fails_at: Option<u64>,
    /// Mean time from the generator to the event's thread, measured with few events.
    pub switch: u64,
    /// Whether each event had its own thread.
    pub thread_per_event: bool,
    /// Results of several searches; `None` if there was only one search.
    pub spread: Option<Spread>,
    /// Whether the user stopped the search.
    pub interrupted: bool,
}

/// Index of the search with the median result; with an even number of results, the lower of the two.
pub fn middle(events: &[u64]) -> Option<usize> {
    let mut places: Vec<usize> = (0..events.len()).collect();
    places.sort_by_key(|place| events[*place]);
    places.get(events.len().saturating_sub(1) / 2).copied()
}

impl Limit {
    /// The paper's formula: the period divided by an event's cost, which is two switches and its computation.
    pub fn calculated(&self) -> u64 {
        calculated(self.rules.period_ns, self.switch, self.rules.computation_ns)
    }

    /// The part of an event's cost that switches and computation do not explain; `None` if not even the fewest events fit.
    pub fn hidden(&self) -> Option<i64> {
        self.kept().and_then(|kept| kept.hidden())
    }

    /// The limit as the results of a run.
    pub fn found(&self) -> Results {
        Results { limit: self.kept(), ..Results::default() }
    }

    /// The limit in the form in which a run stores it; `None` if the search ended before its first trial.
    pub fn kept(&self) -> Option<EventLimit> {
        (self.events > 0 || self.fails_at.is_some()).then(|| EventLimit {
            unit: self.unit,
            period: self.rules.period_ns,
            switch: self.switch,
            computation: Some(self.rules.computation_ns),
            calculated: self.calculated(),
            events: self.events,
            fails_at: self.fails_at,
            spread: self.spread,
        })
    }
}

/// Number of events that fit into a period, each with two switches and its computation.
pub fn calculated(period: u64, switch: u64, computation: u64) -> u64 {
    period / (2 * switch).saturating_add(computation).max(1)
}
