// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of the figures of `backwall bench events --paper`, shared by their producer and the plots.

/// From the call that creates an event's thread to the thread's first instruction.
pub const CREATION: &str = "creation";
/// From handing an event to a thread that waits for it to the thread's first instruction.
pub const SWITCH: &str = "switch";
/// From handing over the first of several simultaneous events to the end of the last.
pub const TOGETHER: &str = "together";
/// From the instant of an event to its end, over all series of a mix.
pub const RESPONSE: &str = "response";

/// Key of the variant: scheduler of the threads, one of [`CLASSES`].
pub const CLASS: &str = "class";
/// The ordinary scheduler, SCHED_RR, SCHED_FIFO: in the places of the paper's classes normal, high and real-time.
pub const CLASSES: [&str; 3] = ["ordinary", "rr", "fifo"];
/// Key of the variant: processors that the threads may use.
pub const CPUS: &str = "cpus";
/// Key of the variant: how many series release an event at the same instants.
pub const SERIES: &str = "series";
/// Variant key: number of simultaneous events.
pub const EVENTS: &str = "events";
/// Key of the variant: [`PER_EVENT`] or [`WAITING`].
pub const ORGANISATION: &str = "organisation";
/// A thread is created for each event.
pub const PER_EVENT: &str = "thread-per-event";
/// Threads wait for events.
pub const WAITING: &str = "pool";
/// Key of the variant: row of the paper's Table III, from 1.
pub const MIX: &str = "mix";
