// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interrupt latency by the formula of the Windows CE papers, and as a fixed point.
//!
//! ```text
//! start of the routine  = A + B         + sum over interrupts that come between of their cost
//! start of the thread   = B + C + L + M + the same
//! ```
//!
//! The paper takes the number of interrupts in between as given. That number depends on the length of the window itself, so the
//! fixed point lets each interrupt come as often as its minimum interval allows: `w = base + sum of ceil(w / interval) (B + cost
//! + C)`.
use super::answer::{NoBound, Source};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;
use super::work::{Effort, Work, fits, least_window, total_ns};

/// The paper's constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// A: interrupts disabled.
    pub masked_ns: u64,
    /// B: from the interrupt to its service routine (ISR).
    pub dispatch_ns: u64,
    /// C: after the end of the routine, before L and M.
    pub exit_ns: u64,
    /// L: the longest call into the kernel.
    pub call_ns: u64,
    /// M: scheduling of the thread.
    pub schedule_ns: u64,
}

/// An interrupt that may come in between: the cost of its routine and its minimum interval.
pub type Between = (u64, u64);

/// Whether an interrupt in between costs only its routine, as the paper's sum says literally, or its entry and exit too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Only the routine itself.
    Literal,
    /// The routine with its entry (B) and exit (C).
    Whole,
}

impl Latencies {
    /// Time to the routine without interruptions.
    pub fn routine_ns(&self) -> u64 {
        self.masked_ns.saturating_add(self.dispatch_ns)
    }

    /// Time to the thread without interruptions.
    pub fn thread_ns(&self) -> u64 {
        [self.exit_ns, self.call_ns, self.schedule_ns].into_iter().fold(self.dispatch_ns, u64::saturating_add)
    }

    /// `base` plus the cost of one occurrence of each interrupt.
    pub fn with_each_once_ns(&self, base_ns: u64, between: &[Between], reading: Reading) -> u64 {
        between.iter().fold(base_ns, |sum, (cost, _)| sum.saturating_add(self.cost_ns(*cost, reading)))
    }

    /// `base` plus each interrupt as often as possible.
    pub fn bound_ns(&self, base_ns: u64, between: &[Between], reading: Reading) -> Result<u64, NoBound> {
        let work: Vec<Work> = between
            .iter()
            .enumerate()
            .map(|(index, (cost, distance))| Work {
                source: Source::Interrupt(index),
                cost_ns: self.cost_ns(*cost, reading),
                arrival: Arrival::periodic(*distance),
            })
            .collect();
        fits(work.iter().map(Work::share).sum::<Share>(), &Supply::Dedicated)?;
        least_window(base_ns, &Supply::Dedicated, work.len(), &mut Effort::whole(), |window| {
            total_ns(&work, window).saturating_add(base_ns)
        })
    }

    fn cost_ns(&self, routine_ns: u64, reading: Reading) -> u64 {
        match reading {
            Reading::Literal => routine_ns,
            Reading::Whole => self.dispatch_ns.saturating_add(routine_ns).saturating_add(self.exit_ns),
        }
    }
}
