// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs task sets, on this machine or on a lab guest.
//!
//! In the order of the data flow:
//!
//! - `constants`: cost constants of the system: typed, from a run, or measured `here`
//! - `here`: the short measurement of this machine's wakeups and switches
//! - `plan`: the request as a run stores it
//! - `ready`: a set that is read, assigned to CPUs, predicted, and refused if it cannot run
//! - `beside`: the predicted result of each task, to show next to the measured one
//! - `recorded`: interference found in a recording, in the form that the analysis needs
//! - `measure`: runs the set on this machine
//! - `guest`: runs the set on a guest of the lab
//! - `missed`: who used the time of jobs that missed their deadlines, from the kernel's trace
//! - `account`: the fate of each release
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
