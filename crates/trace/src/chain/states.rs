// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps each thread's recent states (running, ready, preempted, asleep), and who ended the thread's sleeps.
use crate::collection::by_number::ByNumber;
use crate::event::{Section, Thread};
use std::collections::VecDeque;

const THREADS_MAX: usize = 8_192;
const KEPT_OF_HOP: usize = 1_024;
const KEPT: usize = 32;
// In a virtual machine a thread takes 13 us (p99 17 us) from setting the timer of its sleep to the switch.
const SETTING_NS: u64 = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waker {
    /// A thread, or a softirq that ran in the thread's time because the thread sent a packet.
    Thread(i32),
    Section(Section),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Unknown,
    Runs,
    Ready(Waker),
    Preempted,
    Sleeps,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    at_ns: u64,
    cpu: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// The CPU on which the thread ran; for a thread without a CPU, the CPU where it runs next.
    pub(super) cpu: u32,
    pub(super) state: State,
    pub(super) ended_by: Waker,
}

#[derive(Clone, Debug)]
pub(super) struct History {
    thread: Thread,
    pub(super) is_hop: bool,
    changes: VecDeque<Change>,
    losses: u32,
    // When the thread set a timer; `None` after a later event that shows the thread at work.
    timer_set_ns: Option<u64>,
    // Whether the thread's last expired timer ended a sleep. After the timer of a file descriptor, the thread may go on
    // instead.
    sleeps_by_timer: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Histories {
    all: ByNumber<History>,
    losses: u32,
}

impl Default for Histories {
    fn default() -> Self {
        Self { all: ByNumber::new(THREADS_MAX), losses: 0 }
    }
}

impl Histories {
    /// Events were lost, so the state of every thread is unknown from here.
    pub(super) fn forget(&mut self) {
        self.losses += 1;
    }

    #[inline(always)]
    pub(super) fn of(&mut self, id: i32) -> Option<&mut History> {
        if id == 0 {
            return None;
        }
        let losses = self.losses;
        let new = || History::new(Thread::numbered(id), losses);
        let history = self.all.of(id, new)?;
        if history.losses != losses {
            history.changes.clear();
            (history.losses, history.timer_set_ns) = (losses, None);
        }
        Some(history)
    }

    #[inline(always)]
    pub(super) fn hop(&mut self, id: i32) -> Option<&mut History> {
        if self.known(id).is_some_and(|history| history.is_hop) { self.of(id) } else { None }
    }

    pub(super) fn known(&self, id: i32) -> Option<&History> {
        self.all.get(id).filter(|history| history.losses == self.losses)
    }

    pub(super) fn thread(&self, id: i32) -> Thread {
        self.all.get(id).map_or(Thread::numbered(id), |history| history.thread)
    }

    // The time of the thread's last event, even if events were lost since then.
    pub(super) fn last_ns(&self, id: i32) -> u64 {
        self.all.get(id).map_or(0, History::since_ns)
    }

    pub(super) fn threads(&self) -> impl Iterator<Item = &History> {
        self.all.all().iter()
    }
}

impl History {
    fn new(thread: Thread, losses: u32) -> Self {
        let (timer_set_ns, sleeps_by_timer) = (None, false);
        Self { thread, is_hop: false, changes: VecDeque::new(), losses, timer_set_ns, sleeps_by_timer }
    }

    pub(super) fn sets_timer(&mut self, at_ns: u64) {
        self.timer_set_ns = Some(at_ns);
    }

    pub(super) fn timer_fires(&mut self, ends_sleep: bool) {
        self.sleeps_by_timer = ends_sleep;
    }

    pub(super) fn is_at_work(&mut self) {
        self.timer_set_ns = None;
    }

    /// When the thread that left its CPU at `left_ns` began to go to sleep. Its work is done when it sets that sleep's timer.
    pub(super) fn turned_in_ns(&self, left_ns: u64) -> u64 {
        let set_ns = self.timer_set_ns.filter(|_| self.sleeps_by_timer);
        let is_near = |set_ns: &u64| *set_ns >= self.since_ns() && left_ns.saturating_sub(*set_ns) <= SETTING_NS;
        set_ns.filter(is_near).unwrap_or(left_ns)
    }

    pub(super) fn thread(&self) -> Thread {
        self.thread
    }

    #[inline(always)]
    pub(super) fn is_named(&mut self, thread: &Thread) -> bool {
        if self.thread == *thread {
            return false;
        }
        let new = self.thread.is_number() || self.thread.name != thread.name;
        self.thread = *thread;
        new
    }

    // Whether the thread may be a hop. A thread without a known name may be one.
    #[inline(always)]
    pub(super) fn may_be_hop(&self) -> bool {
        self.is_hop || self.thread.is_number()
    }

    #[inline(always)]
    pub(super) fn is_now(&mut self, state: State, cpu: u32, at_ns: u64) {
        let most = if self.is_hop { KEPT_OF_HOP } else { KEPT };
        if self.changes.len() >= most {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { at_ns, cpu, state });
    }

    #[inline(always)]
    pub(super) fn state(&self) -> State {
        self.changes.back().map_or(State::Unknown, |change| change.state)
    }

    pub(super) fn since_ns(&self) -> u64 {
        self.changes.back().map_or(0, |change| change.at_ns)
    }

    pub(super) fn awake_since(&self, from_ns: u64) -> bool {
        match self.state() {
            State::Sleeps => self.since_ns() > from_ns,
            State::Unknown => false,
            _ => true,
        }
    }

    pub(super) fn slept_ns(&self) -> Option<u64> {
        let mut back = self.changes.iter().rev().take_while(|change| change.state != State::Runs);
        back.find(|change| change.state == State::Sleeps).map(|change| change.at_ns)
    }

    pub(super) fn came_since(&self) -> Option<u64> {
        let back = self.changes.iter().rev().take_while(|change| change.state != State::Sleeps);
        back.filter(|change| change.state == State::Runs).last().map(|change| change.at_ns)
    }

    pub(super) fn segments(&self, from_ns: u64, to_ns: u64) -> Vec<Segment> {
        let first = self.changes.partition_point(|change| change.at_ns <= from_ns);
        let before = first.checked_sub(1).map(|place| self.changes[place]);
        let unknown = Change { at_ns: from_ns, cpu: u32::MAX, state: State::Unknown };
        let since = self.changes.range(first..).copied().take_while(|change| change.at_ns < to_ns);
        let mut all: Vec<Segment> = Vec::new();
        for change in std::iter::once(before.unwrap_or(unknown)).chain(since) {
            let at_ns = change.at_ns.max(from_ns);
            all.last_mut().into_iter().for_each(|last| last.to_ns = at_ns);
            let Change { cpu, state, .. } = change;
            all.push(Segment { from_ns: at_ns, to_ns, cpu, state, ended_by: Waker::Unknown });
        }
        let after = self.changes.get(self.changes.partition_point(|change| change.at_ns < to_ns)).copied();
        self.joined(all, after)
    }

    /// Adds to each sleep the waker that ended it, and to each wait the CPU on which it ended.
    fn joined(&self, mut all: Vec<Segment>, after: Option<Change>) -> Vec<Segment> {
        let mut next = after.map(|change| (change.state, change.cpu));
        for segment in all.iter_mut().rev() {
            match (segment.state, next) {
                (State::Sleeps, Some((State::Ready(waker), _))) => segment.ended_by = waker,
                (State::Ready(_) | State::Preempted, Some((State::Runs, cpu))) => segment.cpu = cpu,
                _ => {}
            }
            next = Some((segment.state, segment.cpu));
        }
        all.retain(|segment| segment.from_ns < segment.to_ns);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn history(changes: &[(u64, u32, State)]) -> History {
        let mut history = History { is_hop: true, ..History::new(Thread::numbered(7), 0) };
        changes.iter().for_each(|(at_ns, cpu, state)| history.is_now(*state, *cpu, *at_ns));
        history
    }

    #[test]
    fn a_sleep_knows_who_ended_it_and_a_wait_where_it_ended() {
        let by = Waker::Thread(9);
        let history =
            history(&[(10, 0, State::Runs), (20, 0, State::Sleeps), (50, 1, State::Ready(by)), (60, 2, State::Runs)]);
        let all = history.segments(15, 55);
        let short: Vec<_> = all.iter().map(|one| (one.from_ns, one.to_ns, one.cpu, one.ended_by)).collect();
        let no = Waker::Unknown;
        assert_eq!(short, [(15, 20, 0, no), (20, 50, 0, by), (50, 55, 2, no)]);
        assert_eq!((history.came_since(), history.slept_ns()), (Some(60), None));
    }

    proptest! {
        #[test]
        fn segments_fill_any_window(
            steps in proptest::collection::vec((0u64..20, 0u32..2, 0usize..4), 0..40),
            from_ns in 0u64..300,
            ns in 1u64..300,
        ) {
            let states = [State::Runs, State::Ready(Waker::Unknown), State::Preempted, State::Sleeps];
            let mut at_ns = 0;
            let changes: Vec<_> = steps.iter().map(|(step, cpu, state)| {
                at_ns += step;
                (at_ns, *cpu, states[*state])
            }).collect();
            let all = history(&changes).segments(from_ns, from_ns + ns);
            prop_assert_eq!(all.iter().map(|one| one.to_ns - one.from_ns).sum::<u64>(), ns);
            prop_assert!(all.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
        }
    }
}
