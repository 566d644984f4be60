// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stretches and wakeups of a window, as a page can draw them: rows with slices.
use crate::account::analysis::Listener;
use crate::event::{Event, Section, Stamped};
use crate::processor::{Holder, Processor, Stretch};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

const SLICES_MAX: usize = 120_000;
const WAKINGS_MAX: usize = 40_000;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// An interrupt, by its index among the names.
    Interrupt(usize),
    /// A softirq, by its number.
    Softirq(u8),
    /// A thread, by its number.
    Thread(i32),
}

/// A time in which a row's owner held a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The row.
    pub row: Row,
    /// The CPU.
    pub cpu: u32,
    /// Start of the slice.
    pub from_ns: u64,
    /// End of the slice.
    pub to_ns: u64,
}

/// A thread that was made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waking {
    /// When the thread was made ready.
    pub at_ns: u64,
    /// The thread or interrupt that woke it; `None` if unseen.
    pub by: Option<Row>,
    /// The thread.
    pub thread: i32,
}

/// How far a CPU's stretches were read. If `is_over`, later ones are not drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    next: u64,
    is_over: bool,
}

/// What a page draws.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    window: Range<u64>,
    begin_ns: Option<u64>,
    marks: BTreeMap<u32, Mark>,
    /// Names of interrupts, by their index.
    pub interrupts: Vec<String>,
    places: HashMap<Section, usize>,
    /// The slices; those of each CPU are in order of their ends.
    pub slices: Vec<Slice>,
    /// The wakeups, in order of time.
    pub wakings: Vec<Waking>,
    /// Where the page ends, if the window has more slices or wakeups than a page draws.
    pub cut_at: Option<u64>,
}

impl Timeline {
    /// `window`: the part of the recording to draw, counted from its first event.
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
        let holder = stretch.holder();
        if matches!(holder, Holder::Unknown | Holder::Idle) || !self.room(self.slices.len(), SLICES_MAX, from_ns) {
            return;
        }
        let row = match holder {
            Holder::Unknown | Holder::Idle => return,
            Holder::Thread(thread) => Row::Thread(thread.id),
            Holder::Section(section) => self.row(section),
        };
        self.slices.push(Slice { row, cpu, from_ns, to_ns });
    }

    /// Whether a slice or wakeup from `from_ns` on is drawn. If there are too many, the page ends at the first one that is left
    /// out. Those that begin before that end are still drawn, even if other CPUs report them later.
    fn room(&mut self, drawn: usize, most: usize, from_ns: u64) -> bool {
        if drawn >= most {
            self.cut_at.get_or_insert(from_ns);
        }
        self.cut_at.is_none_or(|cut| from_ns < cut)
    }

    /// Whether the page ends before this instant. A full page ignores later events, perhaps millions.
    fn ends_before(&self, from_ns: u64) -> bool {
        from_ns >= self.window.end || self.cut_at.is_some_and(|cut| from_ns >= cut)
    }

    fn waking(&mut self, stamped: &Stamped, thread: i32, processor: &Processor, begin_ns: u64) {
        let at_ns = stamped.at_ns.saturating_sub(begin_ns);
        if !self.window.contains(&at_ns) || !self.room(self.wakings.len(), WAKINGS_MAX, at_ns) {
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
        let mut mark = self.marks.get(&cpu).copied().unwrap_or_default();
        if !mark.is_over {
            while let Some(stretch) = processor.next_ended(&mut mark.next) {
                self.take(cpu, &stretch, begin_ns);
                mark.is_over |= self.ends_before(stretch.from_ns.saturating_sub(begin_ns));
            }
            self.marks.insert(cpu, mark);
        }
        if let Event::Waking { thread } = stamped.event {
            self.waking(stamped, thread, processor, begin_ns);
        }
    }

    fn gap(&mut self, _: u32, _: u64) {}

    fn end(&mut self, open: &[(u32, Stretch)]) {
        let begin_ns = self.begin_ns.unwrap_or(0);
        open.iter().for_each(|(cpu, stretch)| self.take(*cpu, stretch, begin_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Name, Thread};

    fn stretch(from_ns: u64, section: Option<Section>, thread: Option<Thread>) -> Stretch {
        Stretch { from_ns, to_ns: from_ns + 5, section, thread, ..Stretch::default() }
    }

    fn interrupt(number: usize) -> Stretch {
        let name = Name::new(format!("irq{number}").as_bytes());
        stretch(number as u64 * 10, Some(Section::Interrupt(name)), None)
    }

    #[test]
    fn what_is_beyond_the_most_slices_takes_no_memory_and_ends_the_page() {
        let mut timeline = Timeline::new(0..u64::MAX);
        (0..SLICES_MAX + 50_000).for_each(|number| timeline.take(0, &interrupt(number), 0));
        assert_eq!((timeline.slices.len(), timeline.interrupts.len()), (SLICES_MAX, SLICES_MAX));
        assert_eq!(timeline.cut_at, Some(SLICES_MAX as u64 * 10));
    }

    #[test]
    fn wakings_beyond_the_most_end_the_page_too() {
        let mut timeline = Timeline::new(0..u64::MAX);
        let processor = Processor::default();
        for at_ns in 0..WAKINGS_MAX as u64 + 9 {
            let event = Event::Waking { thread: 8 };
            let stamped = Stamped { at_ns, thread: 7, in_thread: true, to_switch: false, event };
            timeline.waking(&stamped, 8, &processor, 0);
        }
        assert_eq!((timeline.wakings.len(), timeline.cut_at), (WAKINGS_MAX, Some(WAKINGS_MAX as u64)));
        let of = Some(Thread { id: 9, ..Thread::default() });
        timeline.take(0, &stretch(50_000, None, of), 0);
        assert!(timeline.slices.is_empty(), "the page has ended by then");
        timeline.take(0, &stretch(39_000, None, of), 0);
        assert_eq!(timeline.slices.len(), 1);
    }
}
