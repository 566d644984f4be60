// SPDX-License-Identifier: MIT OR Apache-2.0
//! One hop of a chain while events come: the instances its thread works on.

use super::spec::Takes;
use std::collections::VecDeque;

const THREADS_MAX: usize = 64;
const UNMATCHED_MAX: usize = 64;

/// A thread's output for which no instance was known yet.
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
    // Oldest first.
    pub(super) unmatched: VecDeque<Output>,
    pub(super) boundary_ns: u64,
    pub(super) threads: Vec<i32>,
    pub(super) counts: Counts,
}

/// What happened at one hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instances that it was handed.
    pub edges: u64,
    /// Of these without a wakeup.
    pub inferred: u64,
    /// Wakeups of its threads.
    pub wakeups: u64,
    /// Those by the previous hop, or by the start.
    pub by_previous: u64,
    /// Those by a timer that the thread itself had set.
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

    // Of a thread that takes one instance at a time each output is of one; of another the last one is of the newest.
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

    /// Removes this instance, if it is here and was not handed on.
    pub(super) fn take(&mut self, number: u64) -> bool {
        let before = self.carried.len() + self.pending.len();
        self.carried.retain(|other| *other != number);
        self.pending.retain(|other| *other != number);
        before > self.carried.len() + self.pending.len()
    }
}
