// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often work arrives: the most arrivals in any window, and how soon the next ones can follow.
use super::poisson;
use super::recorded::Recorded;
use std::sync::Arc;

/// For up to this many arrivals ahead, the shortest time is stored. For more, it is combined from these.
const PLACES: usize = 16;

/// A bound on arrivals. All times in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// Nominal releases at least a period apart. Each arrival follows its nominal release within the jitter, and two arrivals are
    /// at least `distance_ns` apart. (The model of Tindell 1994; with the distance, of Richter 2005.)
    Periodic {
        /// Shortest time between nominal releases, above 0.
        period_ns: u64,
        /// Longest time from a nominal release to its arrival.
        jitter_ns: u64,
        /// Shortest time between arrivals; 0 if only period and jitter limit them.
        distance_ns: u64,
    },
    /// Memoryless arrivals. Any number of them can occur in a window, so the analysis uses a number that is exceeded with a given
    /// probability.
    Poisson {
        /// Mean time between arrivals, above 0.
        mean_ns: u64,
        /// Longest time from a nominal release to its arrival.
        jitter_ns: u64,
        /// Probability that a window has more arrivals than assumed.
        exceeded: f64,
    },
    /// Known release times. The bound holds for these releases, and for no others.
    Known {
        /// Mean time between arrivals in the long run, above 0.
        mean_ns: u64,
        /// Longest time from a nominal release to its arrival.
        jitter_ns: u64,
        /// At index i: the shortest time to the arrival i + 1 ahead; `u64::MAX` if there is none.
        least_ns: [u64; PLACES],
    },
    /// Arrivals from a recording. Arrivals after the recording may be closer together.
    Recorded {
        /// Longest time from a nominal release to its arrival.
        jitter_ns: u64,
        /// The arrivals and the work of each.
        seen: Arc<Recorded>,
    },
}

impl Arrival {
    /// Exactly periodic, or at least a period apart.
    pub fn periodic(period_ns: u64) -> Self {
        Self::Periodic { period_ns, jitter_ns: 0, distance_ns: 0 }
    }

    /// The arrivals at these instants, which must be in order.
    pub fn known(instants_ns: &[u64], mean_ns: u64, jitter_ns: u64) -> Self {
        let least = |behind: usize| {
            let pairs = instants_ns.iter().zip(instants_ns.iter().skip(behind));
            pairs.map(|(from, to)| to.saturating_sub(*from)).min().unwrap_or(u64::MAX)
        };
        Self::Known { mean_ns, jitter_ns, least_ns: std::array::from_fn(|place| least(place + 1)) }
    }

    /// The same arrivals with `more_ns` of additional jitter.
    pub fn with_jitter(self, more_ns: u64) -> Self {
        match self {
            Self::Periodic { period_ns, jitter_ns, distance_ns } => {
                Self::Periodic { period_ns, jitter_ns: jitter_ns.saturating_add(more_ns), distance_ns }
            }
            Self::Poisson { mean_ns, jitter_ns, exceeded } => {
                Self::Poisson { mean_ns, jitter_ns: jitter_ns.saturating_add(more_ns), exceeded }
            }
            Self::Known { mean_ns, jitter_ns, least_ns } => {
                Self::Known { mean_ns, jitter_ns: jitter_ns.saturating_add(more_ns), least_ns }
            }
            Self::Recorded { jitter_ns, seen } => Self::Recorded { jitter_ns: jitter_ns.saturating_add(more_ns), seen },
        }
    }

    /// Mean time between arrivals in the long run.
    pub fn distance_ns(&self) -> u64 {
        match *self {
            Self::Periodic { period_ns, .. } => period_ns,
            Self::Poisson { mean_ns, .. } | Self::Known { mean_ns, .. } => mean_ns,
            Self::Recorded { ref seen, .. } => seen.mean_distance_ns(),
        }
    }

    /// Longest time from a nominal release to its arrival.
    pub fn jitter_ns(&self) -> u64 {
        match *self {
            Self::Periodic { jitter_ns, .. }
            | Self::Poisson { jitter_ns, .. }
            | Self::Known { jitter_ns, .. }
            | Self::Recorded { jitter_ns, .. } => jitter_ns,
        }
    }

    /// The most arrivals in any half-open window of this length.
    pub fn most(&self, window_ns: u64) -> u64 {
        if window_ns == 0 {
            return 0;
        }
        match *self {
            Self::Periodic { period_ns, jitter_ns, distance_ns } => {
                let nominal = window_ns.saturating_add(jitter_ns).div_ceil(period_ns);
                if distance_ns == 0 { nominal } else { nominal.min(window_ns.div_ceil(distance_ns)) }
            }
            Self::Poisson { mean_ns, jitter_ns, exceeded } => {
                poisson::most(window_ns.saturating_add(jitter_ns) as f64 / mean_ns as f64, exceeded).max(1)
            }
            Self::Known { jitter_ns, ref least_ns, .. } => {
                known_behind(least_ns, window_ns.saturating_add(jitter_ns) - 1).saturating_add(1)
            }
            Self::Recorded { jitter_ns, ref seen } => seen.most(window_ns.saturating_add(jitter_ns)),
        }
    }

    /// Effort, in steps, of one call of [`Arrival::most`]. A Poisson series sums up to hundreds of probabilities.
    pub fn steps(&self) -> usize {
        match self {
            Self::Periodic { .. } => 1,
            Self::Poisson { .. } => 256,
            Self::Known { .. } => 2,
            Self::Recorded { seen, .. } => seen.steps(),
        }
    }

    /// Effort, in steps, to find the times of the job that comes `later` jobs after the first. A Poisson series bisects
    /// over growing sums, until it uses a bound instead.
    pub fn instant_steps(&self, later: u64) -> usize {
        match self {
            Self::Periodic { .. } | Self::Known { .. } => 0,
            Self::Recorded { seen, .. } => 2 * seen.steps(),
            Self::Poisson { .. } => 160 * (20 + later.min(600) as usize),
        }
    }

    /// The shortest time from an arrival to the one that comes `later` arrivals after it.
    pub fn earliest_ns(&self, later: u64) -> u64 {
        match *self {
            Self::Periodic { period_ns, jitter_ns, distance_ns } => {
                let nominal = later.saturating_mul(period_ns).saturating_sub(jitter_ns);
                nominal.max(later.saturating_mul(distance_ns))
            }
            Self::Poisson { .. } if later == 0 => 0,
            Self::Poisson { mean_ns, .. } => self.shortest_holding(later + 1, mean_ns),
            Self::Known { jitter_ns, ref least_ns, .. } => known_least_ns(least_ns, later).saturating_sub(jitter_ns),
            Self::Recorded { jitter_ns, ref seen } => seen.least_ns(later).saturating_sub(jitter_ns),
        }
    }

    /// Time from the first arrival to the nominal release that comes `later` releases after the first one. The first arrival
    /// comes as late as possible.
    pub fn nominal_ns(&self, later: u64) -> i128 {
        match *self {
            Self::Periodic { period_ns, jitter_ns, .. } => {
                i128::from(later) * i128::from(period_ns) - i128::from(jitter_ns)
            }
            Self::Poisson { jitter_ns, .. } => i128::from(self.earliest_ns(later)) - i128::from(jitter_ns),
            Self::Known { jitter_ns, ref least_ns, .. } => {
                i128::from(known_least_ns(least_ns, later)) - i128::from(jitter_ns)
            }
            Self::Recorded { jitter_ns, ref seen } => i128::from(seen.least_ns(later)) - i128::from(jitter_ns),
        }
    }

    /// One less than the shortest window that can contain this many arrivals.
    fn shortest_holding(&self, count: u64, mean_ns: u64) -> u64 {
        let (mut below, mut above) = (0, mean_ns);
        while above < u64::MAX && self.most(above) < count {
            below = above;
            above = above.saturating_mul(2);
        }
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if self.most(middle) < count { below = middle } else { above = middle }
        }
        above - 1
    }
}

/// The shortest time from an arrival to the one `behind` arrivals later, combined from whole blocks of [`PLACES`] and a
/// rest.
fn known_least_ns(least_ns: &[u64; PLACES], behind: u64) -> u64 {
    let places = PLACES as u64;
    let rest = match behind % places {
        0 => 0,
        rest => least_ns[rest as usize - 1],
    };
    least_ns[PLACES - 1].saturating_mul(behind / places).saturating_add(rest)
}

fn known_behind(least_ns: &[u64; PLACES], within_ns: u64) -> u64 {
    let whole_ns = least_ns[PLACES - 1];
    let Some(whole) = within_ns.checked_div(whole_ns) else { return u64::MAX };
    let left_ns = within_ns - whole * whole_ns;
    let rest = least_ns.partition_point(|least| *least <= left_ns) as u64;
    whole.saturating_mul(PLACES as u64).saturating_add(rest.min(PLACES as u64 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_what_its_start_and_the_jitter_let_in() {
        let arrival = Arrival::periodic(10);
        assert_eq!([0, 1, 10, 11, 20, 21].map(|window| arrival.most(window)), [0, 1, 1, 2, 2, 3]);
        let late = arrival.with_jitter(25);
        assert_eq!([1, 5, 6, 15, 16].map(|window| late.most(window)), [3, 3, 4, 4, 5]);
        assert_eq!([0, 1, 2, 3].map(|later| late.earliest_ns(later)), [0, 0, 0, 5]);
        assert_eq!([0, 1, 3].map(|later| late.nominal_ns(later)), [-25, -15, 5]);
    }

    #[test]
    fn a_distance_keeps_a_burst_apart() {
        let burst = Arrival::Periodic { period_ns: 15, jitter_ns: 18, distance_ns: 1 };
        assert_eq!([1, 2, 3, 13].map(|window| burst.most(window)), [1, 2, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|later| burst.earliest_ns(later)), [0, 1, 12, 27]);
    }

    // Checks against brute force: windows of every length that begin at every instant.
    #[test]
    fn known_instants_are_bounded_by_the_densest_window_among_them() {
        let mut random = backwall_stats::random::SplitMix(5);
        for count in [1, 2, 5, 17, 18, 60] {
            let mut instants: Vec<u64> = (0..count).map(|_| random.below(1_000)).collect();
            instants.sort_unstable();
            let arrival = Arrival::known(&instants, 1_000, 0);
            for window in 1..1_100 {
                let held = |from: &u64| instants.iter().filter(|at| (*from..*from + window).contains(at)).count();
                let densest = instants.iter().map(held).max().unwrap() as u64;
                assert!(arrival.most(window) >= densest, "{count} {window}");
                if densest <= PLACES as u64 {
                    assert_eq!(arrival.most(window), densest, "{count} {window}");
                }
            }
            for behind in 1..count as usize {
                let nearest = instants.windows(behind + 1).map(|some| some[behind] - some[0]).min().unwrap();
                assert!(arrival.earliest_ns(behind as u64) <= nearest, "{count} {behind}");
            }
            assert!(count > 16 || arrival.earliest_ns(count) == u64::MAX, "there are not so many");
            let late = arrival.clone().with_jitter(30);
            assert_eq!([1, 40].map(|window| late.most(window)), [31, 70].map(|window| arrival.most(window)));
        }
        assert_eq!(Arrival::known(&[5; 40], 1, 0).most(1), u64::MAX, "more at once than are kept");
    }

    #[test]
    fn what_arrives_earliest_is_what_a_window_can_hold() {
        let kinds = [
            Arrival::periodic(7),
            Arrival::Periodic { period_ns: 7, jitter_ns: 30, distance_ns: 2 },
            Arrival::Poisson { mean_ns: 50, jitter_ns: 0, exceeded: 1e-6 },
            Arrival::Poisson { mean_ns: 50, jitter_ns: 30, exceeded: 1e-6 },
            Arrival::known(&[0, 1, 5, 30, 31, 32, 60, 61, 80, 82, 90, 95, 99, 120, 130, 150, 151, 152, 190], 10, 0),
        ];
        for arrival in kinds {
            for later in 1..40 {
                let earliest = arrival.earliest_ns(later);
                assert!(arrival.most(earliest + 1) > later, "{arrival:?} {later}");
                assert!(arrival.most(earliest) <= later, "{arrival:?} {later}");
            }
        }
    }
}
