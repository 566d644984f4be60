// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs of the lab as units that any engine can execute, and their merged result.
//!
//! A [`plan`] is a matrix. Each of its points is a [`unit`] with a key that covers everything that decides its result. Units can
//! run in any order, in any number of processes and on any number of machines that share the [`place`]; each unit counts once.
//! [`merge`] adds what can be added exactly and leaves out the rest, with a note.
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
