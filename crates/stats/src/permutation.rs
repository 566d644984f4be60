// SPDX-License-Identifier: MIT OR Apache-2.0
//! The permutation test: do two groups of numbers differ more than a random division into groups would?
//!
//! If nothing changed, every way to divide the numbers into the two groups is equally likely. The p-value is the share
//! of divisions in which the group means are at least as far apart as the actual ones. The test assumes neither a
//! distribution nor equal spread (Fisher, "The Design of Experiments", 1935; Pitman 1937).

use super::random::SplitMix;

/// If there are at most this many divisions, the test examines all of them; otherwise it examines this many random
/// ones.
const DIVISIONS: u64 = 20_000;
/// Sums in a different order differ in their last bits, so smaller differences count as equal.
const SLACK: f64 = 1e-9;

/// The two-sided p-value, in (0, 1]: the probability that a random division separates the group means at least this much; 1 for
/// an empty group. Random divisions use `seed`; the actual division counts as one.
pub fn chance(a: &[f64], b: &[f64], seed: u64) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    // Subtract the mean, so that the sum of one group alone determines the distance of the means.
    let around: Vec<f64> = all.iter().map(|value| value - mean).collect();
    let found = around[..a.len()].iter().sum::<f64>().abs();
    let least = found - SLACK * (1.0 + found);
    match divisions(all.len() as u64, a.len() as u64) {
        Some(ways) if ways <= DIVISIONS => exactly(&around, a.len(), least) as f64 / ways as f64,
        _ => (drawn(around, a.len(), least, seed) + 1) as f64 / (DIVISIONS + 1) as f64,
    }
}

/// The smallest p-value possible with groups of these sizes.
pub fn smallest_chance(a: usize, b: usize) -> f64 {
    let ways = divisions((a + b) as u64, a as u64).unwrap_or(u64::MAX).min(DIVISIONS + 1) as f64;
    // For groups of equal size, the division with the groups exchanged has the same distance.
    if a == b { (2.0 / ways).min(1.0) } else { 1.0 / ways }
}

/// Number of ways to choose `k` of `n`; `None` if it exceeds 64 bits.
fn divisions(n: u64, k: u64) -> Option<u64> {
    (1..=k.min(n - k)).try_fold(1u64, |ways, i| ways.checked_mul(n + 1 - i).map(|product| product / i))
}

/// Number of ways to choose `k` of the values so that their sum is at least `least` away from zero.
fn exactly(values: &[f64], k: usize, least: f64) -> u64 {
    let mut chosen: Vec<usize> = (0..k).collect();
    let mut count = 0;
    loop {
        count += u64::from(chosen.iter().map(|&index| values[index]).sum::<f64>().abs() >= least);
        let Some(place) = (0..k).rev().find(|&place| chosen[place] < values.len() - k + place) else { return count };
        chosen[place] += 1;
        (place + 1..k).for_each(|next| chosen[next] = chosen[next - 1] + 1);
    }
}

fn drawn(mut values: Vec<f64>, k: usize, least: f64, seed: u64) -> u64 {
    let mut random = SplitMix(seed);
    let one = |_: &u64| {
        for place in 0..k {
            let other = place + random.below((values.len() - place) as u64) as usize;
            values.swap(place, other);
        }
        values[..k].iter().sum::<f64>().abs() >= least
    };
    (0..DIVISIONS).filter(one).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn groups_that_do_not_overlap_have_the_smallest_chance_there_is() {
        for (n, published) in [(3, 0.1), (4, 0.0286), (5, 0.0079)] {
            let (a, b): (Vec<f64>, Vec<f64>) =
                ((0..n).map(f64::from).collect(), (0..n).map(|i| f64::from(i) + 50.0).collect());
            let p = chance(&a, &b, 1);
            assert!((p - published).abs() < 5e-5, "{n} a side: {p}");
            assert_eq!(p, smallest_chance(a.len(), b.len()));
        }
    }

    #[test]
    fn a_case_that_can_be_counted_by_hand() {
        // The six ways to choose two of 1, 2, 3, 10 have sums 3, 4, 11, 5, 12, 13, with the mean 8.
        assert_eq!(chance(&[1.0, 10.0], &[2.0, 3.0], 1), 1.0);
        assert_eq!(chance(&[1.0, 3.0], &[2.0, 10.0], 1), 4.0 / 6.0);
        assert_eq!(chance(&[1.0, 2.0], &[3.0, 10.0], 1), 2.0 / 6.0);
    }

    #[test]
    fn drawn_divisions_come_near_the_exact_chance_and_repeat() {
        let values = |shift: f64| (0..9).map(|i| f64::from(i * i) + shift).collect::<Vec<f64>>();
        let (a, b) = (values(0.0), values(20.0));
        let around: Vec<f64> = {
            let mean = a.iter().chain(&b).sum::<f64>() / 18.0;
            a.iter().chain(&b).map(|value| value - mean).collect()
        };
        let least = around[..9].iter().sum::<f64>().abs() - SLACK;
        let exact = exactly(&around, 9, least) as f64 / divisions(18, 9).unwrap() as f64;
        assert!((chance(&a, &b, 7) - exact).abs() < 0.01, "{exact}");
        assert_eq!(chance(&a, &b, 7), chance(&a, &b, 7));
    }

    #[test]
    fn equal_groups_and_empty_ones_differ_by_chance() {
        assert_eq!(chance(&[2.0; 5], &[2.0; 5], 1), 1.0);
        assert_eq!(chance(&[], &[1.0], 1), 1.0);
    }

    proptest! {
        #[test]
        fn it_is_a_chance_and_symmetric(a in prop::collection::vec(-1e3..1e3, 1..6), b in prop::collection::vec(-1e3..1e3, 1..6)) {
            let p = chance(&a, &b, 3);
            prop_assert!(p > 0.0 && p <= 1.0);
            prop_assert!((p - chance(&b, &a, 3)).abs() < 1e-12);
            prop_assert!(p >= smallest_chance(a.len(), b.len()) - 1e-12);
        }
    }
}
