// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs of the lab as units that any engine can run, and their merged result.
//!
//! A [`plan`] is a matrix; each of its points is a [`unit`] with a key of everything that decides its result. Units run in any
//! order, in any number of processes on any number of machines that share the [`place`], and each counts once. [`merge`] adds
//! what can be added exactly; the rest is left out, with a note.
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
