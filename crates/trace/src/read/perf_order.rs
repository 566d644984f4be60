// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sorts perf's samples by time. perf reads the CPUs in rounds and marks the end of each round. After the mark of a round, no
//! sample comes that is earlier than the latest sample of the previous round.
use super::beginnings::Beginnings;
use super::error::ReadError;
use super::perf_sample::Written;
use super::receiver::Receiver;
use super::understood;
use crate::event::Stamped;
use std::collections::BTreeSet;

/// At most this many samples wait; a recording without rounds is sorted in pieces of this size.
const WAITING_MAX: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
enum Waiting {
    Event {
        cpu: u32,
        stamped: Stamped,
    },
    /// Samples of one CPU are missing; the CPU may be unknown.
    Gap {
        at_ns: u64,
        cpu: Option<u32>,
    },
}

impl Waiting {
    fn at_ns(&self) -> u64 {
        match self {
            Waiting::Event { stamped, .. } => stamped.at_ns,
            Waiting::Gap { at_ns, .. } => *at_ns,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SampleQueue {
    waiting: Vec<Waiting>,
    beginnings: Beginnings,
    /// CPUs with a sample since the last loss on an unknown CPU. For all other CPUs, the time since then is unknown.
    seen: BTreeSet<u32>,
    /// The time of the latest sample of the previous round.
    settled_ns: u64,
    latest_ns: u64,
    last_ns: u64,
    given_ns: u64,
    given: u64,
    backward: u64,
}

impl SampleQueue {
    pub(super) fn with(beginnings: Beginnings) -> Self {
        Self { beginnings, ..Self::default() }
    }

    pub(super) fn push(&mut self, cpu: u32, stamped: Stamped, receiver: &mut impl Receiver) {
        self.last_ns = stamped.at_ns;
        self.wait(Waiting::Event { cpu, stamped }, receiver);
    }

    /// Samples were lost. If their CPU is unknown, any CPU may have lost samples since the last sample.
    pub(super) fn gap(&mut self, written: Option<Written>, receiver: &mut impl Receiver) {
        let (at_ns, cpu) = written.map_or((self.last_ns, None), |(at_ns, cpu)| (at_ns, Some(cpu)));
        self.wait(Waiting::Gap { at_ns, cpu }, receiver);
    }

    fn wait(&mut self, waiting: Waiting, receiver: &mut impl Receiver) {
        self.latest_ns = self.latest_ns.max(waiting.at_ns());
        self.waiting.push(waiting);
        if self.waiting.len() >= WAITING_MAX {
            self.waiting.sort_by_key(Waiting::at_ns);
            let middle = self.waiting[WAITING_MAX / 2].at_ns();
            self.give(middle, receiver);
        }
    }

    pub(super) fn round(&mut self, receiver: &mut impl Receiver) {
        self.waiting.sort_by_key(Waiting::at_ns);
        self.give(self.settled_ns, receiver);
        self.settled_ns = self.latest_ns;
    }

    pub(super) fn finish(mut self, receiver: &mut impl Receiver) -> Result<Vec<String>, ReadError> {
        self.waiting.sort_by_key(Waiting::at_ns);
        self.give(u64::MAX, receiver);
        let order = understood::in_order(self.backward, self.given)?;
        Ok(order.into_iter().chain(self.beginnings.note()).collect())
    }

    fn give(&mut self, until_ns: u64, receiver: &mut impl Receiver) {
        let count = self.waiting.partition_point(|waiting| waiting.at_ns() <= until_ns);
        for waiting in self.waiting.drain(..count) {
            let is_late = waiting.at_ns() < self.given_ns;
            self.given_ns = self.given_ns.max(waiting.at_ns());
            self.beginnings.tell(self.given_ns, matches!(waiting, Waiting::Gap { .. }), receiver);
            match waiting {
                Waiting::Event { cpu, stamped } => {
                    self.given += 1;
                    self.backward += u64::from(is_late);
                    self.seen.insert(cpu);
                    receiver.event(cpu, &Stamped { at_ns: self.given_ns, ..stamped });
                }
                Waiting::Gap { cpu: Some(cpu), .. } => receiver.gap(cpu, self.given_ns),
                Waiting::Gap { cpu: None, .. } => {
                    std::mem::take(&mut self.seen).into_iter().for_each(|cpu| receiver.gap(cpu, self.given_ns));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::beginnings::RecordingScan;
    use super::*;
    use crate::event::Event;

    // First the items in order, with CPU, time, and whether the item is a gap. Then the starts of gaps, each with the number of
    // earlier items.
    #[derive(Default)]
    struct Heard(Vec<(u32, u64, bool)>, Vec<(usize, u32, u64)>);

    impl Receiver for Heard {
        fn event(&mut self, cpu: u32, stamped: &Stamped) {
            self.0.push((cpu, stamped.at_ns, false));
        }

        fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
            self.1.push((self.0.len(), cpu, at_ns));
        }

        fn gap(&mut self, cpu: u32, at_ns: u64) {
            self.0.push((cpu, at_ns, true));
        }
    }

    #[test]
    fn a_loss_begins_behind_the_last_sample_of_its_processor_however_late_it_is_told() {
        let at = |at_ns| Stamped { at_ns, thread: 1, in_thread: true, to_switch: false, event: Event::SleepEnd };
        let mut seen = RecordingScan::default();
        [(0, 10), (1, 20), (1, 40)].into_iter().for_each(|(cpu, at_ns)| seen.event(cpu, at_ns));
        seen.gap(Some(0));
        seen.event(0, 50);
        let (mut ordered, mut heard) = (SampleQueue::with(seen.beginnings()), Heard::default());
        [(0, 10), (1, 20), (1, 40)].into_iter().for_each(|(cpu, at_ns)| ordered.push(cpu, at(at_ns), &mut heard));
        // Two of perf's rounds end before perf reports the loss.
        ordered.round(&mut heard);
        ordered.round(&mut heard);
        ordered.gap(Some((50, 0)), &mut heard);
        ordered.push(0, at(50), &mut heard);
        assert!(ordered.finish(&mut heard).unwrap().is_empty());
        assert_eq!(heard.1, [(1, 0, 10)], "before all that came later");
        assert_eq!(heard.0, [(0, 10, false), (1, 20, false), (1, 40, false), (0, 50, true), (0, 50, false)]);
    }

    #[test]
    fn a_loss_is_told_between_the_samples_before_and_behind_it() {
        let at = |at_ns| Stamped { at_ns, thread: 1, in_thread: true, to_switch: false, event: Event::SleepEnd };
        let (mut ordered, mut heard) = (SampleQueue::default(), Heard::default());
        ordered.push(0, at(10), &mut heard);
        ordered.gap(Some((30, 0)), &mut heard);
        ordered.push(0, at(30), &mut heard);
        ordered.push(1, at(20), &mut heard);
        ordered.gap(None, &mut heard);
        ordered.push(1, at(40), &mut heard);
        ordered.gap(None, &mut heard);
        // No sample has come since the last loss, so this loss adds nothing.
        ordered.gap(None, &mut heard);
        assert!(ordered.finish(&mut heard).unwrap().is_empty());
        let expected = [
            (0, 10, false),
            (1, 20, false),
            (0, 20, true),
            (1, 20, true),
            (0, 30, true),
            (0, 30, false),
            (1, 40, false),
            (0, 40, true),
            (1, 40, true),
        ];
        assert_eq!(heard.0, expected);
    }
}
