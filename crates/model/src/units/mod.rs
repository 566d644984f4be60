// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantities with units. Only this module converts clock counts to time.
//!
//! Counts of a device's clock and its [`ClockRate`] become nanoseconds. Executed instructions have a [`Unit`] of their own and
//! are never shown as time. This module also parses quantities that users type, and formats them.
pub mod near;
pub mod place;
pub mod ranges;
pub mod step;

use serde::{Deserialize, Serialize};
use std::fmt;

/// The unit of a value. Instructions are never shown as time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Nanoseconds of the device's clock.
    #[default]
    #[serde(rename = "ns")]
    Ns,
    /// Executed instructions of an emulated CPU.
    #[serde(rename = "instructions")]
    Instructions,
}

impl Unit {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Ns => "ns",
            Unit::Instructions => "instructions",
        }
    }
}

/// A duration in nanoseconds, as typed by a user or stored in a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub u64);

/// Counts per second of a device's clock, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRate(u64);

const NS_PER_S: u128 = 1_000_000_000;

impl ClockRate {
    /// `None` for a rate of zero.
    pub fn new(hz: u64) -> Option<Self> {
        (hz > 0).then_some(Self(hz))
    }

    /// Counts per second.
    pub fn hz(self) -> u64 {
        self.0
    }

    /// Counts to nanoseconds, rounded to the nearest; saturates at `u64::MAX`.
    pub fn ns_of(self, counts: u64) -> u64 {
        if self.0 as u128 == NS_PER_S {
            return counts;
        }
        let scaled = (counts as u128 * NS_PER_S + self.0 as u128 / 2) / self.0 as u128;
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

/// Why backwall cannot read a text as a duration.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadDuration {
    /// Not a number followed by a unit.
    #[error("{0:?} is not a duration; expected a number and one of ns, us, ms, s, m, h, d (for example 30s)")]
    Malformed(String),
    /// More nanoseconds than fit in 64 bits.
    #[error("{0:?} is too long; the limit is 500 years (4380000h)")]
    TooLong(String),
}

const DURATION_UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Reads `30s`, `1ms`, `1.5s`. A number without a unit is multiplied by `bare_ns`.
fn parse_duration(text: &str, bare_ns: Option<u64>) -> Result<Nanoseconds, BadDuration> {
    let bad = || BadDuration::Malformed(text.to_string());
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let factor = match (suffix, bare_ns) {
        ("", Some(ns)) => ns,
        _ => DURATION_UNITS.iter().find(|(name, _)| *name == suffix).ok_or_else(bad)?.1,
    };
    match decimal_times(number, factor) {
        Some(ns) => Ok(Nanoseconds(ns)),
        None if decimal_times(number, 1).is_some() || is_long(number) => Err(BadDuration::TooLong(text.to_string())),
        None => Err(bad()),
    }
}

/// Whether the text is a whole number with more digits than fit in 64 bits.
fn is_long(number: &str) -> bool {
    number.len() > 19 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `number × factor` in integers; `None` if the result is not a whole number or too large.
pub fn decimal_times(number: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.len() > 12 {
        return None;
    }
    let scale = 10u128.pow(fraction.len() as u32);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let product = digits.checked_mul(factor as u128)?;
    (product % scale == 0).then(|| u64::try_from(product / scale).ok()).flatten()
}

/// clap parser of a duration with a unit: `30s`, `1ms`.
pub fn duration(text: &str) -> Result<Nanoseconds, BadDuration> {
    parse_duration(text, None)
}

/// clap parser of a measuring time: a duration, where a bare number means seconds as in cyclictest's `-D`.
pub fn seconds(text: &str) -> Result<Nanoseconds, BadDuration> {
    parse_duration(text, Some(1_000_000_000))
}

/// clap parser of a period: a duration, where a bare number means microseconds as in cyclictest.
pub fn period(text: &str) -> Result<Nanoseconds, BadDuration> {
    parse_duration(text, Some(1_000))
}

/// A value formatted for people: nanoseconds are scaled to at least three digits, instructions get thousands separators.
pub struct DisplayedValue(pub u64, pub Unit);

impl fmt::Display for DisplayedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.1 {
            Unit::Instructions => grouped(self.0),
            Unit::Ns if self.0 < 10_000_000 => tenths(self.0 as f64 / 1e3) + " us",
            Unit::Ns if self.0 < 10_000_000_000 => tenths(self.0 as f64 / 1e6) + " ms",
            Unit::Ns => tenths(self.0 as f64 / 1e9) + " s",
        };
        f.pad(&text)
    }
}

/// A whole number with a comma before each group of three digits.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun, with thousands separators: `1 job`, `2,000 jobs`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A value with one decimal and thousands separators: `3,204.5`.
pub fn tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    match digits.split_once('.').and_then(|(whole, tenth)| Some((whole.parse::<u64>().ok()?, tenth))) {
        Some((whole, tenth)) => format!("{sign}{}.{tenth}", grouped(whole)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_period_is_microseconds_and_a_bare_duration_is_refused() {
        assert_eq!(period("200"), Ok(Nanoseconds(200_000)));
        assert_eq!(period("1ms"), Ok(Nanoseconds(1_000_000)));
        assert_eq!(duration("1.5s"), Ok(Nanoseconds(1_500_000_000)));
        assert!(duration("30").is_err());
        assert_eq!(
            (seconds("30"), seconds("1d")),
            (Ok(Nanoseconds(30_000_000_000)), Ok(Nanoseconds(86_400_000_000_000)))
        );
        for text in ["100000000h", "99999999999999999999s"] {
            assert!(matches!(seconds(text), Err(BadDuration::TooLong(_))), "{text}");
        }
    }

    #[test]
    fn durations_that_are_no_numbers_or_too_large_are_refused() {
        for text in ["", "s", ".5s", "5.s", "-1s", "1e3s", "99999999999h", "1.0000000000001s", "0.1ns", "1 s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_become_nanoseconds_without_overflow() {
        let rate = ClockRate::new(3).unwrap();
        assert_eq!(rate.ns_of(2), 666_666_667);
        assert_eq!(ClockRate::new(1_193_182).unwrap().ns_of(u64::MAX), u64::MAX);
        assert_eq!(ClockRate::new(0), None);
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(grouped(1), "1");
        assert_eq!(grouped(42_159), "42,159");
        assert_eq!(grouped(1_000_000), "1,000,000");
        let values = [0.04, -1_234.56, 999.95, 1_234_567.0, 1e30].map(tenths);
        assert_eq!(values[..4], ["0.0", "-1,234.6", "1,000.0", "1,234,567.0"]);
        assert!(values[4].ends_with(".0") && tenths(f64::NAN) == "NaN");
    }
}
