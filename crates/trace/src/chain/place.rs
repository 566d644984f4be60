// SPDX-License-Identifier: MIT OR Apache-2.0
//! One hop of a chain, with the instances that its thread is working on.

use super::spec::Takes;
use std::collections::VecDeque;

const THREADS_MAX: usize = 64;
const UNMATCHED_MAX: usize = 64;

/// A wakeup of the next hop, or an end of the chain, that no known instance explains yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) at_ns: u64,
    pub(super) turn_ns: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Handover {
    pub(super) number: u64,
    pub(super) at_ns: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The instances that the thread is working on, oldest first.
    pub(super) carried: Vec<u64>,
    pub(super) pending: Vec<u64>,
    pub(super) given: Option<Handover>,
    // Outputs without a known instance, oldest first.
    pub(super) unmatched: VecDeque<Output>,
    pub(super) boundary_ns: u64,
    pub(super) threads: Vec<i32>,
    pub(super) counts: Counts,
    pub(super) looks: Looks,
}

/// How long a polling thread takes to look: if it finds something, and if it does not. Both are moving averages; 0 if unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looks {
    found_ns: u64,
    empty_ns: u64,
}

impl Looks {
    pub(super) fn found(&mut self, ns: u64) {
        self.found_ns = mean(self.found_ns, ns);
    }

    pub(super) fn empty(&mut self, ns: u64) {
        self.empty_ns = mean(self.empty_ns, ns);
    }

    // Whether a look of this length found something: the length is nearer to `found_ns` than to `empty_ns`.
    pub(super) fn has_found(&self, ns: u64) -> bool {
        self.empty_ns > 0 && self.found_ns > self.empty_ns && 2 * ns > self.found_ns + self.empty_ns
    }
}

fn mean(before_ns: u64, ns: u64) -> u64 {
    if before_ns == 0 { ns } else { (7 * before_ns + ns) / 8 }
}

/// Counts of what happened at one hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instances that were handed to this hop.
    pub edges: u64,
    /// Instances that were handed over without a recorded wakeup.
    pub inferred: u64,
    /// Wakeups of the hop's threads.
    pub wakeups: u64,
    /// Wakeups by the previous hop, or by the start.
    pub by_previous: u64,
    /// Wakeups by a timer that the thread had set itself.
    pub by_own_timer: u64,
}

impl std::ops::Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            edges: self.edges + other.edges,
            inferred: self.inferred + other.inferred,
            wakeups: self.wakeups + other.wakeups,
            by_previous: self.by_previous + other.by_previous,
            by_own_timer: self.by_own_timer + other.by_own_timer,
        }
    }
}

impl Place {
    pub(super) fn fits(&mut self, thread: i32) {
        if self.threads.len() < THREADS_MAX && !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }

    pub(super) fn outputs_without(&mut self, output: Output) {
        if self.unmatched.len() == UNMATCHED_MAX {
            self.unmatched.pop_front();
        }
        self.unmatched.push_back(output);
    }

    // The output of an instance that the hop may have had since `since_ns`. With `Takes::Each`, each instance has its own
    // output, so the first output since then is this instance's. With `Takes::Newest`, the last output answers the newest
    // instance.
    pub(super) fn unmatched_since(&self, since_ns: u64, takes: Takes) -> Option<Output> {
        let mut since = self.unmatched.iter().filter(|output| output.at_ns >= since_ns);
        match takes {
            Takes::Each => since.next().copied(),
            Takes::Newest => since.next_back().copied(),
        }
    }

    pub(super) fn matched(&mut self, output: Output) {
        self.unmatched.retain(|other| other.at_ns > output.at_ns);
    }

    pub(super) fn clear(&mut self) -> Vec<u64> {
        self.given = None;
        self.unmatched.clear();
        let mut all = std::mem::take(&mut self.carried);
        all.append(&mut self.pending);
        all
    }

    pub(super) fn leave_before(&mut self, number: u64) {
        self.carried.retain(|other| *other >= number);
        self.pending.retain(|other| *other >= number);
    }

    /// Removes the instance from this hop; false if the hop does not have it.
    pub(super) fn take(&mut self, number: u64) -> bool {
        let before = self.carried.len() + self.pending.len();
        self.carried.retain(|other| *other != number);
        self.pending.retain(|other| *other != number);
        before > self.carried.len() + self.pending.len()
    }
}
