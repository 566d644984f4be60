// SPDX-License-Identifier: MIT OR Apache-2.0
//! Forecasts the maximum of a longer run, or says why that is not possible.
//!
//! Two methods of extreme-value statistics each give an interval: maxima of equal blocks, and independent peaks over a threshold.
//! If they agree, the forecast is the interval that contains both. It is a prediction for the same conditions, never a bound: an
//! event that did not occur during the run is not in it. A run is refused if its largest samples violate the assumptions of the
//! methods. `docs/evidence/forecast.md` says how often the interval contains the true maximum.
//!
//! A series passes through these modules in order:
//!
//! - [`record`]: its largest samples in order
//! - [`clusters`]: one peak for each cluster of them
//! - [`steady`], [`periodic`]: whether the peaks come at a constant rate and size, without a period
//! - [`peaks`], [`blocks`], [`goodness`]: the laws of both methods, and whether the peaks follow theirs
//! - [`ahead`]: the distribution of the maximum of a longer run; [`posterior`] and [`simplex`] compute it
//! - [`refusal`]: why there is no forecast
pub mod ahead;
pub mod blocks;
pub mod clusters;
pub mod goodness;
pub mod peaks;
pub mod periodic;
pub mod posterior;
pub mod record;
pub mod refusal;
pub mod simplex;
pub mod steady;

pub use refusal::Refusal;

use crate::drift;
use ahead::Ahead;
use backwall_model::Series;
use clusters::Clusters;
use peaks::Pareto;
use record::Record;
use serde::Serialize;

/// Intended probability that the interval contains the maximum.
pub const CHANCE: f64 = 0.95;
/// Maximum horizon, as a multiple of the run's length.
pub const FARTHEST: f64 = 100.0;
const FEWEST_PEAKS: usize = 60;
/// With more peaks, the smallest ones would be ordinary samples.
const MOST_PEAKS: usize = 130;
/// At most this share of the samples counts as large.
const LARGEST_SHARE: f64 = 0.05;
const BLOCKS: u64 = 80;
/// If this many samples are large but form few clusters, they come in bursts; otherwise there are too few samples.
const MANY_SAMPLES: usize = 400;
/// An interval is useless if the ratio of its limits is larger.
const WIDEST: u64 = 20;
/// A forecast is useless if the shape of the tail is less certain than this.
const WIDEST_SHAPE: f64 = 0.9;

/// The largest samples of a run, which passed the tests for a forecast.
#[derive(Clone, Debug)]
pub struct Tail {
    /// The samples that were examined.
    pub record: Record,
    /// The independent peaks.
    pub clusters: Clusters,
    by_peaks: Ahead,
    by_blocks: Ahead,
}

/// An interval for a maximum, in the unit of the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// The lower limit.
    pub low: u64,
    /// The median: the maximum exceeds it with probability 0.5.
    pub median: u64,
    /// The upper limit.
    pub high: u64,
}

/// The forecast of the maximum of a longer run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Length of that run divided by the length of the measured one.
    pub times: f64,
    /// The forecast; it contains both intervals.
    pub maximum: Interval,
    /// The interval from maxima of blocks.
    pub by_blocks: Interval,
    /// The interval from peaks over a threshold.
    pub by_peaks: Interval,
}

impl Tail {
    /// Examines a series.
    ///
    /// # Errors
    /// If its largest samples violate the assumptions of both methods.
    pub fn of(series: &Series) -> Result<Self, Refusal> {
        let record = Record::of(series)?;
        let clusters = chosen(series, &record)?;
        if drift::of(series).is_some() {
            return Err(Refusal::Drift);
        }
        let maxima: Option<Vec<f64>> =
            record.maxima(BLOCKS).into_iter().map(|maximum| maximum.map(|value| value as f64)).collect();
        let maxima = maxima.ok_or(Refusal::Crowded)?;
        let by_peaks = Ahead::of_peaks(&clusters, record.length, 1);
        let by_blocks = Ahead::of_blocks(&maxima, record.length as f64 / BLOCKS as f64, 2);
        let [low, _, high] = by_peaks.shape();
        if high - low > WIDEST_SHAPE {
            return Err(Refusal::Uncertain);
        }
        Ok(Self { record, clusters, by_peaks, by_blocks })
    }

    /// The maximum of a run `times` as long under the same conditions.
    ///
    /// # Errors
    /// If the horizon is too far, or the two methods disagree.
    pub fn maximum(&self, times: f64) -> Result<Forecast, Refusal> {
        if times > FARTHEST {
            return Err(Refusal::TooFar { times, most: FARTHEST });
        }
        let stimuli = self.record.length as f64 * times;
        let [by_blocks, by_peaks] = [&self.by_blocks, &self.by_peaks].map(|ahead| interval(ahead, stimuli));
        let holds = |interval: Interval, value| (interval.low..=interval.high).contains(&value);
        if !holds(by_blocks, by_peaks.median) || !holds(by_peaks, by_blocks.median) {
            return Err(Refusal::Disagree { by_blocks: by_blocks.median, by_peaks: by_peaks.median });
        }
        let maximum = Interval {
            low: by_blocks.low.min(by_peaks.low),
            median: u64::midpoint(by_blocks.median, by_peaks.median),
            high: by_blocks.high.max(by_peaks.high),
        };
        if maximum.high > WIDEST * maximum.low.max(1) {
            return Err(Refusal::Uncertain);
        }
        Ok(Forecast { times, maximum, by_blocks, by_peaks })
    }

    /// The shape of the tail: lower limit, median, upper limit.
    pub fn shape(&self) -> [f64; 3] {
        self.by_peaks.shape()
    }
}

fn interval(ahead: &Ahead, stimuli: f64) -> Interval {
    let [low, median, high] =
        [(1.0 - CHANCE) / 2.0, 0.5, f64::midpoint(1.0, CHANCE)].map(|chance| ahead.quantile(chance, stimuli));
    Interval { low: low as u64, median: median.round() as u64, high: high.ceil() as u64 }
}

/// The largest set of independent peaks that one law fits and that is steady and without a period.
fn chosen(series: &Series, record: &Record) -> Result<Clusters, Refusal> {
    let mut largest_first: Vec<u64> = record.peaks.iter().map(|peak| peak.value).collect();
    largest_first.sort_unstable_by(|one, other| other.cmp(one));
    let most = ((series.counted() as f64 * LARGEST_SHARE) as usize).min(largest_first.len().saturating_sub(1));
    let counts =
        (0..).map(|step| (FEWEST_PEAKS as f64 * 1.3_f64.powi(step)) as usize).take_while(|count| *count < most);
    let sets: Vec<Clusters> =
        counts.chain([most]).filter_map(|count| Clusters::above(record, &largest_first, count)).collect();
    let enough = |set: &&Clusters| set.peaks.len() >= FEWEST_PEAKS;
    let Some(first) = sets.iter().find(enough) else {
        return Err(too_few(series, sets.last()));
    };
    let usable: Vec<&Clusters> = sets.iter().filter(enough).filter(|set| set.peaks.len() <= MOST_PEAKS).collect();
    let last = usable.last().copied().unwrap_or(first);
    if let Some((bursts, set)) = [first, last].iter().find_map(|set| Some((set.bursts()?, set))) {
        return Err(Refusal::Bursts { bursts, samples: set.samples });
    }
    let values = last.peaks.iter().map(|peak| peak.value).collect::<std::collections::BTreeSet<u64>>().len();
    if 2 * values < last.peaks.len() {
        return Err(Refusal::Coarse { values, among: last.peaks.len() });
    }
    for set in [first, last] {
        if let Some(stimuli) = periodic::period(&set.peaks, record.length) {
            return Err(Refusal::Periodic { stimuli, period_ns: record.period.map(|period| period * stimuli) });
        }
    }
    if let Some(refusal) = [first, last].iter().find_map(|set| steady::unsteady(&set.peaks, record.length)) {
        return Err(refusal);
    }
    let fits = |set: &&&Clusters| {
        let excesses = set.excesses();
        goodness::fits(&excesses, Pareto::most_likely(&excesses))
    };
    usable.iter().rev().find(fits).map(|set| (*set).clone()).ok_or(Refusal::TwoRegimes)
}

/// The reason for too few independent peaks: bursts if many samples are large, otherwise too few samples.
fn too_few(series: &Series, largest_set: Option<&Clusters>) -> Refusal {
    match largest_set {
        Some(set) if set.samples >= MANY_SAMPLES => Refusal::Bursts { bursts: set.peaks.len(), samples: set.samples },
        _ => Refusal::TooFew { samples: series.counted(), needed: series.counted().saturating_mul(2) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;
    use proptest::prelude::*;
    use record::tests::series_of;

    fn exponential(scale: f64, samples: u64) -> Series {
        let mut random = SplitMix(7);
        let mut one = || ((random.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        series_of((0..samples).map(|_| (scale * (5.0 - one().ln())) as u64))
    }

    #[test]
    fn the_maximum_of_an_exponential_tail_lies_where_its_law_says() {
        let tail = Tail::of(&exponential(1_000.0, 100_000)).unwrap();
        let found = tail.maximum(24.0).unwrap();
        // The maximum of n exponential variables has the median ln(n / ln 2).
        let median = 1_000.0 * (5.0 + (2_400_000.0 / 2.0_f64.ln()).ln());
        let Interval { low, high, .. } = found.maximum;
        assert!((low as f64) < median && median < high as f64, "{found:?}");
        assert!((low as f64) > 0.7 * median && (high as f64) < 1.8 * median, "{found:?}");
        assert!(
            low <= found.by_peaks.low.min(found.by_blocks.low) && high >= found.by_peaks.high.max(found.by_blocks.high)
        );
    }

    #[test]
    fn a_longer_horizon_has_a_larger_maximum_and_a_too_long_one_none() {
        let tail = Tail::of(&exponential(1_000.0, 50_000)).unwrap();
        let medians = [1.0, 4.0, 24.0, 100.0].map(|times| tail.maximum(times).unwrap().maximum.median);
        assert!(medians.is_sorted() && medians[3] > medians[0], "{medians:?}");
        assert_eq!(tail.maximum(200.0), Err(Refusal::TooFar { times: 200.0, most: FARTHEST }));
    }

    #[test]
    fn another_unit_gives_the_same_forecast() {
        let [one, other] = [1_000.0, 10_000.0]
            .map(|scale| Tail::of(&exponential(scale, 50_000)).unwrap().maximum(24.0).unwrap().maximum);
        for (value, tenfold) in [(one.low, other.low), (one.median, other.median), (one.high, other.high)] {
            assert!((10.0 * value as f64 / tenfold as f64 - 1.0).abs() < 0.05, "{value} {tenfold}");
        }
    }

    #[test]
    fn a_coarse_clock_and_a_timer_are_named() {
        let coarse = series_of((0..50_000).map(|n: u64| n * 7_919 % 50_021 / 1_000));
        assert!(matches!(Tail::of(&coarse), Err(Refusal::Coarse { .. } | Refusal::CutOff { .. })));
        let mut random = SplitMix(3);
        let timer = series_of(
            (0..50_000_u64)
                .map(|n| 5_000 + random.below(3_000) + if n % 250 == 9 { 50_000 + random.below(9_000) } else { 0 }),
        );
        let Err(Refusal::Periodic { stimuli, period_ns }) = Tail::of(&timer) else {
            panic!("{:?}", Tail::of(&timer).err())
        };
        assert!((stimuli / 250.0 - 1.0).abs() < 0.01, "{stimuli}");
        assert!(period_ns.is_some_and(|ns| (ns / 2.5e8 - 1.0).abs() < 0.01), "{period_ns:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn no_series_breaks_it(seed in any::<u64>(), bits in 1_u32..64, count in 0_usize..9_000, zeros in 0_u64..9) {
            let mut random = SplitMix(seed);
            let values = (0..count).map(|_| {
                if random.below(10) < zeros { 0 } else { random.number() >> (64 - bits).max(1 + random.below(4) as u32) }
            });
            if let Ok(tail) = Tail::of(&series_of(values))
                && let Ok(found) = tail.maximum(10.0)
            {
                let Interval { low, median, high } = found.maximum;
                prop_assert!(low <= median && median <= high);
            }
        }
    }
}
