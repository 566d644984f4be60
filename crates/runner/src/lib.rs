// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: the probe and the loads as processes, from their start to what was heard of them.
//!
//! [`phase`] runs one phase; a [`backwall_os::Stop`] and the [`Watch`] it is given make it
//! end early and show how far it is. No process outlives its [`child::Child`].
pub mod assemble;
pub mod attachee;
mod busy;
pub mod checkpoint;
pub mod child;
mod clocks;
pub mod device;
pub mod door;
pub mod heat;
mod identity;
pub mod iltiming;
pub mod imported_stream;
pub mod interfere;
pub mod job;
pub mod jobs;
pub mod keep;
pub mod lengths;
pub mod load;
pub mod loads;
pub mod notes;
pub mod occupied;
pub mod operation;
pub mod own_load;
pub mod pace;
pub mod part;
pub mod peers;
pub mod phase;
pub mod pinned;
pub mod placing;
pub mod probe_report;
pub mod progress;
mod quotas;
pub mod request;
pub mod resumable;
mod resumed;
pub mod rivals;
pub mod rows;
#[cfg(test)]
mod short_series;
mod split;
pub mod steal;
pub mod task_set;
pub mod tasks;
pub mod thread_name;
pub mod traced;
pub mod unfinished_series;
pub mod watch;
pub mod window;

pub use watch::Watch;
