// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the whole costs beside the sum of its parts, with limits.
use crate::stats::median::{median, ranks};
use serde::Serialize;

/// The confidence of the limits.
pub const CONFIDENCE: f64 = 0.95;

/// One round: each measured once, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Computing alone.
    pub compute_ns: u64,
    /// Displaying alone, what was computed before.
    pub display_ns: u64,
    /// Both at once.
    pub both_ns: u64,
}

/// The ratio of the whole to the sum of its parts: the median over rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Half of the rounds are above it.
    pub median: f64,
    /// The limits at [`CONFIDENCE`], from the ranks of the rounds; none of fewer than six rounds.
    pub limits: Option<(f64, f64)>,
}

/// Of at least one round.
pub fn ratio(rounds: &[Round]) -> Option<Ratio> {
    let mut ratios: Vec<f64> = rounds
        .iter()
        .filter(|round| round.compute_ns + round.display_ns > 0)
        .map(|round| round.both_ns as f64 / (round.compute_ns + round.display_ns) as f64)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let limits = ranks(ratios.len(), CONFIDENCE).map(|(low, high)| (ratios[low], ratios[high]));
    (!ratios.is_empty()).then(|| Ratio { median: median(&ratios), limits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(compute_ns: u64, display_ns: u64, both_ns: u64) -> Round {
        Round { compute_ns, display_ns, both_ns }
    }

    #[test]
    fn the_posts_own_figures_give_its_own_ratio() {
        let post = ratio(&[round(9, 2, 20)]).unwrap();
        assert!((post.median - 20.0 / 11.0).abs() < 1e-12);
        assert_eq!(post.limits, None);
    }

    #[test]
    fn six_rounds_are_limited_by_their_ends_and_nine_by_their_second() {
        let rounds: Vec<Round> = (1..=9).map(|both| round(1, 0, both)).collect();
        assert_eq!(ratio(&rounds[..6]).unwrap().limits, Some((1.0, 6.0)));
        assert_eq!(ratio(&rounds[..5]).unwrap().limits, None);
        assert_eq!(ratio(&rounds).unwrap().limits, Some((2.0, 8.0)));
        assert!(ratio(&[]).is_none());
    }
}
