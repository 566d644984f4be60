// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in a period: the search and its result.
use backwall_model::units::Unit;
use backwall_model::{EventLimit, Results, Spread};

/// Requirements on a number of events; times are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Length of the period in which events are counted.
    pub period_ns: u64,
    /// An event is done within it.
    pub deadline_ns: u64,
    /// One of this many events may be late.
    pub one_late_of: u64,
    /// An event computes so long.
    pub computation_ns: u64,
    /// Threads that take events in turn.
    pub threads: u64,
    /// The smallest number tried: each event finds the CPU idle, which gives the cost of a switch.
    pub few: u64,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What was searched for.
    pub rules: Rules,
    /// Of all its times.
    pub unit: Unit,
    /// The most events per period that passed; 0: no tried number did.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    pub fails_at: Option<u64>,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch: u64,
    /// Whether each event had its own thread.
    pub thread_per_event: bool,
    /// Results of several searches; `None` for one.
    pub spread: Option<Spread>,
    /// The user ended the search.
    pub interrupted: bool,
}

/// Index of the search with the median result; of an even number the lower one.
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

    /// Cost of an event beyond these; `None` if not even the fewest fitted.
    pub fn hidden(&self) -> Option<i64> {
        self.kept().and_then(|kept| kept.hidden())
    }

    /// As what a run found.
    pub fn found(&self) -> Results {
        Results { limit: self.kept(), ..Results::default() }
    }

    /// As stored in the run; `None` if the search ended before its first trial.
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

/// Events in a period, each of two switches and its computing.
pub fn calculated(period: u64, switch: u64, computation: u64) -> u64 {
    period / (2 * switch).saturating_add(computation).max(1)
}
