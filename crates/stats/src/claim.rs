// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims of the form "at most this share of responses exceeds the limit".
//!
//! The number of exceedances alone decides (Clopper-Pearson, one-sided): pass, fail, or undecided by these samples.
use super::binomial::{Binomial, first_where, highest_rate};
use super::quantile::Between;
use backwall_model::Outcome;

/// No claim is made about runs of more samples than this.
pub const FORECAST: u64 = 1_000_000_000;

/// A claim, and the samples that should decide it.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The share that may exceed the limit, in (0, 1).
    pub allowed: f64,
    /// Number of samples.
    pub samples: u64,
    /// The number of samples that exceed the limit, as a range if it is not known exactly.
    pub exceeding: Between,
    /// Required confidence, in (0, 1).
    pub confidence: f64,
    /// The share of the samples that count as independent, in (0, 1].
    pub independent: f64,
}

impl Claim {
    /// Passes if the samples prove that the share is small enough, and fails if they prove that it is too large.
    pub fn outcome(&self) -> Outcome {
        let chance = 1.0 - self.confidence;
        let counts = Binomial::new(self.counted(self.samples), self.allowed);
        if counts.at_most(self.counted_up(self.exceeding.high)) <= chance {
            Outcome::Pass
        } else if counts.at_least(self.counted(self.exceeding.low)) <= chance {
            Outcome::Fail
        } else {
            Outcome::Undecided
        }
    }

    /// Number of additional samples that would decide the claim if the share stays the same; 0 if it is decided. At most
    /// [`FORECAST`] samples in total.
    pub fn needs_more(&self) -> u64 {
        let decided = |samples| self.grown_to(samples).outcome() != Outcome::Undecided;
        if decided(self.samples) {
            return 0;
        }
        let mut end = self.samples.max(1);
        while end < FORECAST && !decided(end) {
            end = (end * 2).min(FORECAST);
        }
        first_where(self.samples, end, decided).saturating_sub(self.samples)
    }

    /// The largest share that the samples do not rule out.
    pub fn highest_share(&self) -> f64 {
        highest_rate(self.counted_up(self.exceeding.high), self.counted(self.samples), self.confidence)
    }

    /// The smallest share that the samples do not rule out.
    pub fn lowest_share(&self) -> f64 {
        let samples = self.counted(self.samples);
        1.0 - highest_rate(samples - self.counted(self.exceeding.low), samples, self.confidence)
    }

    fn counted(&self, samples: u64) -> u64 {
        if self.independent >= 1.0 { samples } else { (samples as f64 * self.independent) as u64 }
    }

    fn counted_up(&self, samples: u64) -> u64 {
        if self.independent >= 1.0 { samples } else { (samples as f64 * self.independent).ceil() as u64 }
    }

    fn grown_to(&self, samples: u64) -> Self {
        let scaled = |count: u64, round_up: u64| {
            let now = u128::from(self.samples.max(1));
            ((u128::from(count) * u128::from(samples) + u128::from(round_up) * (now - 1)) / now) as u64
        };
        let exceeding = Between { low: scaled(self.exceeding.low, 0), high: scaled(self.exceeding.high, 1) };
        Self { samples, exceeding, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn claim(allowed: f64, samples: u64, exceeding: u64, confidence: f64) -> Claim {
        Claim { allowed, samples, exceeding: Between { low: exceeding, high: exceeding }, confidence, independent: 1.0 }
    }

    #[test]
    fn without_an_exceedance_the_published_numbers_of_samples_pass() {
        for (allowed, fewest) in [
            (1e-2, [230, 299, 459, 688]),
            (1e-3, [2_302, 2_995, 4_603, 6_905]),
            (1e-4, [23_025, 29_956, 46_050, 69_075]),
            (1e-5, [230_258, 299_572, 460_515, 690_773]),
            (1e-6, [2_302_584, 2_995_731, 4_605_168, 6_907_752]),
            (1e-7, [23_025_850, 29_957_322, 46_051_700, 69_077_550]),
        ] {
            for (n, confidence) in fewest.into_iter().zip([0.9, 0.95, 0.99, 0.999]) {
                // The table prints the smallest whole number of samples; in two entries its last digit is rounded.
                let decided = claim(allowed, 0, 0, confidence).needs_more();
                assert!(decided.abs_diff(n) <= 1, "{allowed} at {confidence}: {decided}, not {n}");
                assert_eq!(claim(allowed, decided, 0, confidence).outcome(), Outcome::Pass);
                assert_eq!(claim(allowed, decided - 1, 0, confidence).outcome(), Outcome::Undecided);
            }
        }
    }

    #[test]
    fn a_millionth_allows_the_published_numbers_of_exceedances() {
        let fewest = [
            2_995_731, 4_743_863, 6_295_792, 7_753_655, 9_153_517, 10_513_033, 11_842_393, 13_148_111, 14_434_647,
            15_705_214, 16_962_216,
        ];
        for (exceeding, n) in (0..).zip(fewest) {
            assert_eq!(claim(1e-6, n + 2, exceeding, 0.95).outcome(), Outcome::Pass, "{exceeding} of {n} + 2");
            assert_eq!(claim(1e-6, n - 2, exceeding, 0.95).outcome(), Outcome::Undecided, "{exceeding} of {n} - 2");
        }
    }

    #[test]
    fn an_unknown_count_decides_only_when_both_ends_agree() {
        let between = |low, high| Claim { exceeding: Between { low, high }, ..claim(0.01, 1_000, 0, 0.95) };
        assert_eq!(between(0, 2).outcome(), Outcome::Pass);
        assert_eq!(between(0, 40).outcome(), Outcome::Undecided);
        assert_eq!(between(20, 40).outcome(), Outcome::Fail);
    }

    #[test]
    fn clustered_samples_count_as_fewer() {
        let clustered = Claim { independent: 0.25, ..claim(1e-2, 299, 0, 0.95) };
        assert_eq!((claim(1e-2, 299, 0, 0.95).outcome(), clustered.outcome()), (Outcome::Pass, Outcome::Undecided));
        assert_eq!(clustered.needs_more(), 4 * 299 - 299);
        assert_eq!(Claim { independent: 0.25, ..claim(1e-2, 4 * 299, 3, 0.95) }.outcome(), Outcome::Undecided);
    }

    #[test]
    fn no_samples_decide_nothing_and_the_exact_share_is_never_decided() {
        assert_eq!(claim(0.5, 0, 0, 0.95).outcome(), Outcome::Undecided);
        assert_eq!(claim(0.5, 100, 50, 0.95).needs_more(), FORECAST - 100);
    }

    proptest! {
        #[test]
        fn the_forecast_is_the_first_number_that_decides(n in 1u64..2_000, k in 0u64..6, allowed in 0.001f64..0.2) {
            let claim = claim(allowed, n, k.min(n), 0.95);
            let more = claim.needs_more();
            prop_assert_eq!(more == 0, claim.outcome() != Outcome::Undecided);
            if more > 0 && more < 1_000_000 {
                prop_assert_ne!(claim.grown_to(n + more).outcome(), Outcome::Undecided);
            }
        }

        #[test]
        fn shares_enclose_what_was_seen_and_agree_with_the_outcome(n in 1u64..3_000, k in 0u64..3_000, allowed in 0.001f64..0.9) {
            let claim = claim(allowed, n, k.min(n), 0.95);
            let seen = k.min(n) as f64 / n as f64;
            prop_assert!(claim.lowest_share() <= seen + 1e-9 && seen <= claim.highest_share() + 1e-9);
            match claim.outcome() {
                Outcome::Pass => prop_assert!(claim.highest_share() <= allowed + 1e-9),
                Outcome::Fail => prop_assert!(claim.lowest_share() >= allowed - 1e-9),
                Outcome::Undecided => {
                    prop_assert!(claim.highest_share() >= allowed - 1e-9 && claim.lowest_share() <= allowed + 1e-9);
                }
            }
        }
    }
}
