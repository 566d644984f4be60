// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples along an axis; darker where there are more.
use crate::axis::Axis;
use crate::drawing::Drawing;

/// Counts samples in equal bins of an axis; each value counts entirely in its bin.
pub(super) fn bins(x: &Axis, places: usize, values: impl Iterator<Item = (f64, u64)>) -> Vec<u64> {
    let mut bins = vec![0u64; places];
    for (value, count) in values {
        let share = (x.at(value) - x.start()) / (x.end() - x.start());
        let bin = &mut bins[((share * places as f64) as usize).min(places - 1)];
        *bin = bin.saturating_add(count);
    }
    bins
}

pub(super) fn shades(drawing: &mut Drawing, x: &Axis, bins: &[u64], (top, height): (f64, f64), class: &str) {
    let most = bins.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = (x.end() - x.start()) / bins.len() as f64;
    for (bin, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let shade = 0.25 + 0.75 * (*count as f64).ln_1p() / most.ln_1p();
        drawing.shaded_rect(&format!("dot {class}"), (x.start() + width * bin as f64, top), (width, height), shade);
    }
}
