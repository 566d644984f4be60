// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of the figures of `backwall bench events --paper`, shared by their producer and the plots.

/// From the call that creates an event's thread to the thread's first instruction.
pub const CREATION: &str = "creation";
/// From the handover of an event to a waiting thread, until that thread's first instruction.
pub const SWITCH: &str = "switch";
/// From the handover of the first of several simultaneous events, until the last one is done.
pub const TOGETHER: &str = "together";
/// From the instant of an event until it is done, over all series of a mix.
pub const RESPONSE: &str = "response";

/// Variant key: scheduling policy of the threads, one of [`CLASSES`].
pub const CLASS: &str = "class";
/// SCHED_OTHER, SCHED_RR and SCHED_FIFO stand for the paper's priority classes normal, high and real-time.
pub const CLASSES: [&str; 3] = ["ordinary", "rr", "fifo"];
/// Variant key: CPUs that the threads may use.
pub const CPUS: &str = "cpus";
/// Variant key: number of series that release an event at the same instant.
pub const SERIES: &str = "series";
/// Variant key: number of simultaneous events.
pub const EVENTS: &str = "events";
/// Variant key: [`PER_EVENT`] or [`WAITING`].
pub const ORGANISATION: &str = "organisation";
/// A thread is created for each event.
pub const PER_EVENT: &str = "thread-per-event";
/// A pool of threads waits for events.
pub const WAITING: &str = "pool";
/// Variant key: row of the paper's Table III, from 1.
pub const MIX: &str = "mix";
