// SPDX-License-Identifier: MIT OR Apache-2.0
//! Histogram classes: one value each at first, then a fixed number of classes per doubling.
//!
//! Every bound is a whole number, and a class is at most 1 / `1 << BITS` of its values wide.

/// The class of a value.
#[inline]
pub fn class_of<const BITS: u32>(value: u64) -> usize {
    let shift = u64::BITS - 1 - BITS - (value | 1 << BITS).leading_zeros();
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The smallest value of a class.
pub fn lower_bound<const BITS: u32>(class: usize) -> u64 {
    let shift = (class >> BITS).saturating_sub(1) as u32;
    ((class as u64) - ((shift as u64) << BITS)) << shift
}
