// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in other tools' files, which have no units.
use super::span::Span;
use backwall_model::units::decimal_times;

/// Converts a time in this unit to nanoseconds.
pub fn time(text: &str, unit_ns: u64) -> Result<Span, String> {
    let text = text.trim();
    // Some programs write a point and zeros to mark a floating-point number.
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    decimal_times(short, unit_ns).map(Span).ok_or_else(|| format!("{text:?}: expected a number of whole nanoseconds"))
}

/// Whether a number is zero or missing: `0`, `0.0`, or empty.
pub fn is_zero(text: &str) -> bool {
    text.trim().chars().all(|letter| letter == '0' || letter == '.')
}
