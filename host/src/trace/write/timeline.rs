// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stretches and wakings of a window, as a page can draw them: rows, and what happened on each.
use crate::trace::account::analysis::Listener;
use crate::trace::event::{Event, Section, Stamped};
use crate::trace::processor::{Holder, Processor, Stretch};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Slices that a page draws without hesitation.
const SLICES_MAX: usize = 120_000;
/// Wakings likewise.
const WAKINGS_MAX: usize = 40_000;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// An interrupt, by its place among the names.
    Interrupt(usize),
    /// A softirq, by its number.
    Softirq(u8),
    /// A thread, by its number.
    Thread(i32),
}

/// A time in which a row's own held a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Whose.
    pub row: Row,
    /// Where.
    pub cpu: u32,
    /// From when …
    pub from_ns: u64,
    /// … to when.
    pub to_ns: u64,
}

/// A thread that was made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waking {
    /// When.
    pub at_ns: u64,
    /// By whom; none where nobody was seen.
    pub by: Option<Row>,
    /// Which.
    pub thread: i32,
}

/// What a page draws.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    window: Range<u64>,
    begin_ns: Option<u64>,
    marks: BTreeMap<u32, u64>,
    /// Names of interrupts by their places.
    pub interrupts: Vec<String>,
    places: HashMap<Section, usize>,
    /// In order of their ends, of each processor.
    pub slices: Vec<Slice>,
    /// In order of time.
    pub wakings: Vec<Waking>,
    /// From where on slices of the window were left out, because there are too many.
    pub cut_at: Option<u64>,
}

impl Timeline {
    /// Of the part of a recording within the window, from its first event.
    pub fn new(window: Range<u64>) -> Self {
        Self { window, ..Self::default() }
    }

    fn row(&mut self, section: Section) -> Row {
        match section {
            Section::Softirq(number) => Row::Softirq(number),
            Section::Interrupt(name) => {
                let next = self.interrupts.len();
                let place = *self.places.entry(section).or_insert(next);
                if place == next {
                    self.interrupts.push(name.to_string());
                }
                Row::Interrupt(place)
            }
        }
    }

    fn take(&mut self, cpu: u32, stretch: &Stretch, begin_ns: u64) {
        let from_ns = stretch.from_ns.saturating_sub(begin_ns).max(self.window.start);
        let to_ns = stretch.to_ns.saturating_sub(begin_ns).min(self.window.end);
        if from_ns >= to_ns {
            return;
        }
        let row = match stretch.holder() {
            Holder::Unknown | Holder::Idle => return,
            Holder::Thread(thread) => Row::Thread(thread.id),
            Holder::Section(section) => self.row(section),
        };
        if self.slices.len() == SLICES_MAX {
            self.cut_at.get_or_insert(from_ns);
            return;
        }
        self.slices.push(Slice { row, cpu, from_ns, to_ns });
    }

    fn waking(&mut self, stamped: &Stamped, thread: i32, processor: &Processor, begin_ns: u64) {
        let at_ns = stamped.at_ns.saturating_sub(begin_ns);
        if !self.window.contains(&at_ns) || self.wakings.len() == WAKINGS_MAX {
            return;
        }
        let by = match processor.section() {
            Some(section) => Some(self.row(section)),
            None => Some(Row::Thread(stamped.thread)).filter(|_| stamped.thread != 0),
        };
        self.wakings.push(Waking { at_ns, by, thread });
    }
}

impl Listener for Timeline {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let begin_ns = *self.begin_ns.get_or_insert(stamped.at_ns);
        let mut mark = self.marks.get(&cpu).copied().unwrap_or(0);
        while let Some(stretch) = processor.next_ended(&mut mark) {
            self.take(cpu, &stretch, begin_ns);
        }
        self.marks.insert(cpu, mark);
        if let Event::Waking { thread } = stamped.event {
            self.waking(stamped, thread, processor, begin_ns);
        }
    }

    fn gap(&mut self, _: u32, _: u64) {}
}
