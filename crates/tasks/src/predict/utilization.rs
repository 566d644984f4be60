// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shares of CPU time as fixed-point numbers, rounded down and up, and the tests that need only these.
use serde::Serialize;

/// The number that stands for a share of 1. The product of two shares of up to 2 fits into 128 bits.
const WHOLE: u128 = 1 << 60;

/// A share of CPU time, known to lie between two fixed-point numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    low: u128,
    high: u128,
}

impl Share {
    /// The share of `work_ns` every `distance_ns`.
    pub fn of(work_ns: u64, distance_ns: u64) -> Self {
        let scaled = u128::from(work_ns) * WHOLE;
        Self { low: scaled / u128::from(distance_ns), high: scaled.div_ceil(u128::from(distance_ns)) }
    }

    /// The sum of both shares.
    pub fn plus(self, other: Self) -> Self {
        Self { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// Whether this share is certainly above the offered one.
    pub fn exceeds(self, offered: Share) -> bool {
        self.low > offered.high
    }

    /// Whether this share may be above the offered one.
    pub fn may_exceed(self, offered: Share) -> bool {
        self.high > offered.low
    }

    /// The share in percent, for display.
    pub fn percent(self) -> f64 {
        self.high as f64 / WHOLE as f64 * 100.0
    }
}

impl std::iter::Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), Self::plus)
    }
}

/// Results of the two sufficient utilization tests. A test that fails does not prove a missed deadline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Sufficient {
    /// `U <= n (2^(1/n) - 1)`: Liu and Layland 1973.
    pub liu_layland: bool,
    /// The right side of that inequality, for display.
    pub liu_layland_bound: f64,
    /// `(U1 + 1)(U2 + 1) ... <= 2`: Bini, Buttazzo and Buttazzo 2003.
    pub hyperbolic: bool,
    /// The left side of that inequality, for display.
    pub hyperbolic_product: f64,
}

/// Tests for rate-monotonic tasks with deadline = period, without blocking, jitter and overheads. Shares are rounded up, so a
/// pass is certain.
pub fn sufficient(shares: &[Share]) -> Sufficient {
    let count = shares.len() as u128;
    let total = shares.iter().fold(0, |sum: u128, share| sum.saturating_add(share.high));
    let mean = WHOLE.saturating_add(total.div_ceil(count.max(1)));
    let even = product(std::iter::repeat_n(mean, shares.len()));
    let uneven = product(shares.iter().map(|share| WHOLE.saturating_add(share.high)));
    let inverse = 1.0 / shares.len().max(1) as f64;
    let factor = |share: &Share| 1.0 + share.percent() / 100.0;
    Sufficient {
        liu_layland: even <= 2 * WHOLE,
        liu_layland_bound: shares.len() as f64 * (2f64.powf(inverse) - 1.0),
        hyperbolic: uneven <= 2 * WHOLE,
        hyperbolic_product: shares.iter().map(factor).product(),
    }
}

/// The product, rounded up. Beyond 2 its exact value does not matter.
fn product(factors: impl Iterator<Item = u128>) -> u128 {
    let capped = |value: u128| value.min(4 * WHOLE);
    factors.fold(WHOLE, |product, factor| capped((capped(product) * capped(factor)).div_ceil(WHOLE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_thirds_is_neither_above_nor_below_one() {
        let thirds: Share = (0..3).map(|_| Share::of(1, 3)).sum();
        assert!(!thirds.exceeds(Share::of(1, 1)) && !Share::of(1, 1).exceeds(thirds));
        assert!(thirds.plus(Share::of(1, 1 << 50)).exceeds(Share::of(1, 1)));
    }

    #[test]
    fn one_task_may_take_all() {
        let found = sufficient(&[Share::of(5, 5)]);
        assert!(found.liu_layland && found.hyperbolic);
        assert!(!sufficient(&[Share::of(5, 5), Share::of(1, 1000)]).hyperbolic);
    }
}
