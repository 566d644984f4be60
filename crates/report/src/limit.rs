// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in 10 ms: as found and as calculated, beside the paper's.
use super::wrap::{COLUMNS, wrapped};
use run::Run;
use units::{Unit, grouped, tenths};

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
/// Both in executed instructions, where a nanosecond of the rules is one.
const OF_INSTRUCTIONS: [&str; 2] = ["limit_switch_mean_instructions", "limit_period_instructions"];

/// What a number of events has to bear; times are whole milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Events are counted in so much.
    pub period_ns: u64,
    /// An event is done within it.
    pub deadline_ns: u64,
    /// Of so many events one may be late.
    pub one_late_of: u64,
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
    /// The user ended the search.
    pub interrupted: bool,
}

impl Limit {
    /// The paper's calculation: the period over two switches, one to the event's thread and one back.
    pub fn calculated(&self) -> u64 {
        calculated(self.rules.period_ns, self.switch)
    }

    /// What an event costs beyond two switches; below 0 where a switch costs less when the processor is busy.
    pub fn hidden(&self) -> i64 {
        hidden(self.rules.period_ns, self.events, self.switch)
    }

    /// For the run; nothing of a search that was ended before its first trial was.
    pub fn values(&self) -> Vec<(String, u64)> {
        let named = |name: &str, value| (name.to_string(), value);
        if self.events == 0 && self.fails_at.is_none() {
            return Vec::new();
        }
        let [switch, period] = if self.unit == Unit::Ns { [SWITCH, PERIOD] } else { OF_INSTRUCTIONS };
        let mut values = vec![
            named(EVENTS, self.events),
            named(CALCULATED, self.calculated()),
            named(switch, self.switch),
            named(period, self.rules.period_ns),
        ];
        values.extend(self.fails_at.map(|events| named(FAILS, events)));
        values
    }

    fn found(&self) -> String {
        let period = self.long(self.rules.period_ns);
        let fails = |events| format!("{} do not", grouped(events));
        match (self.events, self.fails_at) {
            (0, None) => "interrupted before the first trial was done".to_string(),
            (0, Some(few)) => format!("{period} do not hold even {} events", grouped(few)),
            (events, fails_at) => {
                let fails = fails_at.map_or("no more were tried".to_string(), fails);
                let early = if self.interrupted { "interrupted: " } else { "" };
                let least = if self.interrupted { "at least " } else { "" };
                format!("{early}{period} hold {least}{} events ({fails})", grouped(events))
            }
        }
    }

    fn rule(&self) -> String {
        let Rules { deadline_ns, one_late_of, threads, .. } = self.rules;
        let how = if self.thread_per_event {
            "a thread created for each".to_string()
        } else {
            format!("{threads} threads woken in turn")
        };
        format!("{how} by a generator: no more than 1 of {one_late_of} later than {}", self.long(deadline_ns))
    }

    fn cost(&self) -> Option<String> {
        (self.events > 0).then(|| {
            format!(
                "calculated from {} to the event's thread and as much back: {}; beyond that an event costs {}",
                self.short(self.switch as i64),
                grouped(self.calculated()),
                self.short(self.hidden())
            )
        })
    }

    fn long(&self, ns: u64) -> String {
        long(ns, self.unit)
    }

    fn short(&self, value: i64) -> String {
        match self.unit {
            Unit::Ns => format!("{} us", tenths(value as f64 / 1e3)),
            Unit::Instructions => {
                let sign = if value < 0 { "-" } else { "" };
                format!("{sign}{} instructions", grouped(value.unsigned_abs()))
            }
        }
    }
}

/// Events in a period of two switches each.
pub fn calculated(period: u64, switch: u64) -> u64 {
    period / (2 * switch).max(1)
}

fn hidden(period: u64, events: u64, switch: u64) -> i64 {
    (period / events.max(1)) as i64 - 2 * switch as i64
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
    /// As the paper calculates them.
    pub calculated: u64,
    /// The most that held; 0: none that were tried did.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    pub fails_at: Option<u64>,
}

impl Stored {
    /// From the values of a run; `None` where it searched for no limit, or knows none.
    pub fn of(run: &Run) -> Option<Self> {
        let value = |name: &str| run.values.get(name).copied();
        let in_instructions = value(OF_INSTRUCTIONS[1]).is_some();
        let [switch, period] = if in_instructions { OF_INSTRUCTIONS } else { [SWITCH, PERIOD] };
        Some(Self {
            unit: if in_instructions { Unit::Instructions } else { Unit::Ns },
            period: value(period)?,
            switch: value(switch)?,
            calculated: value(CALCULATED)?,
            events: value(EVENTS)?,
            fails_at: value(FAILS),
        })
    }

    /// What an event costs beyond two switches; `None` where not even the fewest held.
    pub fn hidden(&self) -> Option<i64> {
        (self.events > 0).then(|| hidden(self.period, self.events, self.switch))
    }

    /// The period in words.
    pub fn period_told(&self) -> String {
        long(self.period, self.unit)
    }
}

fn long(ns: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => format!("{} ms", ns / 1_000_000),
        Unit::Instructions => format!("{} instructions", grouped(ns)),
    }
}

/// What was found, what it costs, and what the paper found.
pub fn text(limit: &Limit) -> String {
    let said = [Some(format!("{}, {}", limit.found(), limit.rule())), limit.cost(), Some(PAPER.to_string())];
    said.iter().flatten().map(|line| wrapped(line, COLUMNS)).collect()
}

/// Jelenkovic and Budin: system, the switch of Tables II (real-time class), IV or V in microseconds, the events calculated from it, and
/// those achieved, which the conclusion says of one system; Figure 5 has no numbers in print.
pub const PUBLISHED: [(&str, [&str; 3]); 3] =
    [("Windows NT", ["18", "277", "250"]), ("Windows 98", ["45", "111", "-"]), ("Linux 2.2", ["32", "156", "-"])];

/// The same in a sentence.
const PAPER: &str = "the paper (Pentium 200 MMX): 277 calculated from Windows NT's 18 us, about 250 achieved; 111 from Windows 98's 45 us; \
     156 from Linux 2.2's 32 us";

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules =
        Rules { period_ns: 10_000_000, deadline_ns: 1_000_000, one_late_of: 100, threads: 10, few: 20 };

    fn limit(events: u64, switch: u64) -> Limit {
        let fails_at = Some(events + 1);
        Limit { rules: RULES, unit: Unit::Ns, events, fails_at, switch, thread_per_event: false, interrupted: false }
    }

    #[test]
    fn the_papers_calculation_and_the_hidden_cost() {
        let calculated = [1_000, 5_000, 12_500, 25_000, 18_000, 45_000, 32_000].map(|ns| limit(1, ns).calculated());
        assert_eq!(calculated, [5_000, 1_000, 400, 200, 277, 111, 156]);
        // Five microseconds more for each event.
        assert_eq!([1_428, 666, 333, 181].map(|events| RULES.period_ns / events), [7_002, 15_015, 30_030, 55_248]);
        assert_eq!(limit(1_428, 1_000).hidden(), 5_002);
        assert_eq!(limit(250, 18_000).hidden(), 4_000);
    }

    #[test]
    fn it_is_said_in_80_columns() {
        let said = text(&limit(250, 18_000));
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        assert!(
            said.contains("10 ms hold 250 events (251 do not)") && said.contains("an event costs 4.0 us"),
            "{said}"
        );
    }

    #[test]
    fn instructions_are_no_time() {
        let found = Limit { unit: Unit::Instructions, ..limit(5_100, 1_050) };
        let said = text(&found);
        let said = said.split_once("the paper").unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.starts_with("10,000,000 instructions hold 5,100 events (5,101 do not)"), "{said}");
        assert!(
            said.contains("later than 1,000,000 instructions") && said.contains("calculated from 1,050 instructions")
        );
        assert!(said.ends_with("beyond that an event costs -140 instructions"), "{said}");
        assert!(![" us", " ms", " ns"].iter().any(|unit| said.contains(unit)), "{said}");
        assert!(found.values().iter().all(|(name, _)| !name.ends_with("_ns")), "{:?}", found.values());
        assert!(found.values().contains(&("limit_switch_mean_instructions".to_string(), 1_050)));
    }

    #[test]
    fn a_search_without_an_answer_says_so_and_has_no_limit() {
        let none = Limit { events: 0, fails_at: Some(20), ..limit(1, 5_000) };
        assert!(text(&none).starts_with("10 ms do not hold even 20 events"), "{}", text(&none));
        assert!(!text(&none).contains("calculated from 5.0 us"));
        assert_eq!(none.values()[0], (EVENTS.to_string(), 0));
        let ended = Limit { fails_at: None, interrupted: true, ..none };
        assert!(text(&ended).starts_with("interrupted before the first trial") && ended.values().is_empty());
        let later = Limit { interrupted: true, ..limit(80, 5_000) };
        assert!(text(&later).starts_with("interrupted: 10 ms hold at least 80 events (81 do not)"), "{}", text(&later));
    }
}
