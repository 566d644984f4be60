// SPDX-License-Identifier: MIT OR Apache-2.0
//! What took each processor of a recording, as arrivals: each interrupt, softirq and turn of a real-time thread with its CPU time.
//!
//! `follow` takes the events; `level` keeps, for each priority, the longest time that less urgent holders had the processor while
//! such a thread was ready. A turn lasts from a thread's waking to its next sleep; that time is its response.
mod cpu;
mod follow;
mod level;
#[cfg(test)]
mod tests;

pub use follow::Follower;

use crate::event::{Section, Thread};

/// One arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// When, by the recording's clock.
    pub at_ns: u64,
    /// CPU time that it took, without what interrupted it.
    pub cost_ns: u64,
}

/// All that a recording shows of one processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuInterference {
    /// Its number.
    pub cpu: u32,
    /// For how long its events are known.
    pub observed_ns: u64,
    /// Interrupts and softirqs.
    pub sections: Vec<SectionWork>,
    /// Real-time threads, and those of SCHED_DEADLINE.
    pub threads: Vec<ThreadWork>,
}

/// An interrupt or softirq.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionWork {
    /// Which.
    pub section: Section,
    /// In their order.
    pub turns: Vec<Turn>,
}

/// A real-time thread on this processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadWork {
    /// Which, with the least urgent priority it was seen with.
    pub thread: Thread,
    /// In the order in which they began to run.
    pub turns: Vec<Turn>,
    /// Turns that were seen from waking to sleep.
    pub whole: u64,
    /// The longest of these, from waking to sleep.
    pub longest_ns: Option<u64>,
    /// It came from another processor, or went to one, during a turn.
    pub moved: bool,
    /// How long less urgent holders had the processor in one busy window at most, while it or a more urgent thread was ready.
    pub blocked_ns: u64,
    /// Busy windows that were seen whole.
    pub windows: u64,
}

/// What was found, and where it stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interference {
    /// Those with events.
    pub cpus: Vec<CpuInterference>,
    /// If memory was full: from here on nothing was taken.
    pub full_at_ns: Option<u64>,
}
