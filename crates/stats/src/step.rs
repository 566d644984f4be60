// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects steps: where a sequence of numbers changed to another level, unless chance explains it.
//!
//! Ranks replace the numbers, so that neither their distribution nor an outlier decides. Every place where the sequence can be
//! cut is tried. The chosen cut is the one whose sum of ranks is furthest from its expected value without a step, relative to its
//! spread (Pettitt, "A non-parametric approach to the change-point problem", 1979). If nothing changed, every order of the
//! numbers is equally likely. So the same search runs on random orders, and the share of orders with an equally large result is
//! the p-value. The parts on both sides of a step are searched in the same way.
//!
//! A recent step has few numbers after it, and the search for the best cut costs significance. So half of the allowed
//! probability is reserved for the newest numbers. If a few of them are all, or nearly all, beyond the earlier numbers, the
//! share of all orders with this property is computed. If the share is small enough, this is a step. Four numbers after
//! twenty suffice, three after thirty, and two after ninety.
//!
//! In a sequence without a step, the probability of reporting one is therefore at most [`CHANCE`], whatever the distribution,
//! provided that the numbers do not depend on their neighbours. No rule for every distribution can detect a step with two numbers
//! after twenty: the two largest of any 22 come last with a probability of 1 in 231.
use super::median::median;
use super::random::SplitMix;

/// Probability of a false alarm in a sequence without a step.
pub const CHANCE: f64 = 0.001;
/// Number of random orders; the actual order counts as one more.
const ORDERS: usize = 9_999;
/// If more orders than this (including the actual one) give an equally large result, chance explains it. This is half of the
/// allowed probability.
const ALLOWED: usize = 5;
/// Maximum number of newest numbers to examine separately; the cut handles longer ones.
const NEWEST: usize = 10;
/// Number of orders with at most 0, 1, 2 … inverted pairs: sums of partitions (Mann and Whitney, 1947). Valid if there are at
/// least as many newest numbers as pairs.
const AS_FEW: [f64; 9] = [1.0, 2.0, 4.0, 7.0, 12.0, 19.0, 30.0, 45.0, 67.0];
const NEWEST_CHANCE: f64 = CHANCE / 2.0;
const FEWEST: usize = 8;

/// A change of the numbers to another level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Index of the first number on the new level, from 0.
    pub at: usize,
    /// The median since the previous step, or since the beginning.
    pub before: f64,
    /// The median up to the next step, or up to the end.
    pub after: f64,
    /// The p-value, in (0, [`CHANCE`]]: the share of orders with an equally large result.
    pub chance: f64,
}

/// The steps of a sequence, in order. `seed` determines the random orders.
pub fn steps(values: &[f64], seed: u64) -> Vec<Step> {
    let mut cuts = Vec::new();
    look(values, 0, &mut SplitMix(seed), &mut cuts);
    cuts.sort_by_key(|(at, _)| *at);
    let since = cuts.last().map_or(0, |(at, _)| *at);
    cuts.extend(newest(&values[since..]).map(|(at, chance)| (since + at, chance)));
    let end = |index: usize| cuts.get(index).map_or(values.len(), |(at, _)| *at);
    let step = |(index, &(at, chance)): (usize, &(usize, f64))| {
        let start = index.checked_sub(1).map_or(0, end);
        Step { at, before: middle(&values[start..at]), after: middle(&values[at..end(index + 1)]), chance }
    };
    cuts.iter().enumerate().map(step).collect()
}

/// Searches a part of the sequence, which begins at `offset`, and appends its cuts.
fn look(values: &[f64], offset: usize, random: &mut SplitMix, cuts: &mut Vec<(usize, f64)>) {
    if values.len() < FEWEST {
        return;
    }
    let mut ranks = ranks(values);
    let (at, found) = furthest(&ranks);
    if found == 0.0 {
        return;
    }
    let Some(chance) = chance(&mut ranks, found, random) else { return };
    cuts.push((offset + at, chance));
    look(&values[..at], offset, random, cuts);
    look(&values[at..], offset + at, random, cuts);
}

/// A step at which the newest numbers are beyond all earlier ones, except for a few pairs, and the share of orders with as few
/// inverted pairs. The allowed number of pairs depends only on the length, so that the total probability stays within the limit.
fn newest(values: &[f64]) -> Option<(usize, f64)> {
    let (length, mut left) = (values.len(), NEWEST_CHANCE);
    let mut found: Option<(usize, f64)> = None;
    for count in 1..=NEWEST.min(length / 2) {
        let chance = |pairs: usize| 2.0 * AS_FEW[pairs] / orders(length, count);
        let most = (0..AS_FEW.len().min(count + 1)).rev().find(|pairs| chance(*pairs) <= left / 2.0);
        let Some(most) = most.or((chance(0) <= left).then_some(0)) else { continue };
        left -= chance(most);
        let (before, after) = values.split_at(length - count);
        let pairs = astray(before, after);
        if pairs <= most && found.is_none_or(|best| chance(pairs) < best.1) {
            found = Some((before.len(), chance(pairs)));
        }
    }
    found
}

/// Number of ways in which `count` numbers of a sequence can be its last ones.
fn orders(length: usize, count: usize) -> f64 {
    (0..count).map(|taken| (length - taken) as f64 / (taken + 1) as f64).product()
}

/// Number of pairs of an earlier and a later number that contradict the direction of the step.
fn astray(before: &[f64], after: &[f64]) -> usize {
    let pairs = |astray: fn(f64, f64) -> bool| {
        before.iter().map(|b| after.iter().filter(|a| astray(*b, **a)).count()).sum::<usize>()
    };
    pairs(|b, a| b >= a || b.is_nan() || a.is_nan()).min(pairs(|b, a| b <= a || b.is_nan() || a.is_nan()))
}

/// Twice each rank minus the mean. These are whole numbers, so their sums are exact in any order. Equal numbers share a rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other.total_cmp(value).is_lt());
        let not_above = sorted.partition_point(|other| other.total_cmp(value).is_le());
        (below + not_above) as f64 - sorted.len() as f64
    };
    values.iter().map(rank).collect()
}

/// The cut whose sum is furthest from zero relative to its spread, and the square of that distance.
fn furthest(ranks: &[f64]) -> (usize, f64) {
    let count = ranks.len();
    let (mut sum, mut best) = (0.0, (0, 0.0));
    for at in 1..count {
        sum += ranks[at - 1];
        let far = sum * sum / (at * (count - at)) as f64;
        if far > best.1 {
            best = (at, far);
        }
    }
    best
}

/// The share of orders with an equally large result; `None` as soon as it is certainly above [`CHANCE`].
fn chance(ranks: &mut [f64], found: f64, random: &mut SplitMix) -> Option<f64> {
    let mut as_much = 1;
    for _ in 0..ORDERS {
        for place in (1..ranks.len()).rev() {
            ranks.swap(place, random.below(place as u64 + 1) as usize);
        }
        as_much += usize::from(furthest(ranks).1 >= found);
        if as_much > ALLOWED {
            return None;
        }
    }
    Some(as_much as f64 / (ORDERS + 1) as f64)
}

fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median(&sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // An approximately normal random number from twelve uniform ones, accurate to three standard deviations.
    fn noise(random: &mut SplitMix) -> f64 {
        (0..12).map(|_| random.below(1 << 32) as f64 / (1_u64 << 32) as f64).sum::<f64>() - 6.0
    }

    fn row(random: &mut SplitMix, runs: usize, level: f64, spread: f64) -> Vec<f64> {
        (0..runs).map(|_| level * (spread * noise(random)).exp()).collect()
    }

    fn found(rows: u64, (before, after): (usize, usize), near: usize, spread: f64) -> usize {
        let mut random = SplitMix(11);
        let one = |seed: &u64| {
            let mut values = row(&mut random, before, 100.0, spread);
            values.extend(row(&mut random, after, 110.0, spread));
            steps(&values, *seed).iter().any(|step| step.at.abs_diff(before) <= near)
        };
        (0..rows).filter(one).count()
    }

    #[test]
    fn rows_without_a_step_show_one_in_at_most_one_of_a_thousand() {
        let mut random = SplitMix(5);
        let alarms = |random: &mut SplitMix, runs: usize, tailed: bool| {
            let one = |seed: &u64| {
                let values = row(random, runs, 100.0, 0.05);
                let value = |value: &f64| if tailed { 1.0 / (value - 60.0).abs() } else { *value };
                !steps(&values.iter().map(value).collect::<Vec<f64>>(), *seed).is_empty()
            };
            (0..2_000).filter(one).count()
        };
        // Two false alarms are expected of each. More than six have a probability of 1 in 200, and the seeds are fixed.
        let all =
            [(16, false), (40, false), (40, true), (100, true)].map(|(runs, tailed)| alarms(&mut random, runs, tailed));
        assert!(all.iter().all(|count| *count <= 6) && all.iter().sum::<usize>() <= 12, "{all:?} of 2,000 each");
    }

    #[test]
    fn a_tenth_more_is_found_after_two_nights_of_twenty_runs() {
        assert_eq!(found(200, (40, 40), 10, 0.05), 200);
        assert!(found(200, (40, 40), 2, 0.05) >= 180, "and nearly always to two runs");
        // One run per night. If runs differ by 2 %, these numbers of nights before and after a step suffice, and a reported step
        // stays reported.
        for parts in [(20, 4), (20, 5), (20, 8), (30, 3), (90, 2)] {
            assert!(found(100, parts, 2, 0.02) >= 94, "{parts:?}");
        }
        assert!(found(100, (20, 2), 22, 0.02) <= 3, "no order of two among twenty is so rare");
    }

    #[test]
    fn a_step_has_its_place_and_its_levels_and_a_second_one_is_seen() {
        let level = |index: usize| [100.0, 140.0, 120.0][index / 20] + (index * 7 % 11) as f64 / 10.0;
        let values: Vec<f64> = (0..60).map(level).collect();
        let found = steps(&values, 1);
        assert_eq!(found.iter().map(|step| step.at).collect::<Vec<usize>>(), [20, 40]);
        let near = |value: f64, level: f64| (value - level - 0.5).abs() < 0.2;
        assert!(
            near(found[0].before, 100.0) && near(found[0].after, 140.0) && near(found[1].after, 120.0),
            "{found:?}"
        );
        assert_eq!(steps(&values, 1), found, "the same for the same seed");
    }

    #[test]
    fn one_outlier_is_no_step_and_exact_figures_that_change_are_one() {
        let mut values = vec![100.0; 40];
        assert_eq!(steps(&values, 1), []);
        values[25] = 1e9;
        assert_eq!(steps(&values, 1), []);
        values = [[131.0; 12], [132.0; 12]].concat();
        let [step] = steps(&values, 1)[..] else { panic!("one step") };
        assert_eq!((step.at, step.before, step.after), (12, 131.0, 132.0));
    }

    #[test]
    fn the_newest_are_told_by_how_rare_their_order_is_alone() {
        assert_eq!(orders(22, 2), 231.0);
        for length in FEWEST..200 {
            let row: Vec<f64> = (0..length).map(|_| 1.0).collect();
            assert_eq!(newest(&row), None);
        }
        let row = |before: usize, after: usize| [vec![1.0; before], vec![2.0; after]].concat();
        assert_eq!(newest(&row(20, 3)), None);
        assert_eq!(newest(&row(20, 4)).map(|(at, _)| at), Some(20));
        let down: Vec<f64> = row(20, 4).iter().map(|value| -value).collect();
        assert_eq!(newest(&down).map(|(at, _)| at), Some(20));
    }

    proptest! {
        #[test]
        fn no_row_breaks_it(values in prop::collection::vec(any::<f64>(), 0..40), seed in any::<u64>()) {
            for step in steps(&values, seed) {
                prop_assert!(step.at > 0 && step.at < values.len() && step.chance <= CHANCE);
            }
        }
    }
}
