// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of samples: pure, bounded in memory, exact where a worst case is claimed.
//!
//! A [`SeriesBuilder`] takes samples and gives a [`backwall_model::Series`]. What stays exact for a
//! run of any length: smallest, largest, sum, counts and the worst [`backwall_model::WORST_KEPT`] samples. The rest
//! is a histogram whose classes are at most 1/1024 of their value wide, and slices over time. A series that is built is asked for
//! quantiles with limits, for claims, for clusters and for drift; groups of runs are held against each other by their numbers
//! alone. `docs/how-it-works/statistics.md` explains every figure, and how often the limits are right.
//!
//! - [`binomial`]: the binomial distribution, accurate in its tails for any number of trials
//! - [`claim`]: whether no more than a share of responses reaches a limit: shown, refuted, or not decided
//! - [`classes`]: classes of values for one group of numbers: exact at first, then so many for each doubling
//! - [`dependence`]: how many samples in clusters say as much as one independent one
//! - [`drift`]: whether the parts of a run differ by more than chance lets them
//! - [`forecast`]: how large the maximum of a longer run will probably be, or why nobody can say it
//! - [`histogram`]: counts of all samples in classes of bounded width
//! - [`median`]: the median of a few values, and between which of them it lies
//! - [`permutation`]: whether two groups of numbers differ more than chance divides them
//! - [`quantile`]: quantiles with confidence limits from order statistics
//! - [`random`]: numbers that look random, the same for the same seed
//! - [`series`]: from samples to a series: the one place where samples are counted
//! - [`shift`]: how far one group of numbers lies from another, with limits
//! - [`slices`]: smallest, mean and largest of successive slices of time
//! - [`step`]: where a row of numbers went to another level, and whether chance alone would show as much
//! - [`tail`]: the worst samples, exact, each with its time and number
#![warn(missing_docs)]

pub mod binomial;
pub mod claim;
pub mod classes;
pub mod dependence;
pub mod drift;
pub mod forecast;
pub mod histogram;
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
