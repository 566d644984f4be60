// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantiles with confidence limits from order statistics, which assume nothing but independence.
//!
//! Of `n` sorted samples, those of rank `l` and `u` enclose the true quantile with the stated confidence; the ranks follow from
//! the binomial distribution alone. If the sample of a rank is among the exactly known worst ones, its value is exact. Otherwise
//! it is known up to its histogram class.
use super::binomial::Binomial;
use super::dependence;
use super::histogram::LIMIT;
use backwall_model::{Quantile, Series};
use std::fmt;

/// Confidence of the limits of every quantile.
pub const CONFIDENCE: f64 = 0.95;

/// The level of a quantile, exact to a billionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Share of samples above the quantile, in billionths, in 1 to 999,999,999.
    beyond_ppb: u64,
}

const PPB: u64 = 1_000_000_000;

/// The levels reported for every series: the median, and the nines from p90 to p99.9999.
pub const REPORTED: [Level; 7] = [
    Level { beyond_ppb: PPB / 2 },
    Level { beyond_ppb: PPB / 10 },
    Level { beyond_ppb: PPB / 100 },
    Level { beyond_ppb: PPB / 1_000 },
    Level { beyond_ppb: PPB / 10_000 },
    Level { beyond_ppb: PPB / 100_000 },
    Level { beyond_ppb: PPB / 1_000_000 },
];

impl Level {
    /// Parses a percentage such as `99.99`, between 0 and 100 with up to seven decimals.
    pub fn of_percent(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| (1..=7).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let percent_ppb = whole.parse::<u64>().ok()? * (PPB / 100) + format!("{fraction:0<7}").parse::<u64>().ok()?;
        (1..PPB).contains(&percent_ppb).then(|| Self { beyond_ppb: PPB - percent_ppb })
    }

    /// The share as a number in (0, 1).
    pub fn q(self) -> f64 {
        (PPB - self.beyond_ppb) as f64 / PPB as f64
    }

    /// Probability that a sample is above the quantile, in (0, 1).
    pub fn beyond(self) -> f64 {
        self.beyond_ppb as f64 / PPB as f64
    }

    /// Rank of the quantile among `n` samples, from 1: the smallest rank with at least `q n` samples up to it.
    fn rank(self, n: u64) -> u64 {
        n - (u128::from(n) * u128::from(self.beyond_ppb) / u128::from(PPB)) as u64
    }

    /// Whether `n` samples are enough, so that at least one is expected above the level.
    fn reached_by(self, n: u64) -> bool {
        u128::from(n) * u128::from(self.beyond_ppb) >= u128::from(PPB)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent_ppb = PPB - self.beyond_ppb;
        let (whole, fraction) = (percent_ppb / (PPB / 100), percent_ppb % (PPB / 100));
        let fraction = format!(".{fraction:07}");
        write!(f, "p{whole}{}", fraction.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// A number known to lie in `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// The smallest value that the number can have.
    pub low: u64,
    /// The largest value that the number can have.
    pub high: u64,
}

impl Between {
    fn exactly(value: u64) -> Self {
        Self { low: value, high: value }
    }
}

/// What a series says about its sorted samples.
pub struct Distribution<'a> {
    series: &'a Series,
    samples: u64,
}

impl<'a> Distribution<'a> {
    /// From a series' histogram, overflow and worst values.
    pub fn of(series: &'a Series) -> Self {
        let samples = series.histogram.counts.iter().sum::<u64>() + series.overflow;
        Self { series, samples }
    }

    /// Number of samples, not counting the warmup.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The sample with this rank, from 1 for the smallest to `samples` for the largest.
    pub fn of_rank(&self, rank: u64) -> Between {
        let worst = &self.series.worst;
        if let Some(exact) = usize::try_from(self.samples - rank).ok().and_then(|from_top| worst.get(from_top)) {
            return Between::exactly(exact.value);
        }
        let least = self.series.min.unwrap_or(0);
        // A series from another tool may have only its maximum, rounded to the tool's classes.
        let most = worst.last().map_or_else(|| self.series.max.unwrap_or(u64::MAX), |w| w.value);
        let mut below = 0;
        for (count, bounds) in self.series.histogram.counts.iter().zip(self.series.histogram.bounds.windows(2)) {
            below += count;
            if below >= rank {
                return Between { low: bounds[0].max(least).min(most), high: (bounds[1] - 1).min(most) };
            }
        }
        Between { low: LIMIT, high: most }
    }

    /// How many samples are at or beyond `limit`.
    pub fn at_or_beyond(&self, limit: u64) -> Between {
        let worst = &self.series.worst;
        let known = worst.partition_point(|w| w.value >= limit) as u64;
        let all_known = worst.len() as u64 == self.samples || worst.last().is_some_and(|w| w.value < limit);
        if all_known {
            return Between::exactly(known);
        }
        let overflow = self.series.overflow;
        let mut found = if limit <= LIMIT { Between::exactly(overflow) } else { Between { low: 0, high: overflow } };
        for (count, bounds) in self.series.histogram.counts.iter().zip(self.series.histogram.bounds.windows(2)) {
            found.low += if bounds[0] >= limit { *count } else { 0 };
            found.high += if bounds[1] > limit { *count } else { 0 };
        }
        Between { low: found.low.max(known), high: found.high }
    }

    /// The quantile of a level with its limits. The value is never below the true sample of its rank.
    ///
    /// There is no value if not even one sample is expected above the level (fewer than `1 / (1 - q)` samples). There is no upper
    /// limit if even the largest sample does not rule out a larger quantile.
    pub fn quantile(&self, level: Level) -> Quantile {
        let (low, high) =
            confidence_ranks(level, self.samples, dependence::of(self.series, level.beyond()).independent_share());
        Quantile {
            q: level.q(),
            value: level.reached_by(self.samples).then(|| self.of_rank(level.rank(self.samples)).high),
            low: low.map(|rank| self.of_rank(rank).low),
            high: high.map(|rank| self.of_rank(rank).high),
        }
    }
}

/// The ranks, from 1, that enclose a quantile of `n` samples with equal probability of error on both sides; `None` if no sample
/// is extreme enough. `independent`: the share of the samples that count as independent.
fn confidence_ranks(level: Level, n: u64, independent: f64) -> (Option<u64>, Option<u64>) {
    let beyond = Binomial::new((n as f64 * independent) as u64, level.beyond());
    let chance = (1.0 - CONFIDENCE) / 2.0;
    let low = beyond.fewest_unlikely_high(chance);
    let high = beyond.most_unlikely_low(chance);
    // Clusters can contain any number of samples, so interpolate between multiples of an independent one.
    let low = low.map(|count| match count.checked_sub(1) {
        Some(fewer) if independent < 1.0 => {
            let further = share_of_way(beyond.at_least(count), chance, beyond.at_least(fewer));
            ((count as f64 - further) / independent).ceil() as u64
        }
        _ => count,
    });
    let high = high.map(|count| match independent < 1.0 {
        true => {
            let further = share_of_way(beyond.at_most(count), chance, beyond.at_most(count + 1));
            ((count as f64 + further) / independent) as u64
        }
        false => count,
    });
    (low.and_then(|count| (n + 1).checked_sub(count)), high.map(|count| n - count.min(n)))
}

/// Position of `at` between one probability and the next larger one, in [0, 1).
fn share_of_way(from: f64, at: f64, to: f64) -> f64 {
    ((at - from) / (to - from)).clamp(0.0, 1.0)
}

/// The reported quantiles of a series.
pub fn quantiles(series: &Series) -> Vec<Quantile> {
    let distribution = Distribution::of(series);
    REPORTED.map(|level| distribution.quantile(level)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;
    use crate::{Block, SeriesBuilder};
    use backwall_model::units::Unit;
    use backwall_model::{Key, Span};
    use proptest::prelude::*;

    fn level(percent: &str) -> Level {
        Level::of_percent(percent).unwrap()
    }

    fn series_of(values: &[u64]) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        let seq: Vec<u64> = (0..values.len() as u64).collect();
        builder.samples(Block { seq: &seq, at: &seq, value: values, late: 0 });
        builder.build()
    }

    #[test]
    fn ranks_equal_the_published_ones() {
        for (n, percent, low, high) in [
            (10, "50", 2, 9),
            (100, "50", 40, 61),
            (1_000, "90", 881, 919),
            (1_000, "99", 983, 997),
            (5_000, "99.9", 4_990, 5_000),
            (10_000, "99.9", 9_983, 9_997),
            (1_000_000, "99.99", 999_880, 999_920),
            (10_000_000, "99.9999", 9_999_983, 9_999_997),
        ] {
            assert_eq!(confidence_ranks(level(percent), n, 1.0), (Some(low), Some(high)), "p{percent} of {n}");
        }
        assert_eq!(confidence_ranks(level("99.9"), 3_000, 1.0), (Some(2_993), None));
    }

    #[test]
    fn the_fewest_samples_for_an_upper_limit_are_the_published_ones() {
        let fewest = [("50", 6), ("90", 36), ("99", 368), ("99.9", 3_688), ("99.99", 36_887), ("99.9999", 3_688_878)];
        for (percent, n) in fewest {
            assert!(confidence_ranks(level(percent), n, 1.0).1.is_some(), "p{percent} of {n}");
            assert!(confidence_ranks(level(percent), n - 1, 1.0).1.is_none(), "p{percent} of {n} - 1");
        }
    }

    #[test]
    fn clustered_samples_have_wider_limits() {
        // A thousand clusters of four. The ranks lie between those of 4,000 independent samples and those of whole clusters, 983
        // and 997.
        assert_eq!(confidence_ranks(level("99"), 4_000, 1.0), (Some(3_947), Some(3_973)));
        assert_eq!(confidence_ranks(level("99"), 4_000, 0.25), (Some(4 * 983), Some(4 * 997 - 3)));
        assert_eq!(confidence_ranks(level("99"), 400, 0.25).1, None);
    }

    #[test]
    fn levels_are_read_exactly_and_shown_as_typed() {
        for percent in ["50", "90", "99.9", "99.9999", "0.0000001", "99.9999999"] {
            assert_eq!(level(percent).to_string(), format!("p{percent}"));
        }
        for percent in ["0", "100", "-1", "", ".5", "99.", "99.99999999", "1e1", "abc", "99.9.9"] {
            assert_eq!(Level::of_percent(percent), None, "{percent:?}");
        }
        assert_eq!(level("99.9999").rank(1_000_000), 999_999);
        assert_eq!(level("50").rank(1), 1);
        assert_eq!(level("90").rank(u64::MAX), 16_602_069_666_338_596_454);
    }

    #[test]
    fn too_few_samples_give_no_value_and_no_upper_limit() {
        let mut random = SplitMix(2);
        let quantiles = series_of(&(0..9_999).map(|_| random.below(9_973)).collect::<Vec<_>>()).quantiles;
        assert_eq!(
            quantiles.iter().map(|q| q.value.is_some()).collect::<Vec<_>>(),
            [true, true, true, true, false, false, false]
        );
        assert_eq!(
            quantiles.iter().map(|q| q.high.is_some()).collect::<Vec<_>>(),
            [true, true, true, true, false, false, false]
        );
        assert!(series_of(&[]).quantiles.iter().all(|q| (q.value, q.low, q.high) == (None, None, None)));
    }

    #[test]
    fn quantiles_in_the_worst_are_exact_and_beyond_the_histogram_too() {
        let values: Vec<u64> = (0..10_000).map(|n| if n % 1_000 == 7 { LIMIT * 4 + n } else { 1_000_003 }).collect();
        let p999 = &series_of(&values).quantiles[3];
        assert_eq!((p999.q, p999.value), (0.999, Some(1_000_003)));
        let p9995 = Distribution::of(&series_of(&values)).quantile(level("99.95"));
        assert_eq!(p9995.value, Some(LIMIT * 4 + 4_007));
    }

    #[test]
    fn many_values_beyond_the_histogram_are_bracketed() {
        let series = series_of(&vec![LIMIT + 5; 10_000]);
        let distribution = Distribution::of(&series);
        assert_eq!(distribution.of_rank(1), Between { low: LIMIT, high: LIMIT + 5 });
        assert_eq!(distribution.at_or_beyond(LIMIT), Between::exactly(10_000));
        assert_eq!(distribution.at_or_beyond(LIMIT + 5), Between { low: 4_096, high: 10_000 });
        assert_eq!(distribution.at_or_beyond(LIMIT + 6), Between::exactly(0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn brackets_contain_what_sorting_says(
            raw in prop::collection::vec((0u32..40, any::<u64>()), 1..12_000), rank in any::<prop::sample::Index>(),
        ) {
            let mut values: Vec<u64> = raw.iter().map(|(bits, random)| random >> (63 - bits)).collect();
            let series = series_of(&values);
            values.sort_unstable();
            let (distribution, rank) = (Distribution::of(&series), rank.index(values.len()));
            let (sorted, found) = (values[rank], distribution.of_rank(rank as u64 + 1));
            prop_assert!(found.low <= sorted && sorted <= found.high, "{} not in {:?}", sorted, found);
            prop_assert!((found.high - found.low) <= found.low / 1_024 || sorted >= LIMIT);
            prop_assert!(values.len() - rank > 4_096 || found.low == found.high);
            for limit in [sorted, sorted + 1] {
                let exact = values.iter().filter(|v| **v >= limit).count() as u64;
                let count = distribution.at_or_beyond(limit);
                prop_assert!(count.low <= exact && exact <= count.high, "{} not in {:?}", exact, count);
            }
            for quantile in &series.quantiles {
                prop_assert!(quantile.low <= quantile.value || quantile.value.is_none());
                prop_assert!(quantile.high.is_none() || quantile.value <= quantile.high);
            }
        }
    }
}
