// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in other tools' files, which have no units.
use super::span::Span;
use backwall_model::units::decimal_times;

/// A time in a file with this unit in nanoseconds.
pub fn time(text: &str, unit_ns: u64) -> Result<Span, String> {
    let text = text.trim();
    // Some writers add a zero after the point to show that a number is not whole.
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    decimal_times(short, unit_ns).map(Span).ok_or_else(|| format!("{text:?}: expected a number of whole nanoseconds"))
}

/// Whether a number is zero or missing: `0`, `0.0`, or empty.
pub fn is_zero(text: &str) -> bool {
    text.trim().chars().all(|letter| letter == '0' || letter == '.')
}
