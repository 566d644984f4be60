// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thread's time: running, ready, preempted and waiting. Also the thread's wakers, migrations and priority boosts.
use super::columns::Row;
use super::latencies::Latencies;
use crate::event::{Name, Section, Thread};

/// At most this many wakers are listed; all further ones are added up as `Others`.
const WAKERS_MAX: usize = 32;
const BOOSTS_MAX: usize = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Unknown,
    Running,
    /// Woken, but not on a CPU yet.
    Ready,
    Preempted,
    Waiting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waker {
    Thread(i32),
    Section(Section),
    Others,
}

/// The wakeups of a thread by one waker, and the sum of the waits that they ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Woken {
    pub(super) by: Waker,
    pub(super) count: u64,
    pub(super) ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boost {
    pub(super) by: i32,
    pub(super) from: i32,
    pub(super) to: i32,
    pub(super) count: u64,
}

#[derive(Clone, Debug)]
pub(super) struct ThreadTime {
    pub(super) id: i32,
    pub(super) name: Name,
    /// The thread's priority in the last event that names it; `i32::MAX` before the first.
    pub(super) priority: i32,
    state: State,
    /// Number of losses in the recording up to this thread's last event; `None` for a new thread.
    pub(super) losses: Option<u64>,
    since_ns: u64,
    cpu: u32,
    pub(super) in_state: [u64; 5],
    pub(super) cpu_ns: u64,
    pub(super) interrupted_ns: u64,
    pub(super) switched_in: u64,
    pub(super) preempted: u64,
    pub(super) migrations: u64,
    pub(super) woken: Vec<Woken>,
    pub(super) boosts: Vec<Boost>,
    pub(super) boosts_beyond: u64,
    pub(super) latency: Option<Box<Latencies>>,
    pub(super) worst: (u64, u64),
    pub(super) row: Row,
}

impl ThreadTime {
    pub(super) fn new(id: i32, begin_ns: u64) -> Self {
        Self {
            id,
            name: Name::default(),
            priority: i32::MAX,
            state: State::Unknown,
            losses: None,
            since_ns: begin_ns,
            cpu: u32::MAX,
            in_state: [0; 5],
            cpu_ns: 0,
            interrupted_ns: 0,
            switched_in: 0,
            preempted: 0,
            migrations: 0,
            woken: Vec::new(),
            boosts: Vec::new(),
            boosts_beyond: 0,
            latency: None,
            worst: (0, 0),
            row: Row::default(),
        }
    }

    pub(super) fn ns_in(&self, state: State) -> u64 {
        self.in_state[state as usize]
    }

    pub(super) fn is_running(&self) -> bool {
        self.state == State::Running
    }

    pub(super) fn is_on(&self, cpu: u32) -> bool {
        self.is_running() && self.cpu == cpu
    }

    pub(super) fn ran(&self) -> bool {
        self.in_state[State::Running as usize] > 0
    }

    #[inline(always)]
    pub(super) fn learn(&mut self, thread: &Thread) {
        (self.name, self.priority) = (thread.name, thread.priority);
    }

    #[inline(always)]
    fn turn(&mut self, at_ns: u64, state: State) -> u64 {
        let ns = at_ns.saturating_sub(self.since_ns);
        self.in_state[self.state as usize] += ns;
        self.state = state;
        self.since_ns = self.since_ns.max(at_ns);
        ns
    }

    #[inline]
    pub(super) fn comes(&mut self, at_ns: u64, cpu: u32) {
        let (before, since_ns) = (self.state, self.since_ns);
        if before == State::Running && self.cpu == cpu {
            return;
        }
        let ns = self.turn(at_ns, State::Running);
        self.switched_in += 1;
        self.migrations += u64::from(self.cpu != cpu && self.cpu != u32::MAX);
        self.cpu = cpu;
        match before {
            State::Ready => self.latency(since_ns, ns),
            State::Waiting => self.ended_waiting(Waker::Others, ns),
            _ => {}
        }
    }

    fn latency(&mut self, since_ns: u64, ns: u64) {
        self.latency.get_or_insert_default().record(ns);
        if ns >= self.worst.0 {
            self.worst = (ns, since_ns);
        }
    }

    #[inline(always)]
    pub(super) fn leaves(&mut self, at_ns: u64, preempted: bool) {
        self.turn(at_ns, if preempted { State::Preempted } else { State::Waiting });
        self.preempted += u64::from(preempted);
    }

    /// A wakeup. It changes nothing for a thread that is running, ready or preempted.
    #[inline]
    pub(super) fn wakes(&mut self, at_ns: u64, by: Waker) {
        match self.state {
            State::Waiting => {
                let ns = self.turn(at_ns, State::Ready);
                self.ended_waiting(by, ns);
            }
            State::Unknown => drop(self.turn(at_ns, State::Ready)),
            State::Running | State::Ready | State::Preempted => {}
        }
    }

    fn ended_waiting(&mut self, by: Waker, ns: u64) {
        let at = self.woken.iter().position(|woken| woken.by == by);
        let at = at.unwrap_or_else(|| {
            let by = if self.woken.len() < WAKERS_MAX { by } else { Waker::Others };
            let others = self.woken.iter().position(|woken| woken.by == by);
            others.unwrap_or_else(|| {
                self.woken.push(Woken { by, count: 0, ns: 0 });
                self.woken.len() - 1
            })
        });
        self.woken[at].count += 1;
        self.woken[at].ns += ns;
    }

    /// The thread inherits a priority because it holds a lock for which thread `by` waits.
    pub(super) fn boost(&mut self, by: i32, from: i32, to: i32) {
        let same = |boost: &&mut Boost| (boost.by, boost.from, boost.to) == (by, from, to);
        if let Some(boost) = self.boosts.iter_mut().find(same) {
            boost.count += 1;
        } else if self.boosts.len() < BOOSTS_MAX {
            self.boosts.push(Boost { by, from, to, count: 1 });
        } else {
            self.boosts_beyond += 1;
        }
    }

    pub(super) fn forget(&mut self, at_ns: u64) {
        self.turn(at_ns, State::Unknown);
    }

    /// After lost events the thread's state is unknown, unless the thread is on a CPU.
    pub(super) fn forget_off(&mut self, at_ns: u64) {
        if !self.is_running() {
            self.forget(at_ns);
        }
    }

    /// Called at the thread's first event after losses; its state before the last loss is forgotten.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&mut self, losses: u64, lost_at_ns: u64) {
        if self.losses.replace(losses).is_some() {
            self.forget_off(lost_at_ns);
        }
    }

    pub(super) fn end(&mut self, at_ns: u64) {
        self.turn(at_ns, State::Unknown);
    }
}
