// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who held one processor, rebuilt from its events.
//!
//! A processor runs a thread; softirqs and interrupts stand above it, the
//! innermost holds the processor. The recent past is kept as stretches of one
//! holder each, without gaps: what the events do not tell is held by [`Holder::Unknown`].
use super::event::{Event, Section, Stamped, Thread};
use std::collections::VecDeque;

/// Stretches kept; older ones are forgotten.
const STRETCHES: usize = 8_192;
/// Deeper nesting than any kernel has means that ends of sections were lost.
const DEPTH_MAX: usize = 16;

/// Who can hold a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The events do not tell.
    Unknown,
    /// The idle thread.
    Idle,
    /// A thread.
    Thread(Thread),
    /// An interrupt or softirq.
    Section(Section),
}

/// A time during which one held the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its start.
    pub from_ns: u64,
    /// Its end, which is the start of the next.
    pub to_ns: u64,
    /// Who held the processor.
    pub holder: Holder,
}

/// An interrupt or softirq that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Which.
    pub section: Section,
    /// When it began.
    pub since_ns: u64,
}

/// The state of one processor, and its recent past.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    thread: Option<Thread>,
    open: Vec<Open>,
    since_ns: u64,
    past: VecDeque<Stretch>,
}

impl Processor {
    /// Takes the next event of this processor.
    pub fn push(&mut self, stamped: &Stamped) {
        match stamped.event {
            Event::Switch { from, to, .. } => self.switch(stamped.at_ns, from, to),
            Event::Enter(section) => {
                self.close(stamped.at_ns);
                self.open.truncate(DEPTH_MAX - 1);
                self.open.push(Open { section, since_ns: stamped.at_ns });
            }
            Event::Leave(section) => {
                self.close(stamped.at_ns);
                if let Some(depth) = self.open.iter().rposition(|open| same_layer(open.section, section)) {
                    self.open.truncate(depth);
                }
            }
            _ => {}
        }
    }

    /// Events were lost: nothing is known until the next ones tell.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The thread at the bottom, where it is known.
    pub fn thread(&self) -> Option<Thread> {
        self.thread
    }

    /// The innermost interrupt that has not ended.
    pub fn interrupt(&self) -> Option<Open> {
        self.open.iter().rev().find(|open| matches!(open.section, Section::Interrupt(_))).copied()
    }

    /// The stretches that overlap a window which ends no later than the last event, cut to it. What lies before the
    /// kept past is one unknown stretch, so that they always fill the window.
    pub fn window(&self, from_ns: u64, to_ns: u64) -> Vec<Stretch> {
        let current = Stretch { from_ns: self.since_ns, to_ns: u64::MAX, holder: self.holder() };
        let known_from = self.past.front().unwrap_or(&current).from_ns;
        let unknown = Stretch { from_ns: 0, to_ns: known_from, holder: Holder::Unknown };
        let first = self.past.partition_point(|stretch| stretch.to_ns <= from_ns);
        let all = std::iter::once(unknown).chain(self.past.range(first..).copied()).chain([current]);
        all.map(|stretch| Stretch { from_ns: stretch.from_ns.max(from_ns), to_ns: stretch.to_ns.min(to_ns), ..stretch })
            .filter(|stretch| stretch.from_ns < stretch.to_ns)
            .collect()
    }

    fn switch(&mut self, at_ns: u64, from: Thread, to: Thread) {
        // A thread that left without ever having come: some switch was not recorded.
        if self.thread.is_some_and(|thread| thread.id != from.id) {
            self.thread = None;
        } else if self.thread.is_none() {
            self.thread = Some(from);
        }
        self.open.clear();
        self.close(at_ns);
        self.thread = Some(to);
    }

    fn holder(&self) -> Holder {
        match (self.open.last(), self.thread) {
            (Some(open), _) => Holder::Section(open.section),
            (None, Some(Thread { id: 0, .. })) => Holder::Idle,
            (None, Some(thread)) => Holder::Thread(thread),
            (None, None) => Holder::Unknown,
        }
    }

    /// Ends the current stretch. Stamps that run backwards make no stretch.
    fn close(&mut self, at_ns: u64) {
        if self.since_ns > 0 && at_ns > self.since_ns {
            if self.past.len() == STRETCHES {
                self.past.pop_front();
            }
            self.past.push_back(Stretch { from_ns: self.since_ns, to_ns: at_ns, holder: self.holder() });
        }
        self.since_ns = self.since_ns.max(at_ns);
    }
}

fn same_layer(a: Section, b: Section) -> bool {
    match (a, b) {
        (Section::Interrupt(_), Section::Interrupt(_)) => true,
        (Section::Softirq(a), Section::Softirq(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::event::Name;
    use proptest::prelude::*;

    fn thread(id: i32) -> Thread {
        Thread { id, priority: 120, name: Name::new(b"t") }
    }

    fn at(at_ns: u64, event: Event) -> Stamped {
        Stamped { at_ns, thread: 0, in_thread: true, to_switch: false, event }
    }

    fn switch(at_ns: u64, from: i32, to: i32) -> Stamped {
        at(at_ns, Event::Switch { from: thread(from), preempted: false, to: thread(to) })
    }

    fn timer() -> Section {
        Section::Interrupt(Name::new(b"local_timer"))
    }

    fn holders(processor: &Processor, from: u64, to: u64) -> Vec<(u64, Holder)> {
        processor.window(from, to).iter().map(|stretch| (stretch.to_ns - stretch.from_ns, stretch.holder)).collect()
    }

    #[test]
    fn the_innermost_section_holds_the_processor() {
        let mut processor = Processor::default();
        let events = [
            switch(100, 0, 7),
            at(110, Event::Enter(Section::Softirq(3))),
            at(115, Event::Enter(timer())),
            at(118, Event::Leave(timer())),
            at(125, Event::Leave(Section::Softirq(3))),
            switch(140, 7, 0),
            switch(150, 0, 8),
        ];
        events.iter().for_each(|event| processor.push(event));
        let softirq = Holder::Section(Section::Softirq(3));
        assert_eq!(
            holders(&processor, 100, 150),
            [
                (10, Holder::Thread(thread(7))),
                (5, softirq),
                (3, Holder::Section(timer())),
                (7, softirq),
                (15, Holder::Thread(thread(7))),
                (10, Holder::Idle),
            ]
        );
    }

    #[test]
    fn a_switch_that_was_not_recorded_leaves_an_unknown_stretch() {
        let mut processor = Processor::default();
        [switch(100, 0, 7), switch(140, 9, 0), switch(150, 0, 8)].iter().for_each(|event| processor.push(event));
        assert_eq!(holders(&processor, 90, 150), [(10, Holder::Unknown), (40, Holder::Unknown), (10, Holder::Idle)]);
    }

    #[test]
    fn what_is_running_now_fills_the_end_of_a_window() {
        let mut processor = Processor::default();
        processor.push(&switch(100, 0, 7));
        assert_eq!(holders(&processor, 105, 120), [(15, Holder::Thread(thread(7)))]);
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let section = prop_oneof![Just(timer()), (0u8..3).prop_map(Section::Softirq)];
        prop_oneof![
            (0..4, 0..4).prop_map(|(from, to)| Event::Switch { from: thread(from), preempted: false, to: thread(to) }),
            section.clone().prop_map(Event::Enter),
            section.prop_map(Event::Leave),
            Just(Event::SleepEnd),
        ]
    }

    proptest! {
        #[test]
        fn stretches_always_fill_the_window_exactly(
            events in proptest::collection::vec((0u64..300, any_event()), 0..200),
            from in 0u64..20_000,
            length in 0u64..9_000,
        ) {
            let (mut processor, mut now) = (Processor::default(), 1);
            for (step, event) in events {
                now += step;
                processor.push(&at(now, event));
            }
            let window = processor.window(from, from + length);
            prop_assert!(window.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
            prop_assert_eq!(window.iter().map(|stretch| stretch.to_ns - stretch.from_ns).sum::<u64>(), length);
        }
    }
}
