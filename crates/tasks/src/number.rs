// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers in other tools' files, which have no units of their own.
use super::span::Span;
use backwall_model::units::decimal_times;

/// A time in a file that counts in units of so many nanoseconds.
pub fn time(text: &str, unit_ns: u64) -> Result<Span, String> {
    let text = text.trim();
    // A zero behind the point is how some writers show that a number is no whole one.
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    decimal_times(short, unit_ns).map(Span).ok_or_else(|| format!("{text:?}: expected a number of whole nanoseconds"))
}

/// Whether a text is a number that says nothing: `0`, `0.0`, or none at all.
pub fn is_zero(text: &str) -> bool {
    text.trim().chars().all(|letter| letter == '0' || letter == '.')
}
