// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals sent to threads, with their senders: a thread that handles many signals does nothing else meanwhile.
use crate::event::{Event, Signal, Stamped, Thread};
use std::collections::{BTreeMap, VecDeque};

/// At most this many signals are remembered, enough for a tenth of a second of a storm.
const KEPT: usize = 8_192;
/// A storm has at least this many signals, and on average at least one per `EACH_NS`.
const FEW: u32 = 4;
const EACH_NS: u64 = 500_000;

/// This many signals disturb a thread even if no release was due; fewer may be its normal work.
const MANY: u32 = 20;

/// Signals that were sent to a thread while it was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storm<T = Thread> {
    /// The thread that sent the most signals.
    pub by: T,
    /// How many signals that thread sent.
    pub count: u32,
}

#[derive(Clone, Copy, Debug)]
struct SentSignal {
    at_ns: u64,
    to: i32,
    by: i32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Signals(VecDeque<SentSignal>);

impl Signals {
    #[cold]
    pub(crate) fn push(&mut self, stamped: &Stamped) {
        let Event::Signalled { thread: to, signal: Signal::Other } = stamped.event else { return };
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(SentSignal { at_ns: stamped.at_ns, to, by: stamped.thread });
    }

    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// A storm between two instants, if it disturbs the thread. Signals that the thread sends itself, for example by timers, are
    /// its own work.
    pub(crate) fn heavy_storm(&self, to: i32, from_ns: u64, to_ns: u64) -> Option<Storm<i32>> {
        self.storm(to, from_ns, to_ns).filter(|storm| storm.count >= MANY && storm.by != to)
    }

    pub(crate) fn storm(&self, to: i32, from_ns: u64, to_ns: u64) -> Option<Storm<i32>> {
        let since = self.0.iter().rev().skip_while(|sent| sent.at_ns > to_ns);
        let mut senders: BTreeMap<i32, u32> = BTreeMap::new();
        for sent in since.take_while(|sent| sent.at_ns >= from_ns).filter(|sent| sent.to == to) {
            *senders.entry(sent.by).or_default() += 1;
        }
        let (by, count) = senders.into_iter().max_by_key(|(_, count)| *count)?;
        let many = count >= FEW && u64::from(count) * EACH_NS >= to_ns - from_ns;
        many.then_some(Storm { by, count })
    }

    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_of_most_signals_is_named_where_they_are_many_for_the_time() {
        let mut signals = Signals::default();
        let mut sends = |at_ns, by, to, signal| {
            let event = Event::Signalled { thread: to, signal };
            signals.push(&Stamped { at_ns, thread: by, in_thread: true, to_switch: false, event });
        };
        (0..20).for_each(|number| sends(1_000_000 + number * 100_000, 5, 7, Signal::Other));
        (0..3).for_each(|number| sends(3_000_000 + number, 6, 7, Signal::Other));
        sends(3_000_010, 6, 8, Signal::Other);
        sends(3_000_020, 6, 7, Signal::Continues);
        let all = signals.storm(7, 1_000_000, 4_000_000);
        assert_eq!(all, Some(Storm { by: 5, count: 20 }));
        assert_eq!(signals.storm(7, 2_950_000, 4_000_000), None, "three are few");
        assert_eq!(signals.storm(7, 1_000_000, 40_000_000), None, "for so long they are few");
        assert_eq!(signals.storm(8, 1_000_000, 4_000_000), None);
        assert_eq!(signals.heavy_storm(7, 1_000_000, 4_000_000), all, "twenty");
        assert_eq!(signals.heavy_storm(7, 1_100_000, 4_000_000), None, "nineteen");
    }

    #[test]
    fn what_a_thread_sends_itself_keeps_it_from_nothing() {
        let mut signals = Signals::default();
        let event = Event::Signalled { thread: 7, signal: Signal::Other };
        let sends = |at_ns| Stamped { at_ns, thread: 7, in_thread: false, to_switch: false, event };
        (0..40).for_each(|number| signals.push(&sends(number * 10_000)));
        assert_eq!(signals.storm(7, 0, 400_000).map(|storm| storm.count), Some(40));
        assert_eq!(signals.heavy_storm(7, 0, 400_000), None);
    }
}
