// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who stopped and froze threads, and who resumed them.
//!
//! No event shows which threads a signal to a process or the thawing of a control group resumes. But the thread that resumes a
//! thread also makes it ready: just before the kernel reports the signal, or just after it reports the thawing.
use crate::event::{Event, Group, Signal, Stamped, Thread};
use std::collections::{HashMap, VecDeque};

/// At most this many stops are remembered, and as many ends of stops.
const KEPT: usize = 256;
/// A signal, freezing or thawing may be this long before or after the thread's wakeup: groups may have thousands of threads.
pub(crate) const BESIDE_NS: u64 = 1_000_000;

/// At most this many names are remembered. When there are more, all are forgotten.
const NAMES_MAX: usize = 1_024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Stopped,
    /// The thread was frozen with its control group, which an event may name; the kernel has no events for version 1 groups.
    Frozen(Option<Group>),
}

/// The thread that let a held thread go on, and how the held thread was held, if known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LetGo<T = Thread> {
    pub by: T,
    /// How the thread was held, and which thread held it, if recorded.
    pub held: Option<(How, Option<T>)>,
}

impl LetGo {
    /// A version 1 control group was frozen until this thread thawed it. No event names the group, or the thread that froze it.
    pub(crate) fn thawed(by: Thread) -> Self {
        Self { by, held: Some((How::Frozen(None), None)) }
    }
}

/// The held threads: those of a process, or of a control group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    Process(i32),
    Group(Group),
}

#[derive(Clone, Copy, Debug)]
struct End {
    at_ns: u64,
    by: i32,
    how: How,
    held_by: Option<i32>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Holds {
    begun: VecDeque<(Whom, i32)>,
    ends: VecDeque<End>,
    /// The last thread that froze a group, and when; `None` after it thawed one.
    freezer: Option<(u64, i32)>,
    /// Names of threads that the events do not name.
    names: HashMap<i32, Thread>,
}

impl Holds {
    #[inline(always)]
    pub(crate) fn push(&mut self, stamped: &Stamped) {
        if matches!(stamped.event, Event::Signalled { .. } | Event::Freezes { .. }) {
            self.take(*stamped);
        }
    }

    #[cold]
    #[inline(never)]
    fn take(&mut self, Stamped { at_ns, thread: by, event, .. }: Stamped) {
        match event {
            Event::Signalled { thread, signal: Signal::Stops } => self.begin(Whom::Process(thread), by),
            Event::Freezes { group, on: true } => {
                self.freezer = Some((at_ns, by));
                self.begin(Whom::Group(group), by);
            }
            Event::Signalled { thread, signal: Signal::Continues } => {
                self.end(Whom::Process(thread), How::Stopped, at_ns, by);
            }
            Event::Freezes { group, on: false } => {
                self.freezer = self.freezer.filter(|(_, freezer)| *freezer != by);
                self.end(Whom::Group(group), How::Frozen(Some(group)), at_ns, by);
            }
            _ => {}
        }
    }

    fn begin(&mut self, whom: Whom, by: i32) {
        self.begun.retain(|(of, _)| *of != whom);
        push(&mut self.begun, (whom, by));
    }

    fn end(&mut self, whom: Whom, how: How, at_ns: u64, by: i32) {
        let begun = self.begun.iter().position(|(of, _)| *of == whom).and_then(|place| self.begun.remove(place));
        push(&mut self.ends, End { at_ns, by, how, held_by: begun.map(|(_, by)| by) });
    }

    /// Learns a thread's name, for callers without switches; ignores a thread that has only a number.
    pub(crate) fn name(&mut self, thread: Thread) {
        if thread.is_number() {
            return;
        }
        if self.names.len() == NAMES_MAX {
            self.names.clear();
        }
        self.names.insert(thread.id, thread);
    }

    /// The waker with its name, and the hold that the waker ended at about this instant.
    pub(crate) fn let_go(&self, by: i32, at_ns: u64) -> LetGo {
        let held = self.ended(by, at_ns).map(|(how, by)| (how, by.map(|id| self.called(id))));
        LetGo { by: self.called(by), held }
    }

    pub(crate) fn called(&self, id: i32) -> Thread {
        self.names.get(&id).copied().unwrap_or(Thread::numbered(id))
    }

    pub(crate) fn ended(&self, by: i32, at_ns: u64) -> Option<(How, Option<i32>)> {
        let near = |end: &&End| end.by == by && end.at_ns.abs_diff(at_ns) <= BESIDE_NS;
        let end = self.ends.iter().rev().filter(near).min_by_key(|end| end.at_ns.abs_diff(at_ns))?;
        Some((end.how, end.held_by))
    }

    /// Whether a thread froze a group, and has not thawed one since.
    #[inline(always)]
    pub(crate) fn has_freezer(&self) -> bool {
        self.freezer.is_some()
    }

    /// Whether a thread that `by` makes ready now is woken only to be frozen: `by` just froze a group, and has thawed none
    /// since.
    pub(crate) fn freezes(&self, by: i32, at_ns: u64) -> bool {
        self.freezer.is_some_and(|(from_ns, freezer)| freezer == by && at_ns.saturating_sub(from_ns) <= BESIDE_NS)
    }

    pub(crate) fn forget(&mut self) {
        *self = Self { names: std::mem::take(&mut self.names), ..Self::default() };
    }
}

fn push<T>(kept: &mut VecDeque<T>, next: T) {
    if kept.len() == KEPT {
        kept.pop_front();
    }
    kept.push_back(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
        Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
    }

    #[test]
    fn who_stopped_is_told_of_the_end_that_is_nearest_to_the_waking() {
        let (mut holds, group) = (Holds::default(), Group::named("/jobs"));
        let events = [
            by(1_000, 3, Event::Signalled { thread: 7, signal: Signal::Stops }),
            by(2_000, 4, Event::Freezes { group, on: true }),
            by(9_000_000, 5, Event::Signalled { thread: 7, signal: Signal::Continues }),
            by(9_500_000, 5, Event::Freezes { group, on: false }),
            by(50_000_000, 6, Event::Signalled { thread: 7, signal: Signal::Continues }),
        ];
        events.iter().for_each(|event| holds.push(event));
        assert_eq!(holds.ended(5, 8_999_000), Some((How::Stopped, Some(3))));
        assert_eq!(holds.ended(5, 9_501_000), Some((How::Frozen(Some(group)), Some(4))));
        assert_eq!(holds.ended(6, 50_001_000), Some((How::Stopped, None)), "its stop had an end");
        assert_eq!((holds.ended(4, 9_000_000), holds.ended(5, 20_000_000)), (None, None));
        holds.forget();
        assert_eq!(holds.ended(5, 9_000_000), None);
    }
}
