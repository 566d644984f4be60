// SPDX-License-Identifier: MIT OR Apache-2.0
//! How steadily a load worked, from its reports: it makes one a second, each with the units done so far.
use crate::units::ClockRate;
use crate::wire::Progress;
use std::time::Duration;

/// Between two reports further apart than this a load was silent: a report may come late, but not by a second.
const SILENT_S: f64 = 2.0;
/// A load without progress for so long stood still: two whole seconds and what a late report takes.
pub const STILL: Duration = Duration::from_millis(2_500);

/// What the reports say together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Units in each whole second since the first report; a load that was over within a second has one rate.
    pub per_second: Vec<f64>,
    /// The longest time without progress.
    pub longest_still: Duration,
}

impl Pace {
    /// `lasted` is the time from the first report to the end of the phase: a load may be silent until then.
    pub fn of(rate: ClockRate, progress: &[Progress], lasted: Duration) -> Self {
        let Some(first) = progress.first() else {
            return Self { per_second: Vec::new(), longest_still: lasted };
        };
        let since = |report: &Progress| rate.ns_of(report.at.saturating_sub(first.at)) as f64 / 1e9;
        let reports: Vec<(f64, u64)> = progress.iter().map(|report| (since(report), report.done)).collect();
        let last = reports[reports.len() - 1].0;
        let end = if lasted.as_secs_f64() - last > SILENT_S { lasted.as_secs_f64() } else { last };
        let longest_still = Duration::from_secs_f64(longest_still(&reports, end));
        Self { per_second: per_second(&reports, end), longest_still }
    }
}

/// Even between two reports, but for a silence: its seconds count as 0, and what was done in it counts when it is told.
fn per_second(reports: &[(f64, u64)], end: f64) -> Vec<f64> {
    let whole = end.floor() as usize;
    if whole == 0 {
        let done = reports[reports.len() - 1].1.saturating_sub(reports[0].1) as f64;
        return if end > 0.0 { vec![done / end] } else { Vec::new() };
    }
    let mut pairs = reports.windows(2).peekable();
    let mut done_at = |second: f64| {
        while pairs.next_if(|pair| pair[1].0 < second).is_some() {}
        pairs.peek().map_or(reports[reports.len() - 1].1 as f64, |pair| between(pair[0], pair[1], second))
    };
    let marks: Vec<f64> = (0..=whole).map(|second| done_at(second as f64)).collect();
    marks.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)).collect()
}

/// The units done at a moment between two reports.
fn between((from, before): (f64, u64), (to, after): (f64, u64), moment: f64) -> f64 {
    let share = match to - from {
        gap if gap > SILENT_S => f64::from(moment >= to),
        gap if gap > 0.0 => ((moment - from) / gap).clamp(0.0, 1.0),
        _ => 1.0,
    };
    before as f64 + share * after.saturating_sub(before) as f64
}

fn longest_still(reports: &[(f64, u64)], end: f64) -> f64 {
    let (mut longest, mut since, mut known) = (0.0f64, 0.0, reports[0].1);
    for (at, done) in reports {
        if *done > known {
            longest = longest.max(at - since);
            (since, known) = (*at, *done);
        }
    }
    longest.max(end - since)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reports in milliseconds.
    fn pace(reports: &[(u64, u64)], lasted_ms: u64) -> (Vec<f64>, u64) {
        let progress: Vec<Progress> =
            reports.iter().map(|(at, done)| Progress { load: 0, at: *at, done: *done }).collect();
        let pace = Pace::of(ClockRate::new(1_000).unwrap(), &progress, Duration::from_millis(lasted_ms));
        (pace.per_second, pace.longest_still.as_millis() as u64)
    }

    #[test]
    fn a_rate_is_what_was_done_in_each_whole_second() {
        assert_eq!(pace(&[(5_000, 10), (6_000, 30), (8_000, 30)], 3_000), (vec![20.0, 0.0, 0.0], 2_000));
        assert_eq!(pace(&[(0, 0), (500, 10), (1_500, 30), (1_900, 99)], 1_900), (vec![20.0], 1_000));
        assert_eq!(pace(&[(0, 0), (250, 10)], 250), (vec![40.0], 250));
        assert_eq!(pace(&[(5_000, 10), (5_000, 30)], 0).0, Vec::<f64>::new());
        assert_eq!(pace(&[(1, 1)], 0), (vec![], 0));
        assert_eq!(pace(&[], 700), (vec![], 700));
    }

    #[test]
    fn silent_seconds_count_as_0_in_the_middle_and_at_the_end() {
        assert_eq!(
            pace(&[(0, 0), (1_000, 10), (4_400, 12), (5_000, 22)], 5_000),
            (vec![10.0, 0.0, 0.0, 0.0, 12.0], 3_400)
        );
        assert_eq!(pace(&[(0, 0), (1_000, 10)], 4_500), (vec![10.0, 0.0, 0.0, 0.0], 3_500));
    }

    #[test]
    fn a_report_that_is_late_is_no_silence() {
        let (rates, still) = pace(&[(0, 0), (1_000, 10), (2_900, 29), (3_000, 30)], 3_000);
        assert!(rates.iter().all(|rate| (rate - 10.0).abs() < 1e-9), "{rates:?}");
        assert!(Duration::from_millis(still) < STILL);
    }

    proptest! {
        #[test]
        fn nothing_done_is_lost_or_invented(
            gaps in prop::collection::vec((1u64..6_000, 0u64..1_000), 1..20), tail in 0u64..6_000,
        ) {
            let (mut at, mut done) = (0, 0);
            let mut reports = vec![(0, 0)];
            for (gap, units) in gaps {
                (at, done) = (at + gap, done + units);
                reports.push((at, done));
            }
            let (rates, still) = pace(&reports, at + tail);
            let sum: f64 = rates.iter().sum();
            prop_assert!(at < 1_000 || sum <= done as f64 + 1e-6, "{sum} of {done}");
            prop_assert!(rates.iter().all(|rate| *rate >= 0.0));
            prop_assert!(still <= at + tail);
            let second = |from: usize| (from as u64 * 1_000, from as u64 * 1_000 + 1_000);
            for (index, rate) in rates.iter().enumerate() {
                let (from, to) = second(index);
                let silent = reports.windows(2).any(|pair| pair[1].0 - pair[0].0 > 2_000 && pair[0].0 <= from && to < pair[1].0);
                prop_assert!(at < 1_000 || !silent || *rate == 0.0, "second {index} is silent and has {rate}");
            }
        }
    }
}
