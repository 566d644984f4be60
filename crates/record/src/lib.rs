// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's trace of this machine: the only part that opens tracefs.
//!
//! [`tracefs`] finds it, [`instance`] makes a buffer of our own in it, [`buffer`] says which events go into that and gives a
//! ring for each processor. Readers of the rings: [`recorder`] while a phase runs, [`flight`] only when a response crosses a
//! limit, [`attached`] for a thread of somebody else's, [`tracker`] for everything, by way of [`spool`] files on disk.
//! [`toggle`] switches the events off and on in turn to measure what they cost. What is read goes to the crate `trace`, which
//! knows no file of the kernel's.
pub mod attached;
mod buffer;
pub mod export;
pub mod flight;
mod functions;
pub mod instance;
pub mod kept;
pub mod recorder;
pub mod released;
mod spool;
mod stacks;
mod toggle;
pub mod tracefs;
pub mod tracker;

pub use recorder::Recorder;
pub use stacks::no_stacks;
pub use toggle::{Switch, TOGGLED, Toggle};

use std::path::PathBuf;
use system::container::Container;

/// What gives this process the trace: in a container another thing than on a machine.
fn remedy(on_a_machine: &'static str) -> &'static str {
    Container::of_this_process().map_or(on_a_machine, Container::tracing)
}

/// Why there is no trace; the text is one line for a warning.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// No tracefs, and none can be mounted for this process alone.
    #[error("the kernel's trace is not available: {reason}; {}", remedy("run as root on a kernel with tracefs"))]
    NoTracefs {
        /// What the kernel said.
        reason: String,
    },
    /// A file of tracefs cannot be used.
    #[error(
        "the kernel's trace is not available: {action} {path}: {source}; {}",
        remedy("run as root, outside lockdown")
    )]
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
        source: trace::format::FormatError,
    },
    /// The thread that reads the trace ended early.
    #[error("the trace was cut short: {reason}")]
    Cut {
        /// What it met.
        reason: String,
    },
}
