// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrivals from a recording, each with its work, and the most that any window of a given length contained.
//!
//! The curve is exact for the recording, but it does not bound what comes later. [`Confidence`] says how many windows it is based
//! on.
use serde::Serialize;

/// Effort of one evaluation, relative to that of a periodic arrival: a pass over the recording reads this many arrivals in the
/// same time.
const PER_STEP: usize = 8;
/// A window with at least this percentage of the densest one's work counts as nearly as dense.
const REACHES_PERCENT: u128 = 90;

/// One arrival of recorded work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Activation {
    /// Time of the arrival on the recording's clock, in nanoseconds.
    pub at_ns: u64,
    /// CPU time of the arrival's work.
    pub cost_ns: u64,
}

/// The arrivals of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    activations: Vec<Activation>,
    observed_ns: u64,
    total_ns: u64,
    largest_ns: u64,
}

/// How much evidence a curve has for windows of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Confidence {
    /// Length of the windows, in nanoseconds.
    pub window_ns: u64,
    /// Number of such windows in the recording, without overlap.
    pub windows: u64,
    /// How many of these windows contain at least 90 % of the densest window's work.
    pub reached: u64,
}

impl Confidence {
    /// With 95 % confidence at most one window in this many contains more work, if windows are independent and conditions do not
    /// change. This is the Clopper-Pearson limit for zero observations. 0 if there were too few windows.
    pub fn one_in(&self) -> u64 {
        let share = 1.0 - 0.05f64.powf(1.0 / self.windows.max(1) as f64);
        if self.windows < 2 { 0 } else { (1.0 / share) as u64 }
    }
}

impl Recorded {
    /// The arrivals of a source that was observed for `observed_ns`.
    pub fn new(mut activations: Vec<Activation>, observed_ns: u64) -> Self {
        activations.sort_unstable();
        let total_ns = activations.iter().fold(0, |sum: u64, one| sum.saturating_add(one.cost_ns));
        let largest_ns = activations.iter().map(|one| one.cost_ns).max().unwrap_or(0);
        let spanned = activations.first().zip(activations.last()).map_or(0, |(first, last)| last.at_ns - first.at_ns);
        Self { activations, observed_ns: observed_ns.max(spanned + 1), total_ns, largest_ns }
    }

    /// Number of arrivals.
    pub fn count(&self) -> u64 {
        self.activations.len() as u64
    }

    /// How long the source was observed.
    pub fn observed_ns(&self) -> u64 {
        self.observed_ns
    }

    /// CPU time of all arrivals.
    pub fn total_ns(&self) -> u64 {
        self.total_ns
    }

    /// The largest CPU time of one arrival.
    pub fn largest_ns(&self) -> u64 {
        self.largest_ns
    }

    /// Mean time between arrivals, at least 1.
    pub fn mean_distance_ns(&self) -> u64 {
        (self.observed_ns / self.count().max(1)).max(1)
    }

    /// Effort of one evaluation, in steps.
    pub fn steps(&self) -> usize {
        1 + self.activations.len() / PER_STEP
    }

    /// The most arrivals in any half-open window of this length.
    pub fn most(&self, window_ns: u64) -> u64 {
        self.densest(window_ns, self.count(), |_| 1)
    }

    /// The most CPU time that the arrivals in any half-open window of this length used.
    pub fn work_ns(&self, window_ns: u64) -> u64 {
        self.densest(window_ns, self.total_ns, |one| one.cost_ns)
    }

    /// The shortest time from an arrival to the one `later` after it; `u64::MAX` if there are fewer arrivals.
    pub fn least_ns(&self, later: u64) -> u64 {
        let ahead = self.activations.iter().skip(usize::try_from(later).unwrap_or(usize::MAX));
        let spans = self.activations.iter().zip(ahead).map(|(from, to)| to.at_ns - from.at_ns);
        spans.min().unwrap_or(u64::MAX)
    }

    /// The evidence of the curve for windows of this length.
    pub fn confidence(&self, window_ns: u64) -> Confidence {
        let window_ns = window_ns.max(1);
        let most = u128::from(self.work_ns(window_ns));
        let mut reached = 0;
        let (mut begin, mut held) = (0, 0u128);
        for (place, one) in self.activations.iter().enumerate() {
            held += u128::from(one.cost_ns);
            while one.at_ns - self.activations[begin].at_ns >= window_ns {
                held -= u128::from(self.activations[begin].cost_ns);
                begin += 1;
            }
            if held > 0 && held * 100 >= most * REACHES_PERCENT {
                reached += 1;
                (begin, held) = (place + 1, 0);
            }
        }
        Confidence { window_ns, windows: self.observed_ns / window_ns, reached }
    }

    /// A window longer than the recording counts as that many whole recordings plus the densest window of the rest.
    fn densest(&self, window_ns: u64, whole: u64, of: impl Fn(&Activation) -> u64) -> u64 {
        let times = window_ns / self.observed_ns.max(1);
        let rest = window_ns % self.observed_ns.max(1);
        let (mut begin, mut held, mut most) = (0, 0u64, 0u64);
        for one in self.activations.iter().filter(|_| rest > 0) {
            held = held.saturating_add(of(one));
            while one.at_ns - self.activations[begin].at_ns >= rest {
                held -= of(&self.activations[begin]);
                begin += 1;
            }
            most = most.max(held);
        }
        whole.saturating_mul(times).saturating_add(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(rows: &[(u64, u64)]) -> Recorded {
        Recorded::new(
            rows.iter().map(|(at_ns, cost_ns)| Activation { at_ns: *at_ns, cost_ns: *cost_ns }).collect(),
            100,
        )
    }

    #[test]
    fn a_curve_known_by_hand() {
        let seen = recorded(&[(10, 3), (12, 1), (30, 5), (31, 2), (32, 1), (90, 4)]);
        assert_eq!([0, 1, 2, 3, 20, 23, 100].map(|window| seen.most(window)), [0, 1, 2, 3, 3, 5, 6]);
        assert_eq!([0, 1, 2, 3, 21, 23, 100].map(|window| seen.work_ns(window)), [0, 5, 7, 8, 9, 12, 16]);
        assert_eq!([0, 1, 2, 3, 5, 6].map(|later| seen.least_ns(later)), [0, 1, 2, 20, 80, u64::MAX]);
        assert_eq!((seen.largest_ns(), seen.total_ns(), seen.mean_distance_ns()), (5, 16, 16));
        assert_eq!((seen.most(203), seen.work_ns(202)), (15, 39), "twice the whole, and the densest rest");
        let rests = seen.confidence(3);
        assert_eq!((rests.windows, rests.reached), (33, 1), "only the one at 30 has 8");
        assert_eq!(rests.one_in(), 11);
        assert_eq!(recorded(&[]).confidence(10), Confidence { window_ns: 10, windows: 10, reached: 0 });
    }

    #[test]
    fn every_window_of_random_arrivals_is_below_the_curve() {
        let mut random = backwall_stats::random::SplitMix(9);
        for count in [0, 1, 2, 7, 60] {
            let rows: Vec<(u64, u64)> = (0..count).map(|_| (random.below(100), random.below(9))).collect();
            let seen = recorded(&rows);
            for window in 1..100 {
                let from = |from: u64| rows.iter().filter(move |(at, _)| (from..from + window).contains(at));
                let counts = (0..100).map(|at| from(at).count() as u64).max().unwrap();
                let work = (0..100).map(|at| from(at).map(|(_, cost)| cost).sum::<u64>()).max().unwrap();
                assert_eq!((seen.most(window), seen.work_ns(window)), (counts, work), "{count} {window}");
            }
        }
    }
}
