// SPDX-License-Identifier: MIT OR Apache-2.0
//! The work functions that kernel threads ran, with times. They are needed because a name such as `kworker/1:2` says nothing
//! about the work.
use crate::event::function::Function;
use crate::processor::stretch::Stretch;
use std::collections::VecDeque;

const KEPT: usize = 256;

#[derive(Clone, Copy, Debug)]
struct Work {
    from_ns: u64,
    /// The end of the work; `u64::MAX` while it runs.
    to_ns: u64,
    thread: i32,
    function: Option<Function>,
}

/// Slots for `of_place`; a thread has the slot of its number modulo this.
const PLACES: usize = 1_024;

#[derive(Clone, Debug, Default)]
pub(crate) struct Works {
    all: VecDeque<Work>,
    /// Number of works of each slot's threads. Most slots have none, so most lookups need no search.
    of_place: Vec<u16>,
}

impl Works {
    #[cold]
    pub(crate) fn begin(&mut self, at_ns: u64, thread: i32, function: Option<Function>) {
        self.end(at_ns, thread);
        if self.of_place.is_empty() {
            self.of_place = vec![0; PLACES];
        }
        if self.all.len() == KEPT
            && let Some(first) = self.all.pop_front()
        {
            self.of_place[place(first.thread)] -= 1;
        }
        self.of_place[place(thread)] += 1;
        self.all.push_back(Work { from_ns: at_ns, to_ns: u64::MAX, thread, function });
    }

    #[cold]
    pub(crate) fn end(&mut self, at_ns: u64, thread: i32) {
        let last = self.all.iter_mut().rev().find(|work| work.thread == thread);
        last.into_iter().for_each(|work| work.to_ns = work.to_ns.min(at_ns));
    }

    pub(crate) fn may_be_of(&self, thread: i32) -> bool {
        self.of_place.get(place(thread)).is_some_and(|count| *count > 0)
    }

    /// The work function that the stretch's thread ran for at least half of the stretch.
    pub(crate) fn within(&self, stretch: &Stretch) -> Option<Function> {
        let thread = stretch.thread.filter(|_| stretch.section.is_none())?.id;
        if !self.may_be_of(thread) {
            return None;
        }
        let shared = |work: &&Work| {
            let (from_ns, to_ns) = (work.from_ns.max(stretch.from_ns), work.to_ns.min(stretch.to_ns));
            to_ns.saturating_sub(from_ns)
        };
        let own = self.all.iter().filter(|work| work.thread == thread);
        let longest = own.max_by_key(shared).filter(|work| shared(work) >= (stretch.to_ns - stretch.from_ns) / 2)?;
        longest.function
    }
}

fn place(thread: i32) -> usize {
    thread as u32 as usize % PLACES
}
