// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in 10 ms: as found and as calculated, beside the paper's.
use super::wrap::wrapped;
use crate::units::{grouped, tenths};

const COLUMNS: usize = 80;
const PERIOD_NS: u64 = 10_000_000;

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most events in 10 ms that held.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    pub fails_at: Option<u64>,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch_ns: u64,
    /// Whether each event had a thread of its own.
    pub thread_per_event: bool,
}

impl Limit {
    /// The paper's calculation: the period over two switches, one to the event's thread and one back.
    pub fn calculated(&self) -> u64 {
        PERIOD_NS / (2 * self.switch_ns).max(1)
    }

    /// What an event costs beyond two switches; below 0 where a switch costs less when the processor is busy.
    pub fn hidden_ns(&self) -> i64 {
        (PERIOD_NS / self.events.max(1)) as i64 - 2 * self.switch_ns as i64
    }

    /// For the run.
    pub fn values(&self) -> Vec<(String, u64)> {
        let named = |name: &str, value| (name.to_string(), value);
        let mut values = vec![
            named("limit_10ms_events", self.events),
            named("limit_calculated_10ms_events", self.calculated()),
            named("limit_switch_mean_ns", self.switch_ns),
        ];
        values.extend(self.fails_at.map(|events| named("limit_fails_10ms_events", events)));
        values
    }
}

/// Three sentences.
pub fn text(limit: &Limit) -> String {
    let us = |ns: i64| format!("{} us", tenths(ns as f64 / 1e3));
    let fails = limit.fails_at.map_or("no more were tried".to_string(), |events| format!("{} do not", grouped(events)));
    let how = if limit.thread_per_event { "a thread created for each" } else { "ten threads woken in turn" };
    let said = [
        format!(
            "10 ms hold {} events ({fails}), {how} by a generator: no more than 1 of 100 later than 1 ms",
            grouped(limit.events)
        ),
        format!(
            "calculated from {} to the event's thread and as much back: {}; beyond that an event costs {}",
            us(limit.switch_ns as i64),
            grouped(limit.calculated()),
            us(limit.hidden_ns())
        ),
        PAPER.to_string(),
    ];
    said.iter().map(|line| wrapped(line, COLUMNS)).collect()
}

/// Jelenkovic and Budin, Table II (real-time class), Tables IV and V, and the conclusion; its Figure 5 has no numbers in print.
const PAPER: &str = "the paper (Pentium 200 MMX): 277 calculated from Windows NT's 18 us, about 250 achieved; 111 from Windows 98's 45 us; \
     156 from Linux 2.2's 32 us";

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(events: u64, switch_ns: u64) -> Limit {
        Limit { events, fails_at: Some(events + 1), switch_ns, thread_per_event: false }
    }

    #[test]
    fn the_papers_calculation_and_the_hidden_cost() {
        let calculated = [1_000, 5_000, 12_500, 25_000, 18_000, 45_000, 32_000].map(|ns| limit(1, ns).calculated());
        assert_eq!(calculated, [5_000, 1_000, 400, 200, 277, 111, 156]);
        // Five microseconds more for each event.
        assert_eq!([1_428, 666, 333, 181].map(|events| PERIOD_NS / events), [7_002, 15_015, 30_030, 55_248]);
        assert_eq!(limit(1_428, 1_000).hidden_ns(), 5_002);
        assert_eq!(limit(250, 18_000).hidden_ns(), 4_000);
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
}
