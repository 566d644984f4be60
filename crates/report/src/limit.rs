// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events in 10 ms: measured and calculated, next to the paper's.
use super::wrap::wrapped;
use backwall_model::Spread;
use backwall_model::units::{Unit, grouped, tenths};
use backwall_tasks::limit::{Limit, Rules};
use backwall_tasks::published::{self, FIGURE_4, MACHINE};

struct Words<'a>(&'a Limit);

impl Words<'_> {
    fn found(&self) -> String {
        let period = self.long(self.0.rules.period_ns);
        let fails = |events| format!("{} are too many", grouped(events));
        match (self.0.events, self.0.fails_at) {
            (0, None) => "interrupted before the first trial was done".to_string(),
            (0, Some(few)) => format!("even {} events per {period} are too many", grouped(few)),
            (events, fails_at) => {
                let fails = fails_at.map_or("more were not tried".to_string(), fails);
                let early = if self.0.interrupted { "interrupted: " } else { "" };
                let least = if self.0.interrupted { "at least " } else { "" };
                format!("{early}{least}{} events per {period} ({fails})", grouped(events))
            }
        }
    }

    fn rule(&self) -> String {
        let Rules { deadline_ns, one_late_of, threads, computation_ns, .. } = self.0.rules;
        let how = if self.0.thread_per_event {
            "a thread created for each event".to_string()
        } else {
            format!("{threads} threads woken in turn")
        };
        format!(
            "{how} by a generator; each event computes for {}; at most 1 of {one_late_of} events may be later than {}",
            self.short(computation_ns as i64),
            self.long(deadline_ns)
        )
    }

    fn spread(&self) -> Option<String> {
        let Spread { searches, least, most } = self.0.spread?;
        Some(format!(
            "{searches} searches found {} to {} events; the table shows the median",
            grouped(least),
            grouped(most)
        ))
    }

    fn cost(&self) -> Option<String> {
        self.0.hidden().map(|hidden| {
            format!(
                "calculated from two switches of {} and the computing time of each event: {} events; the rest of an event's \
                cost is {}",
                self.short(self.0.switch as i64),
                grouped(self.0.calculated()),
                self.short(hidden)
            )
        })
    }

    fn long(&self, ns: u64) -> String {
        long(ns, self.0.unit)
    }

    fn short(&self, value: i64) -> String {
        match self.0.unit {
            Unit::Ns => format!("{} us", tenths(value as f64 / 1e3)),
            Unit::Instructions => {
                let sign = if value < 0 { "-" } else { "" };
                format!("{sign}{} instructions", grouped(value.unsigned_abs()))
            }
        }
    }
}

pub fn long(ns: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => format!("{} ms", ns / 1_000_000),
        Unit::Instructions => format!("{} instructions", grouped(ns)),
    }
}

pub fn text(limit: &Limit, columns: usize) -> String {
    let words = Words(limit);
    let said = [Some(format!("{}, {}", words.found(), words.rule())), words.spread(), words.cost(), Some(paper())];
    said.iter().flatten().map(|line| wrapped(line, columns)).collect()
}

/// A system of Jelenkovic and Budin's Figure 5, which has no printed numbers.
pub struct PublishedLimit {
    pub system: &'static str,
    /// The mean switch to a real-time thread with one series, in microseconds, as printed in Tables II, IV and V.
    pub switch_us: u64,
    pub found: Option<u64>,
}

pub const PUBLISHED: [PublishedLimit; 3] = [
    PublishedLimit { system: FIGURE_4[0].0, switch_us: FIGURE_4[0].2, found: Some(published::FOUND_IN_A_PERIOD) },
    PublishedLimit { system: FIGURE_4[1].0, switch_us: FIGURE_4[1].2, found: None },
    PublishedLimit { system: FIGURE_4[2].0, switch_us: FIGURE_4[2].2, found: None },
];

const PERIOD_US: u64 = 10_000;

impl PublishedLimit {
    /// The number of events by the paper's rule: the period divided by two switches. We calculate it from the printed switch
    /// time.
    pub fn calculated(&self) -> u64 {
        PERIOD_US / (2 * self.switch_us)
    }

    /// What an event costs beyond its two switches, in microseconds, if the search gave a result.
    pub fn hidden(&self) -> Option<f64> {
        self.found.map(|events| PERIOD_US as f64 / events as f64 - 2.0 * self.switch_us as f64)
    }
}

fn paper() -> String {
    let of = |one: &PublishedLimit| {
        let found = one.found.map_or(String::new(), |events| format!(", about {events} found"));
        format!("{}: {} events from {} us{found}", one.system, one.calculated(), one.switch_us)
    };
    format!(
        "the paper's rule with the paper's own mean switch times ({MACHINE}): {}",
        PUBLISHED.iter().map(of).collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::EventLimit;
    use backwall_tasks::limit::middle;

    const RULES: Rules = Rules {
        period_ns: 10_000_000,
        deadline_ns: 1_000_000,
        one_late_of: 100,
        computation_ns: 0,
        threads: 10,
        few: 20,
    };

    fn limit(events: u64, switch: u64) -> Limit {
        let fails_at = Some(events + 1);
        let (unit, spread) = (Unit::Ns, None);
        Limit { rules: RULES, unit, events, fails_at, switch, thread_per_event: false, spread, interrupted: false }
    }

    #[test]
    fn the_papers_calculation_and_the_hidden_cost() {
        let calculated = [1_000, 5_000, 12_500, 25_000].map(|ns| limit(1, ns).calculated());
        assert_eq!(calculated, [5_000, 1_000, 400, 200]);
        assert_eq!(PUBLISHED.map(|one| (one.switch_us, one.calculated())), [(18, 277), (50, 100), (33, 151)]);
        assert_eq!(PUBLISHED.map(|one| one.hidden()), [Some(4.0), None, None]);
        // Five microseconds more for each event.
        assert_eq!([1_428, 666, 333, 181].map(|events| RULES.period_ns / events), [7_002, 15_015, 30_030, 55_248]);
        assert_eq!(limit(1_428, 1_000).hidden(), Some(5_002));
        assert_eq!(limit(250, 18_000).hidden(), Some(4_000));
    }

    // An event of 30 us and two switches of 5 us each takes 40 us: 250 of them fill 10 ms, and nothing is hidden.
    #[test]
    fn what_an_event_computes_is_in_the_calculation_and_not_hidden() {
        let rules = Rules { computation_ns: 30_000, ..RULES };
        let found = Limit { rules, ..limit(250, 5_000) };
        assert_eq!((found.calculated(), found.hidden()), (250, Some(0)));
        assert!(text(&found, 80).contains("each event computes for 30.0 us"), "{}", text(&found, 80));
        let older = EventLimit { computation: None, ..found.kept().unwrap() };
        assert_eq!(older.hidden(), Some(30_000), "an older run counted it as hidden");
    }

    #[test]
    fn of_several_searches_the_middle_one_stands_for_all() {
        assert_eq!([&[3][..], &[5, 1], &[9, 1, 5], &[4, 4, 9, 1]].map(middle), [Some(0), Some(1), Some(2), Some(0)]);
        assert_eq!((middle(&[]), Spread::of(&[7])), (None, None));
        let found = Limit { spread: Spread::of(&[250, 1_240, 260]), ..limit(260, 18_000) };
        assert!(text(&found, 80).contains("3 searches found 250 to 1,240 events"), "{}", text(&found, 80));
        assert_eq!(found.kept().unwrap().spread.unwrap().most, 1_240);
    }

    #[test]
    fn a_line_is_as_long_as_the_terminal_is_wide_at_most() {
        let longest = |columns| text(&limit(250, 18_000), columns).lines().map(|line| line.chars().count()).max();
        assert!(longest(60) <= Some(60) && longest(160) > Some(80) && longest(160) <= Some(160));
    }

    #[test]
    fn it_is_said_in_80_columns() {
        let said = text(&limit(250, 18_000), 80);
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        assert!(
            said.contains("250 events per 10 ms (251 are too many)") && said.contains("event's cost is 4.0 us"),
            "{said}"
        );
    }

    #[test]
    fn instructions_are_no_time() {
        let found = Limit { unit: Unit::Instructions, ..limit(5_100, 1_050) };
        let said = text(&found, 80);
        let said = said.split_once("the paper").unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.starts_with("5,100 events per 10,000,000 instructions (5,101 are too many)"), "{said}");
        assert!(
            said.contains("later than 1,000,000 instructions")
                && said.contains("calculated from two switches of 1,050 instructions")
        );
        assert!(said.ends_with("the rest of an event's cost is -140 instructions"), "{said}");
        assert!(![" us", " ms", " ns"].iter().any(|unit| said.contains(unit)), "{said}");
        let kept = found.kept().unwrap();
        assert_eq!((kept.unit, kept.switch), (Unit::Instructions, 1_050));
    }

    #[test]
    fn a_search_without_an_answer_says_so_and_has_no_limit() {
        let none = Limit { events: 0, fails_at: Some(20), ..limit(1, 5_000) };
        assert!(text(&none, 80).starts_with("even 20 events per 10 ms are too many"), "{}", text(&none, 80));
        assert!(!text(&none, 80).contains("calculated from two switches of 5.0 us"));
        assert_eq!(none.kept().unwrap().events, 0);
        let ended = Limit { fails_at: None, interrupted: true, ..none };
        assert!(text(&ended, 80).starts_with("interrupted before the first trial") && ended.kept().is_none());
        let later = Limit { interrupted: true, ..limit(80, 5_000) };
        assert!(
            text(&later, 80).starts_with("interrupted: at least 80 events per 10 ms (81 are too many)"),
            "{}",
            text(&later, 80)
        );
    }
}
