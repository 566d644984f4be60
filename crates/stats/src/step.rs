// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a row of numbers went to another level, and whether chance alone would show as much.
//!
//! The numbers are replaced by their ranks, so that neither a distribution nor an outlier decides. Each place where the row can be cut
//! is tried; the cut counts whose sum of ranks lies furthest from what it would be, were there no step (Pettitt, "A non-parametric
//! approach to the change-point problem", 1979, with each cut measured in its own spread). Under the hypothesis that nothing changed every order of
//! the numbers is equally likely, so the same is done with orders drawn at random, and the share of those that show as much is the
//! chance. What lies on both sides of a step is looked through likewise. A row without a step therefore shows one with the chance
//! [`CHANCE`], whatever its distribution; numbers that depend on their neighbours are no such row.
use super::median::median;
use super::random::SplitMix;

/// A row in which nothing changed is said to have a step with this chance.
pub const CHANCE: f64 = 0.001;
/// Orders that are drawn at random; the one that was found counts as one more.
const ORDERS: usize = 9_999;
/// With more orders that show as much, the found one included, it is chance.
const ALLOWED: usize = 10;
/// Fewer numbers than these have no order that is rare enough.
const FEWEST: usize = 8;

/// The numbers went to another level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The first number of the new level, counted from 0.
    pub at: usize,
    /// The median from the step before, or from the beginning.
    pub before: f64,
    /// The median until the next step, or until the end.
    pub after: f64,
    /// The share, in (0, [`CHANCE`]], of orders at random that show as much.
    pub chance: f64,
}

/// The steps of a row, in its order. The orders at random come from `seed`.
pub fn steps(values: &[f64], seed: u64) -> Vec<Step> {
    let mut cuts = Vec::new();
    look(values, 0, &mut SplitMix(seed), &mut cuts);
    cuts.sort_by_key(|(at, _)| *at);
    let end = |index: usize| cuts.get(index).map_or(values.len(), |(at, _)| *at);
    let step = |(index, &(at, chance)): (usize, &(usize, f64))| {
        let start = index.checked_sub(1).map_or(0, end);
        Step { at, before: middle(&values[start..at]), after: middle(&values[at..end(index + 1)]), chance }
    };
    cuts.iter().enumerate().map(step).collect()
}

/// Puts the cuts of a part of the row, which begins at `offset`, behind those that were found.
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

/// Twice the rank of each number, less the mean of all: whole numbers, whose sums are exact in any order. Equal numbers share a rank.
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

/// The cut whose sum lies furthest from zero in its own spread, and how far, squared.
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

/// The share of orders that show as much; `None` as soon as it is known to be more than [`CHANCE`].
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

    /// A normal variable from twelve even ones, good to three of its spreads.
    fn noise(random: &mut SplitMix) -> f64 {
        (0..12).map(|_| random.below(1 << 32) as f64 / (1_u64 << 32) as f64).sum::<f64>() - 6.0
    }

    /// A figure of `runs` runs that differ by `spread` of themselves.
    fn row(random: &mut SplitMix, runs: usize, level: f64, spread: f64) -> Vec<f64> {
        (0..runs).map(|_| level * (spread * noise(random)).exp()).collect()
    }

    /// In how many of so many rows of two parts a step is found, no further than `near` from where it is.
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
        // Two are to be expected of each; more than six come with a chance of 1 in 200, and the seeds are always these.
        let all =
            [(16, false), (40, false), (40, true), (100, true)].map(|(runs, tailed)| alarms(&mut random, runs, tailed));
        assert!(all.iter().all(|count| *count <= 6) && all.iter().sum::<usize>() <= 12, "{all:?} of 2,000 each");
    }

    #[test]
    fn a_tenth_more_is_found_after_two_nights_of_twenty_runs() {
        assert_eq!(found(200, (40, 40), 10, 0.05), 200);
        assert!(found(200, (40, 40), 2, 0.05) >= 180, "and nearly always to two runs");
        // A night has one run: seven of them behind twenty are enough, where runs differ by a fiftieth.
        assert!(found(200, (20, 7), 1, 0.02) >= 190);
        assert_eq!(found(200, (20, 2), 22, 0.02), 0, "no order of two among twenty is so rare");
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

    proptest! {
        #[test]
        fn no_row_breaks_it(values in prop::collection::vec(any::<f64>(), 0..40), seed in any::<u64>()) {
            for step in steps(&values, seed) {
                prop_assert!(step.at > 0 && step.at < values.len() && step.chance <= CHANCE);
            }
        }
    }
}
