// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of samples: pure, bounded in memory, exact where a worst case is claimed.
//!
//! A [`SeriesBuilder`] takes samples and gives a [`backwall_model::Series`]. Exact for a run of any length: smallest, largest,
//! sum, counts and the worst [`backwall_model::WORST_KEPT`] samples. The rest is a histogram whose classes are at most 1/1024 of
//! their value wide, and slices over time. A built series gives quantiles with limits, claims, clusters and drift; groups of runs
//! are compared by their numbers alone. `docs/how-it-works/statistics.md` explains every figure, and how often the limits are
//! right.
#![warn(missing_docs)]

pub mod binomial;
pub mod claim;
pub mod classes;
pub mod dependence;
pub mod drift;
pub mod forecast;
pub mod histogram;
pub mod holm;
pub mod median;
pub mod permutation;
pub mod quantile;
pub mod random;
pub mod series;
pub mod shift;
pub mod slices;
pub mod step;
pub mod tail;

pub use series::{Block, SeriesBuilder, merged};
pub use slices::{bounded, is_gap, together};
