// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of samples: pure, bounded in memory, exact where a worst case is claimed.
//!
//! A [`SeriesBuilder`] takes samples and gives a [`run::Series`]. What stays exact for a
//! run of any length: smallest, largest, sum, counts and the worst [`run::WORST_KEPT`] samples. The rest
//! is a histogram whose classes are at most 1/1024 of their value wide, and slices over time.

pub mod binomial;
pub mod claim;
pub mod classes;
pub mod dependence;
pub mod histogram;
pub mod median;
pub mod permutation;
pub mod quantile;
pub mod random;
pub mod series;
pub mod shift;
pub mod slices;
pub mod tail;

pub use series::{Block, SeriesBuilder, merged};
pub use slices::{bounded, is_gap, together};
