// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recent facts of a CPU about threads: wakeups, departures and interrupts.
use super::timers::Fired;
use crate::event::Name;
use std::collections::VecDeque;

/// Entries of each kind; older ones are forgotten. A CPU's stretches last about as long.
const KEPT: usize = 8_192;

#[derive(Clone, Copy, Debug)]
pub(super) struct Woken {
    pub(super) at_ns: u64,
    pub(super) thread: i32,
    pub(super) by: Option<i32>,
    pub(super) fired: Option<Fired>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    woken: VecDeque<Woken>,
    left: VecDeque<(u64, i32)>,
    interrupts: VecDeque<(u64, Name)>,
    /// Expired sleep timers that woke no thread: time and thread.
    unanswered: VecDeque<(u64, i32)>,
}

impl Past {
    pub(super) fn wakes(&mut self, woken: Woken) {
        push(&mut self.woken, woken);
    }

    pub(super) fn leaves(&mut self, at_ns: u64, thread: i32) {
        push(&mut self.left, (at_ns, thread));
    }

    pub(super) fn interrupted(&mut self, at_ns: u64, name: Name) {
        push(&mut self.interrupts, (at_ns, name));
    }

    pub(super) fn unanswered(&mut self, fired: &Fired) {
        push(&mut self.unanswered, (fired.expiry_at, fired.thread));
    }

    /// Whether the timer of a thread's sleep expired from an instant on and before another, and did not make it ready.
    pub(super) fn slept_on(&self, thread: i32, from_ns: u64, to_ns: u64) -> bool {
        self.unanswered.iter().rev().any(|(at_ns, id)| *id == thread && (from_ns..to_ns).contains(at_ns))
    }

    /// Events were lost; earlier knowledge does not fit what follows.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The first waking of a thread from an instant on and no later than another.
    pub(super) fn woken(&self, thread: i32, from_ns: u64, to_ns: u64) -> Option<&Woken> {
        let since = self.woken.range(self.woken.partition_point(|woken| woken.at_ns < from_ns)..);
        since.take_while(|woken| woken.at_ns <= to_ns).find(|woken| woken.thread == thread)
    }

    pub(super) fn departures(&self, thread: i32, from_ns: u64, to_ns: u64) -> Vec<u64> {
        let since = self.left.range(self.left.partition_point(|(at_ns, _)| *at_ns < from_ns)..);
        let before = since.take_while(|(at_ns, _)| *at_ns < to_ns);
        before.filter(|(_, id)| *id == thread).map(|(at_ns, _)| *at_ns).collect()
    }

    pub(super) fn interrupt(&self, from_ns: u64, to_ns: u64) -> Option<(u64, Name)> {
        let last = self.interrupts.partition_point(|(at_ns, _)| *at_ns <= to_ns).checked_sub(1)?;
        self.interrupts.get(last).copied().filter(|(at_ns, _)| *at_ns >= from_ns)
    }
}

fn push<T>(queue: &mut VecDeque<T>, value: T) {
    if queue.len() == KEPT {
        queue.pop_front();
    }
    queue.push_back(value);
}
