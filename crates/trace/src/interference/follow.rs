// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows the threads of a recording over its CPUs.
use super::cpu::Cpu;
use super::{Interference, Turn};
use crate::account::analysis::Listener;
use crate::event::{Event, Stamped, Thread};
use crate::processor::{Processor, Stretch};
use std::collections::{BTreeMap, HashMap};

/// At most this many arrivals are kept, half a gigabyte.
const TURNS_MAX: usize = (1 << 29) / std::mem::size_of::<Turn>();

/// What is known about a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The lowest priority of the thread so far, if it is a real-time thread.
    priority: Option<i32>,
    /// The CPU on which the thread ran last.
    cpu: Option<u32>,
    /// When the thread's turn began, by a wakeup; `None` while the thread sleeps.
    ready_ns: Option<u64>,
    /// Whether the thread has run in this turn.
    runs: bool,
    /// Whether the turn counts as a response: its wakeup was recorded, and the thread stayed on one CPU.
    whole: bool,
}

/// Takes the events of a recording and collects the arrivals on each CPU.
#[derive(Debug, Default)]
pub struct Follower {
    cpus: BTreeMap<u32, Cpu>,
    threads: HashMap<i32, Known>,
    latest_ns: u64,
    turns: usize,
    full_at_ns: Option<u64>,
    /// Start of the measured part; `None` from then on. Events before it only show the state of threads and CPUs.
    begin_ns: Option<u64>,
    /// End of the measured part.
    end_ns: Option<u64>,
}

impl Follower {
    /// Measures only the part of the recording between these times.
    pub fn within(begin_ns: u64, end_ns: u64) -> Self {
        Self { begin_ns: Some(begin_ns), end_ns: Some(end_ns), ..Self::default() }
    }

    /// Returns the result after the last event.
    pub fn finish(self) -> Interference {
        let cpus = self.cpus.into_iter().map(|(number, cpu)| cpu.finish(number)).collect();
        Interference { cpus, full_at_ns: self.full_at_ns }
    }

    fn cpu(&mut self, number: u32) -> &mut Cpu {
        self.cpus.entry(number).or_default()
    }

    fn wakes(&mut self, thread: i32, at_ns: u64) {
        let known = self.threads.entry(thread).or_default();
        if known.ready_ns.is_some() {
            return;
        }
        (known.ready_ns, known.runs, known.whole) = (Some(at_ns), false, true);
        if let (Some(priority), Some(number)) = (known.priority, known.cpu)
            && let Some(cpu) = self.cpus.get_mut(&number)
        {
            cpu.pass(at_ns, None);
            cpu.becomes_ready(thread, priority);
        }
    }

    fn leaves(&mut self, number: u32, thread: &Thread, preempted: bool, at_ns: u64) {
        let Some(known) = self.threads.get_mut(&thread.id).filter(|known| known.priority.is_some()) else { return };
        if preempted {
            return;
        }
        let since_ns = known.ready_ns.take().filter(|_| known.whole && known.runs);
        let cpu = self.cpu(number);
        if let (Some(since_ns), Some(work)) = (since_ns, cpu.thread(thread.id)) {
            work.whole += 1;
            work.longest_ns = work.longest_ns.max(Some(at_ns - since_ns));
        }
        cpu.is_gone(thread.id, false);
    }

    fn comes(&mut self, number: u32, thread: Thread, at_ns: u64) {
        if thread.id == 0 || thread.is_ordinary() {
            return;
        }
        let known = self.threads.entry(thread.id).or_default();
        let priority = known.priority.map_or(thread.priority, |known| known.max(thread.priority));
        let before = known.cpu.replace(number);
        let (is_new, elsewhere) = (known.priority.is_none(), before.filter(|before| *before != number));
        known.priority = Some(priority);
        let moved = elsewhere.is_some() && known.ready_ns.is_some();
        known.whole &= known.ready_ns.is_some() && !is_new && !moved;
        let begins = !known.runs || moved || known.ready_ns.is_none();
        let since_ns = *known.ready_ns.get_or_insert(at_ns);
        known.runs = true;
        if let Some(elsewhere) = elsewhere {
            self.cpu(elsewhere).is_gone(thread.id, true);
        }
        let cpu = self.cpu(number);
        let expected = cpu.is_ready(thread.id);
        cpu.becomes_ready(thread.id, priority);
        if !expected {
            cpu.spoil();
        }
        if begins {
            cpu.begin_turn(Thread { priority, ..thread }, since_ns);
            cpu.thread(thread.id).into_iter().for_each(|work| work.moved |= moved);
            self.turns += 1;
        }
    }

    /// Whether an event at this time is taken: memory is not full, and the event is not after the measured part. Clears the
    /// figures at the start of the measured part.
    fn is_in(&mut self, at_ns: u64) -> bool {
        if self.full_at_ns.is_some() || self.end_ns.is_some_and(|end_ns| at_ns > end_ns) {
            return false;
        }
        if let Some(begin_ns) = self.begin_ns.filter(|begin_ns| at_ns >= *begin_ns) {
            self.begin_ns = None;
            self.cpus.values_mut().for_each(|cpu| cpu.restart(begin_ns));
            self.turns = 0;
        }
        true
    }

    fn missing(&mut self, number: u32, at_ns: u64, begins: bool) {
        let cpu = self.cpus.entry(number).or_default();
        if begins {
            cpu.pass(at_ns, None);
        }
        for thread in cpu.forget(at_ns) {
            self.threads.get_mut(&thread).into_iter().for_each(|known| (known.ready_ns, known.whole) = (None, false));
        }
    }
}

impl Listener for Follower {
    fn event(&mut self, number: u32, stamped: &Stamped, processor: &Processor) {
        let at_ns = stamped.at_ns;
        if !self.is_in(at_ns) {
            return;
        }
        if self.turns >= TURNS_MAX {
            self.full_at_ns = Some(at_ns);
            return;
        }
        self.latest_ns = at_ns;
        let known = self.cpu(number).pass(at_ns, Some(stamped.thread));
        if !known {
            self.threads.get_mut(&stamped.thread).into_iter().for_each(|known| known.whole = false);
        }
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                self.leaves(number, from, *preempted, at_ns);
                self.cpu(number).switch(*to);
                self.comes(number, *to, at_ns);
            }
            Event::Waking { thread } => self.wakes(*thread, at_ns),
            Event::Enter(section) if !processor.is_told_twice() => {
                self.cpu(number).enter(at_ns, *section);
                self.turns += 1;
            }
            Event::Leave(section) => self.cpu(number).leave(*section),
            _ => {}
        }
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        if self.is_in(at_ns) {
            self.missing(cpu, at_ns, true);
        }
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        if self.is_in(at_ns) {
            self.missing(cpu, at_ns, false);
        }
    }

    fn end(&mut self, _open: &[(u32, Stretch)]) {
        let latest_ns = self.latest_ns;
        self.cpus.values_mut().for_each(|cpu| {
            cpu.pass(latest_ns, None);
        });
    }
}
