// SPDX-License-Identifier: MIT OR Apache-2.0
//! A CPU's recent wakeups, departures and interrupts.
use super::timers::Fired;
use crate::event::Name;
use std::collections::VecDeque;

/// Number of entries of each kind that are kept, the newest ones. They reach about as far back as a CPU's stretches.
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
    /// Sleep timers that expired without waking their thread: time and thread.
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

    /// Whether the timer of the thread's sleep expired from `from_ns` to before `to_ns` without making the thread ready.
    pub(super) fn slept_on(&self, thread: i32, from_ns: u64, to_ns: u64) -> bool {
        self.unanswered.iter().rev().any(|(at_ns, id)| *id == thread && (from_ns..to_ns).contains(at_ns))
    }

    /// Events were lost, so what is known from before does not fit what follows.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The thread's first wakeup from `from_ns` to `to_ns`.
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
