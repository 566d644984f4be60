// SPDX-License-Identifier: MIT OR Apache-2.0
//! One hop of a chain while events come: which instances its thread is at.

const THREADS_MAX: usize = 64;

/// An output of a thread that no instance was known for when it came.
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
    /// The instances that it is at, oldest first.
    pub(super) carried: Vec<u64>,
    pub(super) pending: Vec<u64>,
    pub(super) given: Option<Handover>,
    pub(super) unmatched: Option<Output>,
    pub(super) boundary_ns: u64,
    pub(super) threads: Vec<i32>,
    pub(super) counts: Counts,
}

/// What happened at one hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Hand-overs to it.
    pub edges: u64,
    /// Those that no wakeup tells.
    pub inferred: u64,
    /// Wakeups of it.
    pub wakeups: u64,
    /// Those by the hop before, or by the start.
    pub by_previous: u64,
    /// Those by a timer of its own.
    pub by_own_timer: u64,
}

impl Place {
    pub(super) fn fits(&mut self, thread: i32) {
        if self.threads.len() < THREADS_MAX && !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }

    pub(super) fn clear(&mut self) -> Vec<u64> {
        (self.given, self.unmatched) = (None, None);
        let mut all = std::mem::take(&mut self.carried);
        all.append(&mut self.pending);
        all
    }

    /// Takes this one out, where it is here and was not handed on.
    pub(super) fn take(&mut self, number: u64) -> bool {
        let before = self.carried.len() + self.pending.len();
        self.carried.retain(|other| *other != number);
        self.pending.retain(|other| *other != number);
        before > self.carried.len() + self.pending.len()
    }
}
