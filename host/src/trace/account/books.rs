// SPDX-License-Identifier: MIT OR Apache-2.0
//! Books the time of every event's processor and threads.
use super::columns::{Columns, Row};
use super::section_time::Sections;
use super::thread_time::Waker;
use super::threads::Threads;
use crate::trace::event::{Event, Stamped};
use crate::trace::processor::{Held, Processor, Stretch};

/// One processor's time.
#[derive(Clone, Debug, Default)]
pub(super) struct CpuTime {
    pub(super) seen: bool,
    /// The thread that has it.
    thread: i32,
    pub(super) idle_ns: u64,
    pub(super) threads_ns: u64,
    pub(super) interrupts_ns: u64,
    pub(super) softirqs_ns: u64,
    pub(super) idle: Row,
}

/// All that is booked.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    pub(super) columns: Columns,
    pub(super) cpus: Vec<CpuTime>,
    pub(super) threads: Threads,
    pub(super) sections: Sections,
    /// Threads that had a processor without a switch to them.
    pub(super) missed_switches: u64,
    pub(super) wakings: u64,
}

/// No thread, as long as none is known.
const NOBODY: i32 = i32::MIN;

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
        }
    }

    /// Takes the next event, which `processor` has taken already; `held` is the stretch that ended with it.
    #[inline(always)]
    pub(super) fn event(&mut self, cpu: u32, stamped: &Stamped, held: Option<&Held>, processor: &Processor) {
        let at_ns = stamped.at_ns;
        self.end_ns = at_ns;
        if self.columns.end_before(at_ns) {
            self.next_column();
        }
        let here = self.here(cpu);
        if let Some(held) = held {
            self.charge(here, held);
        }
        let known = std::mem::replace(&mut self.cpus[here].thread, stamped.thread);
        if known != stamped.thread {
            self.appears(cpu, *stamped, known, processor);
        }
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                if let Some(thread) = self.threads.known(from.id) {
                    thread.learn(from);
                    thread.leaves(at_ns, *preempted);
                }
                if let Some(thread) = self.threads.known(to.id) {
                    thread.learn(to);
                    thread.comes(at_ns, cpu);
                }
                self.cpus[here].thread = to.id;
            }
            Event::Waking { thread } => {
                self.wakings += 1;
                let by = waker(stamped, processor);
                self.threads.known(*thread).into_iter().for_each(|thread| thread.wakes(at_ns, by));
            }
            Event::Enter(section) => self.sections.of(*section).count += 1,
            Event::Inherit { thread, from, to } if to < from => {
                let thread = self.threads.known(*thread);
                thread.into_iter().for_each(|thread| thread.boost(stamped.thread, *from, *to));
            }
            _ => {}
        }
    }

    /// An event on a thread's time to which no switch was recorded. The processor tells up to when it had the one before, and
    /// since when this one.
    #[cold]
    #[inline(never)]
    fn appears(&mut self, cpu: u32, stamped: Stamped, known: i32, processor: &Processor) {
        if known != NOBODY {
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

    /// Events of a processor were lost, all of whose time is booked up to an instant: what its thread does nobody knows, nor
    /// who was made ready there. Who has another processor still has it.
    pub(super) fn gap(&mut self, cpu: u32, booked_until_ns: u64) {
        let here = self.here(cpu);
        let lost = std::mem::replace(&mut self.cpus[here].thread, NOBODY);
        let lost = self.threads.known(lost).filter(|thread| thread.is_on(cpu));
        lost.into_iter().for_each(|thread| thread.forget(booked_until_ns));
        let end_ns = self.end_ns;
        self.threads
            .all_mut()
            .iter_mut()
            .filter(|thread| !thread.is_running())
            .for_each(|thread| thread.forget(end_ns));
    }

    /// The place of a processor.
    #[inline(always)]
    fn here(&mut self, cpu: u32) -> usize {
        let place = cpu as usize;
        if self.cpus.len() <= place {
            self.cpus.resize_with(place + 1, || CpuTime { thread: NOBODY, ..CpuTime::default() });
        }
        self.cpus[place].seen = true;
        place
    }

    #[inline(always)]
    fn charge(&mut self, here: usize, held: &Held) {
        let (ns, columns) = (held.to_ns - held.from_ns, &self.columns);
        let columns_add = |row: &mut Row| columns.add(row, held.from_ns, held.to_ns);
        let cpu = &mut self.cpus[here];
        match (held.section, held.thread) {
            (None, None) => {}
            (None, Some(0)) => {
                cpu.idle_ns += ns;
                columns_add(&mut cpu.idle);
            }
            (None, Some(thread)) => {
                cpu.threads_ns += ns;
                let thread = self.threads.of(thread);
                thread.cpu_ns += ns;
                columns_add(&mut thread.row);
            }
            (Some(section), thread) => {
                *if is_softirq(section) { &mut cpu.softirqs_ns } else { &mut cpu.interrupts_ns } += ns;
                if let Some(thread) = thread.filter(|thread| *thread != 0) {
                    self.threads.of(thread).interrupted_ns += ns;
                }
                let time = self.sections.of(section);
                time.ns += ns;
                time.longest_ns = time.longest_ns.max(ns);
                columns_add(&mut time.row);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn next_column(&mut self) {
        for _ in 0..self.columns.advance(self.end_ns) {
            let rows = self.threads.rows_mut();
            let rows = rows.chain(self.sections.all.iter_mut().map(|section| &mut section.row));
            rows.chain(self.cpus.iter_mut().map(|cpu| &mut cpu.idle)).for_each(Row::fold);
        }
    }

    /// The recording ends: books what the processors still do.
    pub(super) fn finish(&mut self, open: &[(u32, Stretch)]) {
        open.iter().for_each(|(cpu, stretch)| self.charge(*cpu as usize, &Held::from(stretch)));
        let end_ns = self.end_ns;
        self.threads.all_mut().iter_mut().for_each(|thread| thread.end(end_ns));
    }
}

fn is_softirq(section: crate::trace::event::Section) -> bool {
    matches!(section, crate::trace::event::Section::Softirq(_))
}

/// Whoever was at work when the thread was made ready.
fn waker(stamped: &Stamped, processor: &Processor) -> Waker {
    match processor.section() {
        Some(section) => Waker::Section(section),
        None if stamped.thread == 0 => Waker::Others,
        None => Waker::Thread(stamped.thread),
    }
}
