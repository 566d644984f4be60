// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs of the lab as units that any engine may carry out, and what they come to together.
//!
//! A [`plan`] is a matrix; each of its points is a [`unit`] with a key made of all that decides its result. Units are carried out in
//! any order, by any number of processes on any number of machines that share the [`place`], and each counts once. What can be
//! added up exactly is by [`merge`]; the rest is left out, and told.
pub mod chunks;
pub mod counts;
pub mod kubernetes;
pub mod merge;
pub mod merged;
pub mod pairs;
pub mod place;
pub mod plan;
pub mod planned;
pub mod ranges;
pub mod section;
pub mod slurm;
pub mod subcommand;
pub mod unit;
pub mod work;
