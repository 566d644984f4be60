// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks that run: on this machine, or on a guest of the bench.
//!
//! In the order in which data pass:
//!
//! - `constants`: what the system costs: typed, kept in a run, or measured `here`
//! - `here`: the short measurement of this machine's wake-ups and switches
//! - `plan`: what was asked, as a run keeps it
//! - `ready`: a set read, placed, predicted, and refused where it cannot be run
//! - `beside`: what the analysis says of each task, for what is measured
//! - `recorded`: interference of a recording, as the analysis takes it
//! - `measure`: the set run on this machine
//! - `guest`: the set run on a guest, which `lab` brings
//! - `missed`: who used the time of jobs that missed their deadlines, from the kernel's trace
//! - `account`: what became of each release
//! - `limit`: the largest number of events in a period
//! - `paper`: the experiments of the paper on event series
pub mod jobs;
pub mod task_set;
pub mod window;

pub mod account;
mod beside;
pub mod constants;
pub mod guest;
mod here;
pub mod limit;
pub mod measure;
pub mod missed;
pub mod paper;
pub mod plan;
pub mod ready;
pub mod recorded;
