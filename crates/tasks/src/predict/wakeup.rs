// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wakeup latency of Linux as the sum of its parts, after de Oliveira, Casini, de Oliveira and Cucinotta 2020, as `rtsl`
//! computes it.
//!
//! ```text
//! L = max(POID, DST) + PAIE + PSD + sum over interrupts of demand(L)      the least such L
//! ```
use super::answer::NoBound;
use super::supply::Supply;
use super::work::{Effort, least_window};

/// The longest time of each part, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Preemption or interrupts disabled, which postpones the scheduler (POID).
    pub postponed_ns: u64,
    /// Delay before the scheduler starts (DST).
    pub starting_ns: u64,
    /// Preemption disabled while entering the scheduler (PAIE).
    pub entering_ns: u64,
    /// Preemption disabled during the switch (PSD).
    pub switching_ns: u64,
}

/// Observed CPU time of one kind of interrupt, as pairs of window length and time in ascending order from `(0, ...)`. A window
/// shorter than a pair's length needs at most the time of the previous pair.
pub type Demand = Vec<(u64, u64)>;

impl Parts {
    /// The duration without interrupts.
    pub fn alone_ns(&self) -> u64 {
        let parts = [self.entering_ns, self.switching_ns];
        parts.into_iter().fold(self.postponed_ns.max(self.starting_ns), u64::saturating_add)
    }

    /// The latency including the time that these interrupts need within it.
    pub fn latency_ns(&self, interrupts: &[Demand]) -> Result<u64, NoBound> {
        let base = self.alone_ns();
        least_window(base, &Supply::Dedicated, interrupts.len(), &mut Effort::whole(), |window| {
            let needed = interrupts.iter().map(|demand| needed_ns(demand, window));
            needed.fold(base, u64::saturating_add)
        })
    }
}

fn needed_ns(demand: &Demand, window: u64) -> u64 {
    demand.iter().take_while(|(from, _)| *from <= window).last().map_or(0, |(_, needed)| *needed)
}
