// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adds up the time of each CPU and each thread, event by event.
use super::columns::{Columns, Row};
use super::section_time::Sections;
use super::thread_time::Waker;
use super::threads::Threads;
use crate::event::{Event, Stamped};
use crate::processor::{HolderShare, Processor, Stretch};

#[derive(Clone, Debug, Default)]
pub(super) struct CpuTime {
    pub(super) number: u32,
    pub(super) seen: bool,
    pub(super) idle_ns: u64,
    pub(super) threads_ns: u64,
    pub(super) interrupts_ns: u64,
    pub(super) softirqs_ns: u64,
    pub(super) idle: Row,
    stay: Stay,
}

/// CPU time of a thread, not yet in the thread's sums. Keeping it here saves a lookup of the thread at each interrupt.
#[derive(Clone, Copy, Debug, Default)]
struct Stay {
    thread: i32,
    cpu_ns: u64,
    interrupted_ns: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    pub(super) columns: Columns,
    pub(super) cpus: Vec<CpuTime>,
    pub(super) threads: Threads,
    pub(super) sections: Sections,
    pub(super) missed_switches: u64,
    pub(super) wakings: u64,
    pub(super) switches: u64,
}

impl Account {
    pub(super) fn new(begin_ns: u64) -> Self {
        Self {
            begin_ns,
            end_ns: begin_ns,
            columns: Columns::new(begin_ns),
            cpus: Vec::new(),
            threads: Threads::new(begin_ns),
            sections: Sections::default(),
            missed_switches: 0,
            wakings: 0,
            switches: 0,
        }
    }

    pub(super) fn follow(&mut self, number: u32) {
        self.cpus.push(CpuTime { number, ..CpuTime::default() });
    }

    /// Called for each event on the CPU with index `here`; `held` is the stretch of time that ended with the event.
    #[inline(always)]
    pub(super) fn passes(&mut self, here: usize, at_ns: u64, held: Option<&HolderShare>) {
        self.end_ns = at_ns;
        if self.columns.end_before(at_ns) {
            self.next_column();
        }
        self.cpus[here].seen = true;
        if let Some(held) = held {
            self.charge(here, held);
        }
    }

    #[inline(always)]
    pub(super) fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let at_ns = stamped.at_ns;
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                self.switches += 1;
                if let Some(thread) = self.threads.known(from.id) {
                    thread.learn(from);
                    thread.leaves(at_ns, *preempted);
                }
                if let Some(thread) = self.threads.known(to.id) {
                    thread.learn(to);
                    thread.comes(at_ns, cpu);
                }
            }
            Event::Waking { thread } => {
                self.wakings += 1;
                let by = waker(stamped, processor);
                self.threads.known(*thread).into_iter().for_each(|thread| thread.wakes(at_ns, by));
            }
            Event::Enter(section) if !processor.is_told_twice() => self.sections.of(*section).count += 1,
            Event::Inherit { thread, from, to } if to < from => {
                let thread = self.threads.known(*thread);
                thread.into_iter().for_each(|thread| thread.boost(stamped.thread, *from, *to));
            }
            _ => {}
        }
    }

    /// Records that an event shows a thread on a CPU without a recorded switch to that thread. `known` is the thread that had
    /// the CPU before, if known. `processor` knows when the time of that thread ended and the time of the new one began.
    #[cold]
    #[inline(never)]
    pub(super) fn appears(&mut self, cpu: u32, stamped: Stamped, known: Option<i32>, processor: &Processor) {
        if let Some(known) = known {
            self.missed_switches += 1;
            let until_ns = processor.known_until(stamped.at_ns);
            self.threads.known(known).into_iter().for_each(|thread| thread.forget(until_ns));
        }
        let since_ns = match stamped.event {
            Event::Switch { .. } => processor.stay_before().unwrap_or(stamped.at_ns),
            _ => processor.stay().1,
        };
        self.threads.known(stamped.thread).into_iter().for_each(|thread| thread.comes(since_ns, cpu));
    }

    /// Events of a CPU were lost after `booked_until_ns`. From then on, the state of the thread on that CPU is unknown, and so
    /// is the state of every thread without a CPU. Threads on other CPUs keep their state.
    pub(super) fn gap(&mut self, here: usize, lost: Option<i32>, booked_until_ns: u64) {
        let cpu = &mut self.cpus[here];
        cpu.seen = true;
        let number = cpu.number;
        let lost = lost.and_then(|lost| self.threads.known(lost)).filter(|thread| thread.is_on(number));
        lost.into_iter().for_each(|thread| thread.forget(booked_until_ns));
        self.threads.lose_sight(self.end_ns);
    }

    #[inline(always)]
    fn charge(&mut self, here: usize, held: &HolderShare) {
        let (ns, cpu) = (held.to_ns - held.from_ns, &mut self.cpus[here]);
        if let Some(section) = held.section {
            *if is_softirq(section) { &mut cpu.softirqs_ns } else { &mut cpu.interrupts_ns } += ns;
            let time = self.sections.of(section);
            time.ns += ns;
            time.longest_ns = time.longest_ns.max(ns);
            self.columns.add(&mut time.row, held.from_ns, held.to_ns);
        }
        match held.thread {
            Some(0) if held.section.is_none() => {
                cpu.idle_ns += ns;
                self.columns.add(&mut cpu.idle, held.from_ns, held.to_ns);
            }
            None | Some(0) => {}
            Some(thread) if thread == cpu.stay.thread && self.columns.is_present(held.from_ns) => {
                let Stay { cpu_ns, interrupted_ns, .. } = &mut cpu.stay;
                *if held.section.is_none() { cpu_ns } else { interrupted_ns } += ns;
            }
            Some(thread) => self.charge_other(here, thread, held),
        }
    }

    #[inline(never)]
    fn charge_other(&mut self, here: usize, thread: i32, held: &HolderShare) {
        self.settle(here);
        let (ns, stay) = (held.to_ns - held.from_ns, &mut self.cpus[here].stay);
        *stay = Stay { thread, cpu_ns: 0, interrupted_ns: 0 };
        match (held.section, self.columns.is_present(held.from_ns)) {
            (None, true) => stay.cpu_ns = ns,
            (None, false) => {
                self.cpus[here].threads_ns += ns;
                let thread = self.threads.of(thread);
                thread.cpu_ns += ns;
                self.columns.add(&mut thread.row, held.from_ns, held.to_ns);
            }
            (Some(_), _) => stay.interrupted_ns = ns,
        }
    }

    #[inline(always)]
    fn settle(&mut self, here: usize) {
        let cpu = &mut self.cpus[here];
        let Stay { thread, cpu_ns, interrupted_ns } = cpu.stay;
        (cpu.stay.cpu_ns, cpu.stay.interrupted_ns) = (0, 0);
        if cpu_ns + interrupted_ns > 0 {
            cpu.threads_ns += cpu_ns;
            let thread = self.threads.of(thread);
            thread.cpu_ns += cpu_ns;
            thread.interrupted_ns += interrupted_ns;
            self.columns.add_here(&mut thread.row, cpu_ns);
        }
    }

    #[cold]
    #[inline(never)]
    fn next_column(&mut self) {
        (0..self.cpus.len()).for_each(|here| self.settle(here));
        for _ in 0..self.columns.advance(self.end_ns) {
            let rows = self.threads.rows_mut();
            let rows = rows.chain(self.sections.all.iter_mut().map(|section| &mut section.row));
            rows.chain(self.cpus.iter_mut().map(|cpu| &mut cpu.idle)).for_each(Row::fold);
        }
    }

    pub(super) fn finish(&mut self, open: &[(usize, Stretch)]) {
        open.iter().for_each(|(here, stretch)| self.charge(*here, &HolderShare::from(stretch)));
        (0..self.cpus.len()).for_each(|here| self.settle(here));
        let end_ns = self.end_ns;
        self.threads.all_mut().iter_mut().for_each(|thread| thread.end(end_ns));
    }
}

fn is_softirq(section: crate::event::Section) -> bool {
    matches!(section, crate::event::Section::Softirq(_))
}

fn waker(stamped: &Stamped, processor: &Processor) -> Waker {
    match processor.section() {
        Some(section) => Waker::Section(section),
        None if stamped.thread == 0 => Waker::Others,
        None => Waker::Thread(stamped.thread),
    }
}
