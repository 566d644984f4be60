// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one CPU: what runs on it, which threads are ready, and how much CPU time each took.
use super::level::Level;
use super::{CpuInterference, SectionWork, ThreadWork, Turn};
use crate::event::{Section, Thread};
use std::collections::HashMap;

/// Deeper nesting means that the ends of interrupts were lost.
const DEPTH_MAX: usize = 16;
const IDLE: i32 = i32::MAX;

#[derive(Debug, Default)]
pub(super) struct Cpu {
    seen: bool,
    /// Time is booked up to here.
    since_ns: u64,
    observed_ns: u64,
    holder: Option<Thread>,
    open: Vec<(Section, usize)>,
    sections: Vec<SectionWork>,
    section_of: HashMap<Section, usize>,
    threads: Vec<ThreadWork>,
    thread_of: HashMap<i32, usize>,
    levels: Vec<Level>,
    /// Real-time threads that are ready or running, with their priorities.
    ready: Vec<(i32, i32)>,
}

impl Cpu {
    /// Books the time up to an event in the time of `thread`. Returns whether that thread was known to run; if not, a switch
    /// was lost.
    pub fn pass(&mut self, at_ns: u64, thread: Option<i32>) -> bool {
        if !self.seen {
            (self.seen, self.since_ns) = (true, at_ns);
        }
        let known = thread.is_none_or(|thread| self.holder.is_some_and(|holder| holder.id == thread));
        let ns = at_ns.saturating_sub(self.since_ns);
        self.since_ns = self.since_ns.max(at_ns);
        self.observed_ns += ns;
        if !known {
            self.levels.iter_mut().for_each(Level::spoil);
            self.open.clear();
            self.holder = thread.map(Thread::numbered);
        } else if ns > 0 {
            self.book(ns);
        }
        known
    }

    fn book(&mut self, ns: u64) {
        let Some(holder) = self.holder else { return };
        let depth = self.open.len();
        if let Some(place) = self.section(&holder) {
            self.sections[place].turns.last_mut().into_iter().for_each(|turn| turn.cost_ns += ns);
            return self.levels.iter_mut().for_each(|level| level.section(ns, depth));
        }
        if let Some(place) = self.thread_of.get(&holder.id) {
            self.threads[*place].turns.last_mut().into_iter().for_each(|turn| turn.cost_ns += ns);
        }
        let priority = if holder.id == 0 { IDLE } else { holder.priority };
        self.levels.iter_mut().for_each(|level| level.thread(ns, priority));
    }

    /// The interrupt or softirq that has the CPU. A softirq in ksoftirqd counts as that thread's work.
    fn section(&self, holder: &Thread) -> Option<usize> {
        let (section, place) = *self.open.last()?;
        let own = matches!(section, Section::Softirq(_)) && holder.name.starts_with("ksoftirqd/");
        (!own).then_some(place)
    }

    pub fn enter(&mut self, at_ns: u64, section: Section) {
        let next = self.sections.len();
        let place = *self.section_of.entry(section).or_insert(next);
        if place == next {
            self.sections.push(SectionWork { section, turns: Vec::new() });
        }
        self.sections[place].turns.push(Turn { at_ns, cost_ns: 0 });
        self.open.truncate(DEPTH_MAX - 1);
        self.open.push((section, place));
    }

    pub fn leave(&mut self, section: Section) {
        let same = |open: &(Section, usize)| match (open.0, section) {
            (Section::Interrupt(_), Section::Interrupt(_)) => true,
            (open, section) => open == section,
        };
        if let Some(depth) = self.open.iter().rposition(same) {
            self.open.truncate(depth);
            self.levels.iter_mut().for_each(|level| level.left(depth));
        }
    }

    /// The thread is ready to run on this CPU from now on.
    pub fn becomes_ready(&mut self, thread: i32, priority: i32) {
        if self.is_ready(thread) {
            return;
        }
        self.ready.push((thread, priority));
        let place = match self.levels.binary_search_by_key(&priority, |level| level.priority) {
            Ok(place) => place,
            Err(place) => {
                self.levels.insert(place, Level::new(priority));
                let others = self.ready.len() > 1;
                self.levels[place].begin(0);
                others.then(|| self.levels[place].spoil());
                place
            }
        };
        let depth = self.open.len();
        self.levels[place..].iter_mut().for_each(|level| level.begin(depth));
    }

    pub fn is_ready(&self, thread: i32) -> bool {
        self.ready.iter().any(|(id, _)| *id == thread)
    }

    /// The thread sleeps, or moved to another CPU. With `spoils` the open busy windows no longer count.
    pub fn is_gone(&mut self, thread: i32, spoils: bool) {
        self.ready.retain(|(id, _)| *id != thread);
        let most_urgent = self.ready.iter().map(|(_, priority)| *priority).min().unwrap_or(IDLE);
        if spoils {
            self.spoil();
        }
        self.levels.iter_mut().filter(|level| level.priority < most_urgent).for_each(Level::end);
    }

    pub fn spoil(&mut self) {
        self.levels.iter_mut().for_each(Level::spoil);
    }

    pub fn switch(&mut self, to: Thread) {
        self.open.clear();
        self.levels.iter_mut().for_each(|level| level.left(0));
        self.holder = Some(to);
    }

    pub fn begin_turn(&mut self, thread: Thread, at_ns: u64) -> usize {
        let next = self.threads.len();
        let place = *self.thread_of.entry(thread.id).or_insert(next);
        if place == next {
            self.threads.push(ThreadWork { thread, ..ThreadWork::default() });
        }
        let known = &mut self.threads[place];
        known.thread.priority = known.thread.priority.max(thread.priority);
        known.thread.name = thread.name;
        known.turns.push(Turn { at_ns, cost_ns: 0 });
        place
    }

    pub fn thread(&mut self, thread: i32) -> Option<&mut ThreadWork> {
        let place = *self.thread_of.get(&thread)?;
        Some(&mut self.threads[place])
    }

    /// Clears all figures, because the measured part begins here. What is known about threads and the CPU's state stays.
    pub fn restart(&mut self, at_ns: u64) {
        self.pass(at_ns, None);
        self.observed_ns = 0;
        self.sections.iter_mut().for_each(|section| section.turns.clear());
        for thread in &mut self.threads {
            *thread = ThreadWork { thread: thread.thread, ..ThreadWork::default() };
        }
        for level in &mut self.levels {
            level.spoil();
            (level.longest_ns, level.windows) = (0, 0);
        }
    }

    /// Events are missing up to `at_ns`. Forgets which threads are ready, and returns their numbers.
    pub fn forget(&mut self, at_ns: u64) -> Vec<i32> {
        self.since_ns = self.since_ns.max(at_ns);
        self.holder = None;
        self.open.clear();
        self.levels.iter_mut().for_each(Level::forget);
        std::mem::take(&mut self.ready).into_iter().map(|(id, _)| id).collect()
    }

    pub fn finish(mut self, cpu: u32) -> CpuInterference {
        for thread in &mut self.threads {
            let level = self.levels.iter().find(|level| level.priority >= thread.thread.priority);
            (thread.blocked_ns, thread.windows) = level.map_or((0, 0), |level| (level.longest_ns, level.windows));
        }
        let Self { observed_ns, mut sections, mut threads, .. } = self;
        sections.retain(|section| !section.turns.is_empty());
        threads.retain(|thread| !thread.turns.is_empty());
        CpuInterference { cpu, observed_ns, sections, threads }
    }
}
