// SPDX-License-Identifier: MIT OR Apache-2.0
//! The median of a few values, and its confidence limits.
use super::binomial::Binomial;

/// Median of sorted values, of which there must be at least one.
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// The indexes of the sorted values that enclose the median with this confidence, for any distribution; `None` with too few
/// values.
pub fn ranks(count: usize, confidence: f64) -> Option<(usize, usize)> {
    let half = Binomial::new(count as u64, 0.5);
    let low = half.most_unlikely_low((1.0 - confidence) / 2.0)? as usize;
    Some((low, count - 1 - low))
}
