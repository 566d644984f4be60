// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in a period: what is searched for, what is found, and how a run keeps it.
use run::Run;
use units::Unit;

/// Name of the value of a run: the most events in a period that held.
const EVENTS: &str = "limit_events";
/// The same as the paper calculates it.
const CALCULATED: &str = "limit_calculated_events";
/// The fewest that did not hold.
const FAILS: &str = "limit_fails_events";
/// The switch to an event's thread, mean.
const SWITCH: &str = "limit_switch_mean_ns";
/// The period in which events are counted.
const PERIOD: &str = "limit_period_ns";
/// What an event computes.
const COMPUTATION: &str = "limit_computation_ns";
/// The three in executed instructions, where a nanosecond of the rules is one.
const OF_INSTRUCTIONS: [&str; 3] =
    ["limit_switch_mean_instructions", "limit_period_instructions", "limit_computation_instructions"];
/// How many times was searched, where more than once.
const SEARCHES: &str = "limit_searches";
/// The least and the most that a search found.
const SPREAD: [&str; 2] = ["limit_least_events", "limit_most_events"];

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

/// What several searches for the same found, of which the one in the middle stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many there were.
    pub searches: u64,
    /// The fewest events that one of them found.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl Spread {
    /// Of so many events as each search found; `None` of fewer than two searches.
    pub fn of(events: &[u64]) -> Option<Self> {
        let (least, most) = (*events.iter().min()?, *events.iter().max()?);
        (events.len() > 1).then_some(Self { searches: events.len() as u64, least, most })
    }
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

    /// What an event costs beyond these; below 0 where a switch costs less when the processor is busy.
    pub fn hidden(&self) -> i64 {
        hidden(self.rules.period_ns, self.events, self.switch, self.rules.computation_ns)
    }

    /// For the run; nothing of a search that was ended before its first trial was.
    pub fn values(&self) -> Vec<(String, u64)> {
        let named = |name: &str, value| (name.to_string(), value);
        if self.events == 0 && self.fails_at.is_none() {
            return Vec::new();
        }
        let [switch, period, computation] =
            if self.unit == Unit::Ns { [SWITCH, PERIOD, COMPUTATION] } else { OF_INSTRUCTIONS };
        let mut values = vec![
            named(EVENTS, self.events),
            named(CALCULATED, self.calculated()),
            named(switch, self.switch),
            named(period, self.rules.period_ns),
            named(computation, self.rules.computation_ns),
        ];
        if let Some(Spread { searches, least, most }) = self.spread {
            values.extend([named(SEARCHES, searches), named(SPREAD[0], least), named(SPREAD[1], most)]);
        }
        values.extend(self.fails_at.map(|events| named(FAILS, events)));
        values
    }
}

/// Events in a period, each of two switches and its computing.
pub fn calculated(period: u64, switch: u64, computation: u64) -> u64 {
    period / (2 * switch).saturating_add(computation).max(1)
}

fn hidden(period: u64, events: u64, switch: u64, computation: u64) -> i64 {
    (period / events.max(1)) as i64 - 2 * switch as i64 - computation as i64
}

/// What a run keeps of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Of the period and the switch.
    pub unit: Unit,
    /// Events are counted in so much.
    pub period: u64,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch: u64,
    /// What an event computes; `None` of an older run, which calculated as if that were nothing.
    pub computation: Option<u64>,
    /// As the paper calculates them.
    pub calculated: u64,
    /// The most that held; 0: none that were tried did.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    pub fails_at: Option<u64>,
    /// What several searches found; `None`: there was one.
    pub spread: Option<Spread>,
}

impl Stored {
    /// From the values of a run; `None` where it searched for no limit, or knows none.
    pub fn of(run: &Run) -> Option<Self> {
        let value = |name: &str| run.values.get(name).copied();
        let in_instructions = value(OF_INSTRUCTIONS[1]).is_some();
        let [switch, period, computation] =
            if in_instructions { OF_INSTRUCTIONS } else { [SWITCH, PERIOD, COMPUTATION] };
        let spread = |searches| Some(Spread { searches, least: value(SPREAD[0])?, most: value(SPREAD[1])? });
        Some(Self {
            unit: if in_instructions { Unit::Instructions } else { Unit::Ns },
            period: value(period)?,
            switch: value(switch)?,
            computation: value(computation),
            calculated: value(CALCULATED)?,
            events: value(EVENTS)?,
            fails_at: value(FAILS),
            spread: value(SEARCHES).and_then(spread),
        })
    }

    /// What an event costs beyond two switches and its computing; `None` where not even the fewest held.
    pub fn hidden(&self) -> Option<i64> {
        (self.events > 0).then(|| hidden(self.period, self.events, self.switch, self.computation.unwrap_or(0)))
    }
}
