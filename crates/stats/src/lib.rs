// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of samples: without side effects, bounded in memory, exact where a worst case is stated.
//!
//! A [`SeriesBuilder`] takes samples and builds a [`backwall_model::Series`]. Minimum, maximum, sum, counts and the worst
//! [`backwall_model::WORST_KEPT`] samples are exact for a run of any length. The rest is a histogram whose classes are at most
//! 1/1024 of their value wide, and slices over time. From a finished series come quantiles with confidence limits, claims,
//! clusters and drift. Groups of runs are compared by their numbers alone. `docs/how-it-works/statistics.md` explains every
//! figure, and how often the limits are right.
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
