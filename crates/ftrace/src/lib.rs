// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's trace of this machine: the only part that opens tracefs.
//!
//! A buffer of our own is made in it; its rings are read while a phase runs, or only when a response crosses a limit. What is read goes
//! to the crate `trace`, which knows no file of the kernel's.
//!
//! The trace of the kernel:
//!
//! - `tracefs`: where the kernel's trace files are
//! - `instance`: a trace buffer of our own, which no death of ours leaves behind
//! - `buffer`: one processor's events, switched on in a trace instance of our own, and the ring they lie in
//! - `functions`: the functions of the kernel that runs, read once: the list has a quarter of a million lines
//! - `kernel_code`: the code of the kernel that runs
//! - `unrecorded`: which changes of the machine this kernel has no events of
//! - `mentioned`: the addresses that the stacks of a recording mention
//! - `late_stacks`: the kernel's stack in the interrupts of late timers alone, by a program of ours in the kernel
//! - `stacks`: the kernel's stack in every interrupt of a processor's timer, written by a trigger in a trace instance of our own
//!
//! Readers of its rings:
//!
//! - `recorder`: records the kernel's events on the probe's processor while a phase runs
//! - `elsewhere`: the few events of all other processors that tell who keeps a measured thread from its work
//! - `read_page`: the events of one sub-buffer, for who puts those of several processors in order of time
//! - `toggle`: switches the events off and on at the end of a recording, to measure what they cost
//! - `flight`: the flight recorder: tracing always on, in memory, the oldest overwritten
//! - `attached`: records the activations of threads of somebody else's, on every processor, while they go about their work
//! - `tracker`: records what the kernel does on every processor, to files
//! - `quotas`: which control groups used up their quota of processor time while a recording ran, and which threads are in them
//! - `spool`: moves a ring's sub-buffers to a file without copying them through this process
//! - `lately`: what was recorded of late, in memory, as a recording for anyone who asks in the middle
//! - `request`: how a recorder that runs is asked for what it has, and answers when it comes by
//! - `released`: a file that gives its room back while it is read: what is copied on a full disk needs no second room
//!
//! Files:
//!
//! - `recording_file`: a recording in a file, no matter who made it, read through the analysis
//! - `missing`: the events that a recording lacks for an answer, and the command that records them
//! - `export`: a recording written for another tool: a file that is whole or not there, or a folder of several
pub mod attached;
mod buffer;
mod elsewhere;
pub mod export;
pub mod flight;
mod functions;
pub mod instance;
mod kernel_code;
mod late_stacks;
pub mod lately;
mod mentioned;
pub mod missing;
mod quotas;
mod read_page;
pub mod recorder;
pub mod recording_file;
pub mod released;
pub mod request;
mod spool;
mod stacks;
mod toggle;
pub mod tracefs;
pub mod tracker;
mod unrecorded;

pub use elsewhere::Others;
pub use recorder::Recorder;
pub use stacks::no_stacks;
pub use toggle::{Switch, TOGGLED, Toggle};
pub use unrecorded::unrecorded;

use backwall_os::container::Container;
use std::path::PathBuf;

/// What gives this process the trace: in a container another thing than on a machine.
fn remedy(on_a_machine: &'static str) -> &'static str {
    Container::of_this_process().map_or(on_a_machine, Container::tracing)
}

/// Why there is no trace; the text is one line for a warning.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// No tracefs, and none can be mounted for this process alone.
    #[error("the kernel's trace is not available: {reason}; {}", remedy("run as root on a kernel with tracefs"))]
    NoTracefs { reason: String },
    #[error(
        "the kernel's trace is not available: {action} {path}: {source}; {}",
        remedy("run as root, outside lockdown")
    )]
    File {
        /// `read`, `write`, `create`.
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
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
        source: backwall_trace::format::FormatError,
    },
    #[error("the trace was cut short: {reason}")]
    Cut { reason: String },
}
