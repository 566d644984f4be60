// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts times in seconds to ticks of a picosecond. Text is converted without floating point.
use super::tick::TickRate;
use backwall_model::units::ClockRate;

const PER_SECOND: u64 = 1_000_000_000_000;
const PICO: i32 = 12;

pub(super) fn rate() -> TickRate {
    TickRate::Clock(ClockRate::new(PER_SECOND).expect("not zero"))
}

/// Picoseconds from text such as `-0.000998`, `-998.000E-06`, `+1e-9`, rounded to the nearest; `None` for other text, or beyond
/// 100 days.
pub(super) fn picoseconds(text: &str) -> Option<i64> {
    picoseconds_of(text, 0)
}

/// Like [`picoseconds`], but for text in a unit given as a power of ten of a second.
pub(super) fn picoseconds_of(text: &str, unit: i32) -> Option<i64> {
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok().filter(|power| power.abs() < 100)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > 30 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let found = scaled(digits.parse().ok()?, PICO + unit + exponent - fraction.len() as i32)?;
    let found = i64::try_from(found).ok()?;
    Some(if negative { -found } else { found })
}

/// `number` times a power of ten, rounded to the nearest integer.
fn scaled(number: u128, power: i32) -> Option<u128> {
    match u32::try_from(power) {
        Ok(up) if number == 0 || up < 38 => number.checked_mul(10u128.checked_pow(up.min(37))?),
        Ok(_) => None,
        Err(_) if power < -37 => Some(0),
        Err(_) => {
            let divisor = 10u128.pow(power.unsigned_abs());
            Some((number + divisor / 2) / divisor)
        }
    }
}

/// A file's floating-point seconds as picoseconds; `None` beyond a hundred days, or if not a number.
pub(super) fn of_float(seconds: f64) -> Option<i64> {
    let found = (seconds * PER_SECOND as f64).round();
    (found.abs() < i64::MAX as f64).then_some(found as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_every_manner_are_exact() {
        for (text, wanted) in [
            ("-998.000E-06", -998_000_000),
            ("+1e-9", 1_000),
            ("0.0000000000014", 1),
            ("0.0000000000015", 2),
            ("3600", 3_600 * PER_SECOND as i64),
            ("1.25", 1_250_000_000_000),
            (" 0 ", 0),
            ("0e99", 0),
            ("1e-60", 0),
        ] {
            assert_eq!(picoseconds(text), Some(wanted), "{text}");
        }
        for text in ["", "-", "1e", "e5", "1.2.3", "x", "1e99", "99999999", "0x10", "1e-999"] {
            assert_eq!(picoseconds(text), None, "{text}");
        }
        assert_eq!((of_float(1.5e-9), of_float(f64::NAN), of_float(1e30)), (Some(1_500), None, None));
    }
}
