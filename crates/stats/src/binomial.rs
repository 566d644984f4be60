// SPDX-License-Identifier: MIT OR Apache-2.0
//! The binomial distribution, accurate in its tails for any number of trials.
//!
//! Order statistics and exceedances of independent samples are binomial, so every confidence limit of backwall comes from here.
//! Single probabilities use the saddle-point form of Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000).
//! Tails are summed outward. For so many trials that neighbouring terms hardly differ, an integral replaces the sum.
use super::shift::complement_of_error;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, TAU};

/// Above this variance a tail equals that of a normal distribution, to within 1e-4 of its sum.
const WIDE: f64 = 1e10;

/// The number of hits in `trials` independent trials with probability `p` each.
#[derive(Clone, Copy, Debug)]
pub struct Binomial {
    trials: u64,
    p: f64,
}

impl Binomial {
    /// `p` in (0, 1).
    ///
    /// # Panics
    /// If `p` is not in (0, 1).
    pub fn new(trials: u64, p: f64) -> Self {
        assert!(p > 0.0 && p < 1.0, "a probability in (0, 1), not {p}");
        Self { trials, p }
    }

    /// Probability of `hits` or fewer.
    pub fn at_most(&self, hits: u64) -> f64 {
        if hits >= self.trials {
            1.0
        } else if hits as f64 <= self.mean() {
            self.sum_down(hits)
        } else {
            1.0 - self.sum_up(hits + 1)
        }
    }

    /// Probability of `hits` or more.
    pub fn at_least(&self, hits: u64) -> f64 {
        if hits == 0 {
            1.0
        } else if hits > self.trials {
            0.0
        } else if hits as f64 > self.mean() {
            self.sum_up(hits)
        } else {
            1.0 - self.sum_down(hits - 1)
        }
    }

    /// The largest number `n` for which `n` or fewer hits have at most this probability; `None` if even 0 hits are more likely.
    pub fn most_unlikely_low(&self, chance: f64) -> Option<u64> {
        first_where(0, self.trials, |hits| self.at_most(hits) > chance).checked_sub(1)
    }

    /// The smallest number `n` for which `n` or more hits have at most this probability; `None` if even `trials` hits are more
    /// likely.
    pub fn fewest_unlikely_high(&self, chance: f64) -> Option<u64> {
        let hits = first_where(0, self.trials + 1, |hits| self.at_least(hits) <= chance);
        (hits <= self.trials).then_some(hits)
    }

    fn mean(&self) -> f64 {
        self.trials as f64 * self.p
    }

    fn exactly(&self, hits: u64) -> f64 {
        let (n, x, miss) = (self.trials as f64, hits as f64, (self.trials - hits) as f64);
        if hits == 0 {
            return (n * (-self.p).ln_1p()).exp();
        }
        if hits == self.trials {
            return (n * self.p.ln()).exp();
        }
        let error = stirling_error(n) - stirling_error(x) - stirling_error(miss);
        let deviance = half_deviance(x, n * self.p) + half_deviance(miss, n * (1.0 - self.p));
        (error - deviance).exp() * (n / (TAU * x * miss)).sqrt()
    }

    /// Sum of the probabilities of `hits`, `hits - 1`, … for `hits` at or below the mean.
    fn sum_down(&self, hits: u64) -> f64 {
        if self.variance() > WIDE {
            return self.wide_tail(hits);
        }
        let odds = (1.0 - self.p) / self.p;
        let step = |k: u64| (k > 0).then(|| k as f64 / (self.trials - k + 1) as f64 * odds);
        sum_outward(self.exactly(hits), (0..=hits).rev().map_while(step))
    }

    /// Sum of the probabilities of `hits`, `hits + 1`, … for `hits` above the mean.
    fn sum_up(&self, hits: u64) -> f64 {
        if self.variance() > WIDE {
            return self.wide_tail(hits);
        }
        let odds = self.p / (1.0 - self.p);
        let step = |k: u64| (self.trials - k) as f64 / (k + 1) as f64 * odds;
        sum_outward(self.exactly(hits), (hits..self.trials).map(step))
    }

    fn variance(&self) -> f64 {
        self.mean() * (1.0 - self.p)
    }

    /// The sum from `hits` outward: the first term, times Mills' ratio for the terms after it.
    fn wide_tail(&self, hits: u64) -> f64 {
        let spread = self.variance().sqrt();
        let away = (hits as f64 - self.mean()).abs() / spread;
        let x = away * FRAC_1_SQRT_2;
        // Beyond 20 the terms decrease at least geometrically, and even the first is negligible.
        let mills = if x < 20.0 { FRAC_PI_2.sqrt() * (x * x).exp() * complement_of_error(x) } else { 1.0 / away };
        (self.exactly(hits) * (0.5 + spread * mills)).min(1.0)
    }
}

/// Upper confidence limit of the rate of an event seen `hits` times in `trials` (Clopper-Pearson, one-sided).
pub fn highest_rate(hits: u64, trials: u64, confidence: f64) -> f64 {
    if hits >= trials {
        return 1.0;
    }
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while high - low > high * 1e-13 {
        let middle = if low == 0.0 { high / 16.0 } else { 0.5 * (low + high) };
        if Binomial::new(trials, middle).at_most(hits) > 1.0 - confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The smallest number in `low..end` for which `holds` is true; `end` if there is none. `holds` must stay true from there on.
pub fn first_where(mut low: u64, mut end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < end {
        let middle = low + (end - low) / 2;
        if holds(middle) {
            end = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// `first × (1 + r1 + r1 r2 + …)` for decreasing terms, to the precision of a double.
fn sum_outward(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    (first * sum).min(1.0)
}

/// `ln n! - ln(sqrt(2 pi n) (n/e)^n)` for `n >= 1`.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let factorial: f64 = (1..=n as u32).map(f64::from).product();
        return factorial.ln() - ((n + 0.5) * n.ln() - n + 0.5 * TAU.ln());
    }
    let square = n * n;
    let series = [1.0 / 1260.0, 1.0 / 1680.0, 1.0 / 1188.0];
    (1.0 / 12.0 - (1.0 / 360.0 - (series[0] - (series[1] - series[2] / square) / square) / square) / square) / n
}

/// `x ln(x / mean) + mean - x` without cancellation near the mean.
fn half_deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return x * (x / mean).ln() - difference;
    }
    let v = difference / (x + mean);
    let (mut sum, mut power) = (difference * v, 2.0 * x * v);
    for odd in (3..).step_by(2) {
        power *= v * v;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial as Oracle, DiscreteCDF};

    // Compares tails summed term by term with the closed form, where both are accurate.
    #[test]
    fn a_tail_of_very_many_trials_is_the_sum_of_its_terms() {
        for (trials, p) in [(4_000_000_000_000_u64, 0.5), (50_000_000_000_000, 0.001), (20_000_000_000_000_000, 1e-6)] {
            let many = Binomial::new(trials, p);
            let (mean, spread) = (many.mean(), many.variance().sqrt());
            for away in [0.1, 1.0, 2.0, 4.0] {
                let hits = (mean + away * spread) as u64;
                let odds = p / (1.0 - p);
                let step = |k: u64| (trials - k) as f64 / (k + 1) as f64 * odds;
                let summed = sum_outward(many.exactly(hits), (hits..trials).map(step));
                assert!(close(many.at_least(hits), summed, 1e-4), "{trials} {p} {away}: {summed}");
                assert!(close(many.at_most((mean - away * spread) as u64), summed, 2e-3), "{trials} {p} {away}");
            }
        }
    }

    // An imported file can contain any counts, so the time must not grow with the number of samples.
    #[test]
    fn as_many_trials_as_can_be_counted_have_limits() {
        let half = Binomial::new(1 << 62, 0.5);
        let low = half.most_unlikely_low(0.025).unwrap();
        let expected = (1u64 << 61) as f64 - 1.959_964 * (1u64 << 30) as f64;
        assert!(close(low as f64, expected, 1e-12), "{low}");
        assert!(half.fewest_unlikely_high(0.025).unwrap() > 1 << 61);
    }

    fn close(ours: f64, expected: f64, relative: f64) -> bool {
        (ours - expected).abs() <= relative * expected.abs()
    }

    #[test]
    fn small_cases_equal_their_exact_fractions() {
        let ten = Binomial::new(10, 0.5);
        assert!(close(ten.at_most(0), 1.0 / 1024.0, 1e-14));
        assert!(close(ten.at_most(1), 11.0 / 1024.0, 1e-14));
        assert!(close(ten.at_most(4), 386.0 / 1024.0, 1e-14));
        assert!(close(ten.at_least(5), 638.0 / 1024.0, 1e-14));
        assert!(close(Binomial::new(1, 0.25).at_least(1), 0.25, 1e-15));
        assert_eq!((ten.at_most(10), ten.at_least(0), ten.at_least(11)), (1.0, 1.0, 0.0));
        assert_eq!(Binomial::new(0, 0.5).at_most(0), 1.0);
    }

    #[test]
    fn the_zero_hit_tail_keeps_its_digits_for_many_trials() {
        let tail = Binomial::new(10_000_000_000, 1e-9).at_most(0);
        assert!(close(tail, (-10.0f64 - 5e-9).exp(), 1e-12), "{tail}");
    }

    #[test]
    fn highest_rates_equal_published_clopper_pearson_limits() {
        for (hits, trials, expected) in [
            (0, 1_000_000, 2.995728e-6),
            (1, 1_000_000, 4.743856e-6),
            (3, 1_000_000, 7.753638e-6),
            (0, 3_600_000, 8.321475e-7),
            (2, 10_000_000, 6.295792e-7),
        ] {
            assert!(close(highest_rate(hits, trials, 0.95), expected, 1e-6), "{hits} of {trials}");
        }
        assert_eq!(highest_rate(5, 5, 0.95), 1.0);
    }

    proptest! {
        #[test]
        fn tails_agree_with_an_independent_library(trials in 1u64..5_000, p in 0.0001f64..0.9999, share in 0.0f64..1.0) {
            let hits = (share * trials as f64) as u64;
            let (ours, oracle) = (Binomial::new(trials, p), Oracle::new(p, trials).unwrap());
            prop_assert!((ours.at_most(hits) - oracle.cdf(hits)).abs() < 1e-9);
            prop_assert!((ours.at_least(hits + 1) - oracle.sf(hits)).abs() < 1e-9);
            prop_assert!((ours.at_most(hits) + ours.at_least(hits + 1) - 1.0).abs() < 1e-11);
        }

        #[test]
        fn unlikely_counts_are_the_outermost(trials in 1u64..3_000, p in 0.001f64..0.999, chance in 0.001f64..0.2) {
            let b = Binomial::new(trials, p);
            match b.most_unlikely_low(chance) {
                Some(hits) => prop_assert!(b.at_most(hits) <= chance && b.at_most(hits + 1) > chance),
                None => prop_assert!(b.at_most(0) > chance),
            }
            match b.fewest_unlikely_high(chance) {
                Some(hits) => prop_assert!(b.at_least(hits) <= chance && b.at_least(hits - 1) > chance),
                None => prop_assert!(b.at_least(trials) > chance),
            }
        }
    }
}
