// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shift between two groups of numbers: the median of all differences, with confidence limits (Hodges and Lehmann, "Estimates
//! of location based on rank tests", 1963).
use std::f64::consts::SQRT_2;

/// How far the second group is above the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The median of all differences between a number of one group and a number of the other.
    pub middle: f64,
    /// The lower limit; `None` with too few numbers.
    pub low: Option<f64>,
    /// The upper limit; `None` with too few numbers.
    pub high: Option<f64>,
}

/// The shift from `a` to `b`, with limits of this confidence in (0, 1). `None` if a group is empty.
pub fn shift(a: &[f64], b: &[f64], confidence: f64) -> Option<Shift> {
    let mut differences: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect();
    differences.sort_by(f64::total_cmp);
    let last = differences.len().checked_sub(1)?;
    let middle = 0.5 * (differences[last / 2] + differences[last - last / 2]);
    let cut = outside(a.len(), b.len(), 0.5 * (1.0 - confidence));
    let low = cut.checked_sub(1).map(|index| differences[index]);
    let high = cut.checked_sub(1).map(|index| differences[last - index]);
    Some(Shift { middle, low, high })
}

/// The rank, from 1, of the difference that serves as the lower limit; 0 if there is none. It is the largest rank r with this
/// property: without a shift, fewer than r differences are on one side with a probability of at most `chance`.
fn outside(a: usize, b: usize, chance: f64) -> usize {
    /// For more differences, the normal approximation is far more accurate than needed.
    const COUNTED: usize = 2_500;
    if a * b > COUNTED {
        let (a, b) = (a as f64, b as f64);
        let spread = (a * b * (a + b + 1.0) / 12.0).sqrt();
        return (a * b / 2.0 - normal_quantile(1.0 - chance) * spread).max(0.0) as usize;
    }
    let mut summed = 0.0;
    rank_chances(a, b).iter().take_while(|one| (summed += **one, summed <= chance).1).count()
}

/// The probabilities that 0, 1, 2 … of the `a * b` differences are on one side if there is no shift: the distribution of Mann and
/// Whitney's U, by their recurrence over the group sizes.
fn rank_chances(a: usize, b: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; b + 1];
    for n in 1..=a {
        let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
        for m in 1..=b {
            // The largest number is one of the n, and then larger than all m, or it is one of the m.
            let (of_n, of_m) = (n as f64 / (n + m) as f64, m as f64 / (n + m) as f64);
            let mut row = vec![0.0; n * m + 1];
            rows[m].iter().enumerate().for_each(|(u, chance)| row[u + m] += of_n * chance);
            next[m - 1].iter().enumerate().for_each(|(u, chance)| row[u] += of_m * chance);
            next.push(row);
        }
        rows = next;
    }
    rows.swap_remove(b)
}

/// The quantile of the standard normal distribution at `p` in (0.5, 1), by bisection.
pub fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        if 1.0 - 0.5 * complement_of_error(middle / SQRT_2) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// erfc of a number of at least 0, with a relative error of 1e-7 (Abramowitz and Stegun 7.1.26 refined: Numerical Recipes 6.2).
pub(super) fn complement_of_error(x: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let series = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    t * (series - x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    #[test]
    fn a_published_example() {
        // Two groups of four, with all differences 5 on average: U = 0 has a probability of 1/70, so there are limits at 95 %.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [6.0, 7.0, 8.0, 9.0]);
        assert_eq!(shift(&a, &b, 0.95), Some(Shift { middle: 5.0, low: Some(2.0), high: Some(8.0) }));
    }

    #[test]
    fn three_a_side_give_no_limits_at_95_percent_and_none_give_nothing() {
        let found = shift(&[1.0, 2.0, 3.0], &[11.0, 12.0, 13.0], 0.95).unwrap();
        assert_eq!((found.middle, found.low, found.high), (10.0, None, None));
        assert_eq!(shift(&[], &[1.0], 0.95), None);
    }

    #[test]
    fn the_chances_of_ranks_are_those_of_the_tables() {
        // Mann and Whitney (1947), table for n = m = 4: 1, 1, 2, 3, 5 … of 70.
        let found = rank_chances(4, 4);
        for (u, ways) in [1.0, 1.0, 2.0, 3.0, 5.0, 5.0, 7.0, 7.0, 8.0].iter().enumerate() {
            assert!((found[u] * 70.0 - ways).abs() < 1e-9, "{u}: {}", found[u] * 70.0);
        }
        assert_eq!(found.len(), 17);
    }

    #[test]
    fn the_normal_quantile_equals_an_independent_one() {
        let normal = Normal::new(0.0, 1.0).unwrap();
        for p in [0.6, 0.8, 0.95, 0.975, 0.999] {
            assert!((normal_quantile(p) - normal.inverse_cdf(p)).abs() < 1e-5, "{p}");
        }
    }

    #[test]
    fn counted_and_approximated_limits_agree() {
        let counted = outside(50, 50, 0.025);
        let (n, spread) = (2_500.0_f64, (2_500.0_f64 * 101.0 / 12.0).sqrt());
        assert!((counted as f64 - (n / 2.0 - 1.96 * spread)).abs() <= 2.0, "{counted}");
    }

    proptest! {
        #[test]
        fn a_shift_that_was_put_in_lies_within_the_limits(
            a in prop::collection::vec(-100.0..100.0, 4..12),
            by in -50.0..50.0f64,
        ) {
            let b: Vec<f64> = a.iter().map(|value| value + by).collect();
            let found = shift(&a, &b, 0.95).unwrap();
            prop_assert!((found.middle - by).abs() < 1e-9);
            prop_assert!(found.low.unwrap() <= by + 1e-9 && found.high.unwrap() >= by - 1e-9);
        }
    }
}
