// SPDX-License-Identifier: MIT OR Apache-2.0
//! How steadily a load works. A load reports once a second how many units it has done so far.
use backwall_model::units::ClockRate;
use backwall_wire::Progress;
use std::time::Duration;

/// A longer gap between two reports counts as silence. A report may be late, but not by a whole second.
const SILENT_S: f64 = 2.0;
/// A load without progress for this long counts as stalled: two whole seconds plus the delay of a report.
pub const STILL: Duration = Duration::from_millis(2_500);

#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Units per second since the first report; each entry averages [`Pace::each_s`] seconds. A load that ran for less than a
    /// second has one rate.
    pub per_second: Vec<f64>,
    /// Number of seconds that each rate averages.
    pub each_s: u64,
    pub longest_still: Duration,
}

/// Maximum number of stored rates. Beyond it, pairs of rates are averaged, so that memory stays bounded.
const MOST_RATES: usize = 8_192;

#[derive(Clone, Debug)]
pub struct Pacing {
    rate: ClockRate,
    origin: u64,
    /// The first and the latest report: seconds since the first report, and units done.
    first: (f64, u64),
    latest: (f64, u64),
    mark: f64,
    seconds: u64,
    rates: Rates,
    /// The longest time without progress, and when progress was last seen.
    still: f64,
    moved: f64,
}

impl Pacing {
    pub fn begin(rate: ClockRate, report: &Progress) -> Self {
        let first = (0.0, report.done);
        let (origin, mark, rates) = (report.at, report.done as f64, Rates::default());
        Self { rate, origin, first, latest: first, mark, seconds: 0, rates, still: 0.0, moved: 0.0 }
    }

    pub fn report(&mut self, report: &Progress) {
        let at = self.rate.ns_of(report.at.saturating_sub(self.origin)) as f64 / 1e9;
        let next = (at, report.done);
        while (self.seconds + 1) as f64 <= at {
            self.seconds += 1;
            let mark = between(self.latest, next, self.seconds as f64);
            self.rates.push((mark - self.mark).max(0.0));
            self.mark = mark;
        }
        if report.done > self.latest.1 {
            self.still = self.still.max(at - self.moved);
            self.moved = at;
        }
        self.latest = (at, report.done.max(self.latest.1));
    }

    pub fn done(&self) -> u64 {
        self.latest.1
    }

    /// The pace so far. `lasted` is the time since the first report. The last part of this time may have no reports.
    pub fn pace(&self, lasted: Duration) -> Pace {
        let silent = lasted.as_secs_f64() - self.latest.0 > SILENT_S;
        let end = if silent { lasted.as_secs_f64() } else { self.latest.0 };
        let mut rates = self.rates.clone();
        if silent && end.floor() as u64 > self.seconds {
            // Units done since the last whole second are counted in the first second of silence.
            rates.push((self.latest.1 as f64 - self.mark).max(0.0));
            (self.seconds + 1..end.floor() as u64).for_each(|_| rates.push(0.0));
        }
        if end.floor() as u64 == 0 && end > 0.0 {
            rates.push((self.latest.1 - self.first.1) as f64 / end);
        }
        let longest_still = Duration::from_secs_f64(self.still.max(end - self.moved));
        Pace { per_second: rates.values, each_s: rates.each_s, longest_still }
    }
}

#[derive(Clone, Debug)]
struct Rates {
    values: Vec<f64>,
    each_s: u64,
    open: (f64, u64),
}

impl Default for Rates {
    fn default() -> Self {
        Self { values: Vec::new(), each_s: 1, open: (0.0, 0) }
    }
}

impl Rates {
    fn push(&mut self, rate: f64) {
        self.open = (self.open.0 + rate, self.open.1 + 1);
        if self.open.1 < self.each_s {
            return;
        }
        self.values.push(self.open.0 / self.each_s as f64);
        self.open = (0.0, 0);
        if self.values.len() == MOST_RATES {
            self.values = self.values.chunks_exact(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
            self.each_s *= 2;
        }
    }
}

/// Units done at `moment` between two reports, by interpolation. After a silence all units count at the second report.
fn between((from, before): (f64, u64), (to, after): (f64, u64), moment: f64) -> f64 {
    let share = match to - from {
        gap if gap > SILENT_S => f64::from(moment >= to),
        gap if gap > 0.0 => ((moment - from) / gap).clamp(0.0, 1.0),
        _ => 1.0,
    };
    before as f64 + share * after.saturating_sub(before) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Reports in milliseconds.
    fn pace(reports: &[(u64, u64)], lasted_ms: u64) -> (Vec<f64>, u64) {
        let progress: Vec<Progress> =
            reports.iter().map(|(at, done)| Progress { load: 0, at: *at, done: *done }).collect();
        let mut pacing = Pacing::begin(ClockRate::new(1_000).unwrap(), &progress[0]);
        progress[1..].iter().for_each(|report| pacing.report(report));
        let pace = pacing.pace(Duration::from_millis(lasted_ms));
        (pace.per_second, pace.longest_still.as_millis() as u64)
    }

    #[test]
    fn a_rate_is_what_was_done_in_each_whole_second() {
        assert_eq!(pace(&[(5_000, 10), (6_000, 30), (8_000, 30)], 3_000), (vec![20.0, 0.0, 0.0], 2_000));
        assert_eq!(pace(&[(0, 0), (500, 10), (1_500, 30), (1_900, 99)], 1_900), (vec![20.0], 1_000));
        assert_eq!(pace(&[(0, 0), (250, 10)], 250), (vec![40.0], 250));
        assert_eq!(pace(&[(5_000, 10), (5_000, 30)], 0).0, Vec::<f64>::new());
        assert_eq!(pace(&[(1, 1)], 0), (vec![], 0));
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

    #[test]
    fn a_week_of_reports_is_bounded_and_nothing_is_lost() {
        let mut pacing = Pacing::begin(ClockRate::new(1).unwrap(), &Progress { load: 0, at: 0, done: 0 });
        (1..=604_800).for_each(|second| pacing.report(&Progress { load: 0, at: second, done: second * 3 }));
        let pace = pacing.pace(Duration::from_secs(604_800));
        assert!(pace.per_second.len() < MOST_RATES && pace.per_second.iter().all(|rate| *rate == 3.0));
        assert_eq!((pace.each_s, pace.per_second.len()), (128, 604_800 / 128));
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
