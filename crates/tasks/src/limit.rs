// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in a period: what is searched for, and what is found.
use backwall_model::units::Unit;
use backwall_model::{EventLimit, Results, Spread};

/// What a number of events has to bear; times are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Events are counted in so much.
    pub period_ns: u64,
    /// An event is done within it.
    pub deadline_ns: u64,
    /// Of so many events one may be late.
    pub one_late_of: u64,
    /// An event computes so long.
    pub computation_ns: u64,
    /// Threads that take events in turn.
    pub threads: u64,
    /// The fewest that are tried: so few that each finds the processor idle, and the cost of a switch is taken there.
    pub few: u64,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What was searched for.
    pub rules: Rules,
    /// Of all its times.
    pub unit: Unit,
    /// The most events in a period that held; 0: none that were tried did.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    pub fails_at: Option<u64>,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch: u64,
    /// Whether each event had a thread of its own.
    pub thread_per_event: bool,
    /// What several searches found; `None`: there was one.
    pub spread: Option<Spread>,
    /// The user ended the search.
    pub interrupted: bool,
}

/// The place of the search that stands for all: the middle one by what it found, of an even number the lower one of the two.
pub fn middle(events: &[u64]) -> Option<usize> {
    let mut places: Vec<usize> = (0..events.len()).collect();
    places.sort_by_key(|place| events[*place]);
    places.get(events.len().saturating_sub(1) / 2).copied()
}

impl Limit {
    /// The paper's calculation: the period over what an event takes, which is two switches, one to its thread and one back, and its
    /// computing.
    pub fn calculated(&self) -> u64 {
        calculated(self.rules.period_ns, self.switch, self.rules.computation_ns)
    }

    /// What an event costs beyond these; `None` where not even the fewest held.
    pub fn hidden(&self) -> Option<i64> {
        self.kept().and_then(|kept| kept.hidden())
    }

    /// As what a run found.
    pub fn found(&self) -> Results {
        Results { limit: self.kept(), ..Results::default() }
    }

    /// For the run; nothing of a search that was ended before its first trial was.
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
