// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round steps for divisions and axes: 1, 2 or 5 times a power of ten.

const DIGITS: [u64; 3] = [1, 2, 5];

/// The smallest round step that is at least `needed`; 1 for 0, and the largest number if no step is large enough.
pub fn at_least(needed: u64) -> u64 {
    let mut decade: u64 = 1;
    loop {
        let mut steps = DIGITS.into_iter().map(|digit| decade.saturating_mul(digit));
        if let Some(step) = steps.find(|step| *step >= needed) {
            return step;
        }
        decade = decade.saturating_mul(10);
    }
}

/// The smallest round step that is at least `value`; both may be fractions.
pub fn above(value: f64) -> f64 {
    let (digits, decade) = split(value);
    at_least((digits * 0.999_999).ceil() as u64) as f64 * decade
}

/// The largest round step that is at most `value`; both may be fractions.
pub fn below(value: f64) -> f64 {
    let (digits, decade) = split(value);
    let step = DIGITS.into_iter().rev().find(|step| *step as f64 <= digits * 1.000_001);
    step.unwrap_or(1) as f64 * decade
}

/// A value as digits in [1, 10), up to rounding, times a power of ten.
fn split(value: f64) -> (f64, f64) {
    let value = value.max(1e-12);
    let decade = 10f64.powf(value.log10().floor());
    (value / decade, decade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_one_two_or_five_times_a_power_of_ten() {
        assert_eq!([0, 1, 3, 9, 12, 1_000, 42_159].map(at_least), [1, 1, 5, 10, 20, 1_000, 50_000]);
        assert_eq!([u64::MAX / 2, u64::MAX].map(at_least), [10_000_000_000_000_000_000, u64::MAX]);
        assert_eq!([0.7, 1.0, 1.1, 42_159.0].map(above), [1.0, 1.0, 2.0, 50_000.0]);
        assert_eq!([0.7, 1.0, 1.9, 42_159.0].map(below), [0.5, 1.0, 1.0, 20_000.0]);
    }

    proptest! {
        #[test]
        fn whole_and_fractional_steps_agree(needed in 1u64..100_000) {
            prop_assert_eq!(above(needed as f64), at_least(needed) as f64);
            let under = below(needed as f64);
            prop_assert!(under <= needed as f64 && needed as f64 <= under * 2.5);
        }
    }
}
