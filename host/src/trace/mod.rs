// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! [`format`], [`page`], [`event`] and [`decoder`] read the kernel's binary records;
//! [`tracefs`] and [`instance`] hold a trace buffer of our own; [`record`] reads it
//! while a phase runs, [`flight`] only when a response crosses a limit. [`processor`]
//! tells who held the processor, [`wakeup`] follows the probe's thread, [`stages`] joins
//! its samples. The evidence for the [`worst`] is kept, who used their time is accused,
//! [`blame`] says it and [`causes`] sums it; [`digest`] puts these together. [`activation`]
//! and [`attached`] do the same for a thread of somebody else's, on every processor.
pub mod account;
mod accuse;
pub mod activation;
pub mod attached;
mod awaited;
mod away;
pub mod blame;
pub mod blame_line;
mod buffer;
mod by_number;
pub mod causes;
mod cost;
pub mod decoder;
mod departures;
pub mod digest;
pub mod event;
mod evidence;
pub mod flight;
pub mod format;
pub mod instance;
mod largest;
pub mod late;
pub mod loans;
pub mod page;
pub mod processor;
pub mod raise;
pub mod read;
mod recent;
pub mod record;
pub mod released;
mod responses;
pub mod softirq;
mod spool;
mod spread;
pub mod stages;
mod statistics;
mod stretch;
mod toggle;
pub mod tracefs;
pub mod tracker;
mod usual;
pub mod wakeup;
pub mod worst;
pub mod write;

pub use digest::{TraceConfig, TraceReport};
pub use record::Recorder;
pub use stages::{Matched, Sample};
pub use toggle::{TOGGLED, Toggle};

use std::path::PathBuf;

/// Why there is no trace; the text is one line for a warning.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// No tracefs, and none can be mounted for this process alone.
    #[error("the kernel's trace is not available: {reason}; run as root on a kernel with tracefs")]
    NoTracefs {
        /// What the kernel said.
        reason: String,
    },
    /// A file of tracefs cannot be used.
    #[error("the kernel's trace is not available: {action} {path}: {source}; run as root, outside lockdown")]
    File {
        /// `read`, `write`, `create`.
        action: &'static str,
        /// Which.
        path: PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// This kernel lacks an event that the stages need.
    #[error("this kernel has no event {event}, which the stages of a wake-up need")]
    NoEvent {
        /// `sched/sched_switch` …
        event: String,
    },
    /// This kernel states a layout that is not understood.
    #[error("the layout of {event}: {source}")]
    Format {
        /// `sched/sched_switch` …
        event: String,
        /// What is wrong with it.
        source: format::FormatError,
    },
    /// The thread that reads the trace ended early.
    #[error("the trace was cut short: {reason}")]
    Cut {
        /// What it met.
        reason: String,
    },
}
