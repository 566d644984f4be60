// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects drift: do the parts of a run differ by more than chance allows?
//!
//! The run is divided into [`PARTS`] parts of equal length, and each part into `PIECES` pieces. Without drift the parts differ no
//! more than their pieces do: the ratio of the two variances follows the F distribution (Fisher, 1925). Anything shorter than a
//! piece, such as a cluster of late responses, makes the pieces of one part differ as much as the parts do, so it is not a drift.
//! Two things are compared: the number of the largest samples, and the ranks of the slices' means. The means show changes that
//! the largest samples do not.
//!
//! Counted instructions do not drift. An emulated run repeats exactly, so changes in it were planned, such as a sweep whose phase
//! moves from end to end.
use super::binomial::Binomial;
use super::dependence::{exceedances, stimuli};
use backwall_model::units::Unit;
use backwall_model::{Series, Slice, Warning};

/// Number of parts of a run.
pub const PARTS: usize = 11;
/// Number of pieces per part. With 11 parts the degrees of freedom, 10 and 88, are even, so F can be computed as a binomial tail.
const PIECES: usize = 9;
const ALL_PIECES: usize = PARTS * PIECES;
/// Probability of a false alarm in each of the two tests.
const CHANCE: f64 = 0.0005;
/// If there are fewer large samples than pieces, the result is unknown.
const FEWEST: usize = ALL_PIECES;
/// A smaller ratio of the parts' medians is not reported.
const SMALLEST_RATIO: f64 = 1.1;

/// How the parts of a run differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// The rate of the largest samples changed.
    Tail {
        /// Number of the largest samples that were examined.
        largest: usize,
        /// Number of these samples in the part with the fewest.
        fewest: usize,
        /// Number of these samples in the part with the most.
        most: usize,
    },
    /// The size of ordinary samples changed.
    Body {
        /// The median of the slices' means in the lowest part, in the unit of the series.
        lowest: f64,
        /// The median of the slices' means in the highest part, in the unit of the series.
        highest: f64,
    },
}

/// The drift of a series; `None` if there is none, if there are too few samples to tell, or if the unit is instructions.
pub fn of(series: &Series) -> Option<Drift> {
    if series.unit == Unit::Instructions {
        return None;
    }
    tail(series).or_else(|| body(&series.over_time))
}

/// A warning if the series drifted, with the consequence for its quantiles.
pub fn warning(series: &Series) -> Option<Warning> {
    let seen = match of(series)? {
        Drift::Tail { largest, fewest, most } => format!(
            "{fewest} of the {largest} largest samples lie in the quietest of {PARTS} equal parts of the run and {most} in \
                the busiest; chance would put {} in each",
            largest / PARTS
        ),
        Drift::Body { lowest, highest } => {
            format!(
                "ordinary samples are {:.2} times as large in one of {PARTS} parts of the run as in another",
                highest / lowest
            )
        }
    };
    let said = format!(
        "conditions changed during the run: {seen}; quantiles mix the conditions and do not apply to another run"
    );
    Some(Warning::new("drift", said).of(&series.key))
}

/// Tests the largest hundredth of the samples (in a short run the largest 200, at most a tenth) by their number per piece.
fn tail(series: &Series) -> Option<Drift> {
    let counted = usize::try_from(series.counted()).unwrap_or(usize::MAX);
    let seq = exceedances(series, (counted / 100).max((counted / 10).min(2 * FEWEST)));
    if seq.len() < FEWEST {
        return None;
    }
    let due = stimuli(series, seq.last());
    let mut pieces = [0.0; ALL_PIECES];
    let piece = |seq: u64| ((u128::from(seq) * ALL_PIECES as u128 / u128::from(due)) as usize).min(ALL_PIECES - 1);
    seq.iter().for_each(|seq| pieces[piece(*seq)] += 1.0);
    if chance(&pieces) > CHANCE {
        return None;
    }
    let parts = || pieces.chunks(PIECES).map(|part| part.iter().sum::<f64>() as usize);
    Some(Drift::Tail { largest: seq.len(), fewest: parts().min()?, most: parts().max()? })
}

fn body(slices: &[Slice]) -> Option<Drift> {
    let means: Vec<f64> = slices.iter().filter(|slice| slice.done > 0).map(|slice| slice.mean).collect();
    if means.len() < 2 * ALL_PIECES {
        return None;
    }
    let bounds = |index: usize, of: usize| index * means.len() / of..(index + 1) * means.len() / of;
    let medians = |of: usize| (0..of).map(|index| middle(&means[bounds(index, of)])).collect::<Vec<f64>>();
    let parts = medians(PARTS);
    let lowest = parts.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = parts.iter().copied().fold(0.0, f64::max);
    let apart = lowest > 0.0 && highest >= lowest * SMALLEST_RATIO;
    (apart && chance(&ranks(&medians(ALL_PIECES))) <= CHANCE).then_some(Drift::Body { lowest, highest })
}

fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    let middle = sorted.len() / 2;
    *sorted.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count();
    let up_to = |value: f64| values.iter().filter(|other| **other <= value).count();
    values.iter().map(|value| (below(*value) + up_to(*value)) as f64 / 2.0).collect()
}

/// The probability that parts with these pieces differ this much by chance; 1 if they do not differ.
fn chance(pieces: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let whole = mean(pieces);
    let squares = |values: &[f64], around: f64| values.iter().map(|value| (value - around).powi(2)).sum::<f64>();
    let between: f64 = pieces.chunks(PIECES).map(|part| PIECES as f64 * (mean(part) - whole).powi(2)).sum();
    let within: f64 = pieces.chunks(PIECES).map(|part| squares(part, mean(part))).sum();
    if between <= 0.0 {
        return 1.0;
    }
    // P(F > f) with 2a and 2b degrees of freedom equals the probability of b hits or more in a + b - 1 trials.
    let (a, b) = ((PARTS - 1) / 2, (ALL_PIECES - PARTS) / 2);
    let hit = within / (within + between);
    if hit <= 0.0 { 0.0 } else { Binomial::new((a + b - 1) as u64, hit).at_least(b as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeriesBuilder;
    use crate::random::SplitMix;
    use backwall_model::{Key, Span};
    use statrs::distribution::{ContinuousCDF, FisherSnedecor};

    fn series_of(values: &[u64]) -> Series {
        series_in(Unit::Ns, values)
    }

    fn series_in(unit: Unit, values: &[u64]) -> Series {
        let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", unit));
        (0..).zip(values).for_each(|(seq, value)| builder.sample(seq, seq * 1_000_000, *value, false));
        builder.build()
    }

    // Values around 5,000 with a tail: one in 50 is up to ten times as large.
    fn value(random: &mut SplitMix) -> u64 {
        let body = 4_000 + random.below(2_000);
        if random.below(50) == 0 { body * (1 + random.below(10)) } else { body }
    }

    fn shuffled(mut values: Vec<u64>, random: &mut SplitMix) -> Vec<u64> {
        for index in (1..values.len()).rev() {
            values.swap(index, random.below(index as u64 + 1) as usize);
        }
        values
    }

    #[test]
    fn the_chance_is_that_of_an_independent_library() {
        let of_library = FisherSnedecor::new(10.0, 88.0).unwrap();
        for part in [0.1, 0.8, 1.3, 2.0, 4.0] {
            // Parts lie alternately above and below the mean by this much, and the pieces of each from 4 below to 4 above their
            // part.
            let sign = |at: usize| if at / PIECES % 2 == 0 { 1.0 } else { -1.0 };
            let pieces: Vec<f64> = (0..ALL_PIECES).map(|at| sign(at) * part + (at % PIECES) as f64 - 4.0).collect();
            let mean = part / PARTS as f64;
            let between = PIECES as f64 * (6.0 * (part - mean).powi(2) + 5.0 * (part + mean).powi(2)) / 10.0;
            let within = PARTS as f64 * 60.0 / 88.0;
            let (found, known) = (chance(&pieces), of_library.sf(between / within));
            assert!((found / known - 1.0).abs() < 1e-6, "{found}, not {known}");
        }
    }

    #[test]
    fn a_tail_that_grows_is_seen_in_order_and_not_when_shuffled() {
        let mut random = SplitMix(3);
        let growing: Vec<u64> = (0..30_000u64)
            .map(|seq| if random.below(60_000) < 2 * seq / 60 { 90_000 + seq } else { value(&mut random) })
            .collect();
        let series = series_of(&growing);
        let Some(Drift::Tail { largest, fewest, most }) = of(&series) else { panic!("{:?}", of(&series)) };
        assert!(largest >= 200 && most > 4 * fewest.max(1), "{fewest} to {most} of {largest}");
        assert!(warning(&series).unwrap().text.contains("largest samples lie in the quietest of"));
        assert_eq!(of(&series_of(&shuffled(growing, &mut random))), None);
    }

    #[test]
    fn a_body_that_moves_below_a_steady_tail_is_seen() {
        let mut random = SplitMix(4);
        let step: Vec<u64> = (0..30_000u64)
            .map(|seq| {
                if random.below(20) == 0 {
                    50_000 + random.below(9_000)
                } else {
                    5_000 + seq / 30 * 3 + random.below(900)
                }
            })
            .collect();
        let series = series_of(&step);
        let Some(Drift::Body { lowest, highest }) = of(&series) else { panic!("{:?}", of(&series)) };
        assert!(highest > 1.1 * lowest, "{lowest} {highest}");
        assert_eq!(of(&series_of(&shuffled(step, &mut random))), None);
    }

    /// A sweep tries every instant of a span once, in order. A train whose period is a little longer than the tick moves along it
    /// once. Both meet the irqs-off sections of the span in one part of the run, which on a clock would be drift.
    #[test]
    fn what_a_stimulus_meets_by_plan_is_drift_on_a_clock_alone() {
        let sweep: Vec<u64> =
            (0..20_000).map(|at| if (4_000..6_000).contains(&at) { 40 + 6_000 - at } else { 40 + at % 3 }).collect();
        let train: Vec<u64> = (0..30_000u64).map(|seq| 900 + (200_000 - seq * 200_007 % 200_000) / 1_000).collect();
        for values in [sweep, train] {
            let [clock, counted] = [Unit::Ns, Unit::Instructions].map(|unit| series_in(unit, &values));
            assert!(of(&clock).is_some() && warning(&clock).is_some());
            assert_eq!((of(&counted), warning(&counted)), (None, None));
        }
    }

    #[test]
    fn clusters_and_what_does_not_vary_are_no_drift_and_little_does_not_tell() {
        let mut random = SplitMix(6);
        let clusters: Vec<u64> = (0..3_000).flat_map(|_| std::iter::repeat_n(value(&mut random), 10)).collect();
        let sawtooth: Vec<u64> = (0..30_000).map(|seq| 1_000 + seq % 100).collect();
        for values in [clusters, sawtooth, vec![7; 30_000], (0..90).collect(), Vec::new()] {
            assert_eq!(of(&series_of(&values)), None, "{:?}", values.first());
        }
    }
}
