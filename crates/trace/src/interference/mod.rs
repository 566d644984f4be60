// SPDX-License-Identifier: MIT OR Apache-2.0
//! What took CPU time in a recording, as arrivals: each interrupt, softirq and turn of a real-time thread, with its CPU time.
//!
//! `follow` takes the events. `level` keeps, for each priority, the longest time that work of lower priority had the CPU while a
//! thread of that priority was ready. A thread's turn lasts from its wakeup to its next sleep; the turn's length is the thread's
//! response time.
mod cpu;
mod follow;
mod level;
#[cfg(test)]
mod tests;

pub use follow::Follower;

use crate::event::{Section, Thread};

/// One arrival of an interrupt, a softirq or a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Arrival time, by the recording's clock.
    pub at_ns: u64,
    /// CPU time of the arrival, without the time of what interrupted it.
    pub cost_ns: u64,
}

/// What a recording shows about one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuInterference {
    /// The number of the CPU.
    pub cpu: u32,
    /// The time for which the CPU's events are known.
    pub observed_ns: u64,
    /// Interrupts and softirqs.
    pub sections: Vec<SectionWork>,
    /// Real-time and SCHED_DEADLINE threads.
    pub threads: Vec<ThreadWork>,
}

/// The arrivals of one interrupt or softirq.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionWork {
    /// The interrupt or softirq.
    pub section: Section,
    /// The arrivals, in order of time.
    pub turns: Vec<Turn>,
}

/// A real-time thread on this CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadWork {
    /// The thread, with the lowest priority that it had in the recording.
    pub thread: Thread,
    /// The thread's turns, in the order in which they began to run.
    pub turns: Vec<Turn>,
    /// Number of turns recorded completely, from wakeup to sleep.
    pub whole: u64,
    /// The longest response time of these turns.
    pub longest_ns: Option<u64>,
    /// Whether the thread changed CPUs during a turn.
    pub moved: bool,
    /// The longest time in one busy window that lower-priority work had the CPU while this thread, or a more urgent one, was
    /// ready.
    pub blocked_ns: u64,
    /// Number of busy windows recorded completely.
    pub windows: u64,
}

/// The arrivals of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interference {
    /// The CPUs that have events.
    pub cpus: Vec<CpuInterference>,
    /// When memory was full: events from here on are not counted.
    pub full_at_ns: Option<u64>,
}
