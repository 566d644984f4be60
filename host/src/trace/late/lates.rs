// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at every response of the chosen threads, and divides the time of those that are late.
//!
//! A response begins when the thread's own timer was to expire, or where it has none when the thread is made ready; it ends
//! when a processor comes to it.
use super::followed::Threads;
use super::timers::Timers;
use crate::trace::account::analysis::Listener;
use crate::trace::awaited::Reached;
use crate::trace::blame::Blame;
use crate::trace::event::{Event, Stamped, Thread};
use crate::trace::evidence::Evidence;
use crate::trace::processor::Processor;
use crate::trace::wakeup::WakeUp;

/// Late responses that are kept one by one; the causes of all are counted.
const KEPT: usize = 4_096;

/// Whose responses, and what is late.
#[derive(Clone, Debug)]
pub struct Question {
    /// A response that takes longer is late.
    pub above_ns: u64,
    /// Which threads.
    pub whose: Whose,
    /// Whether the stamps are those of the clock by which timers are set.
    pub timers: bool,
}

/// Whose responses are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Every real-time and deadline thread's.
    RealTime,
    /// Every thread's.
    All,
    /// One thread's.
    Number(i32),
    /// Those of this name.
    Name(String),
}

impl Whose {
    fn has(&self, thread: &Thread) -> bool {
        match self {
            Whose::RealTime => thread.priority < 100,
            Whose::All => true,
            Whose::Number(id) => thread.id == *id,
            Whose::Name(name) => thread.name.to_string() == *name,
        }
    }
}

/// A late response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The thread.
    pub thread: Thread,
    /// The processor that came to it.
    pub cpu: u32,
    /// When it began, by the recording's clock.
    pub at_ns: u64,
    /// Whether it began with the expiry of the thread's own timer.
    pub timed: bool,
    /// Who used its time; the shares sum to it.
    pub blame: Blame,
}

/// All late responses of a recording.
#[derive(Clone, Debug)]
pub struct Lates {
    question: Question,
    threads: Threads,
    timers: Timers,
    /// Responses of the chosen threads.
    pub responses: u64,
    /// Of these, how many were not seen to their end.
    pub unseen: u64,
    /// The late ones in order of time, as many as are kept.
    pub lates: Vec<Late>,
    /// Late ones beyond those.
    pub more: u64,
}

impl Lates {
    /// Nothing was looked at yet.
    pub fn new(question: Question) -> Self {
        let (threads, timers) = (Threads::default(), Timers::default());
        Self { question, threads, timers, responses: 0, unseen: 0, lates: Vec::new(), more: 0 }
    }

    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Events of threads that were too many to follow.
    pub fn beyond(&self) -> u64 {
        self.threads.beyond
    }

    fn one(&mut self, thread: i32, cpu: u32, stamped: &Stamped, processor: &Processor) {
        match self.threads.push(thread, cpu, stamped, processor) {
            Some(Reached::Came(wake_up)) => self.came(wake_up, cpu, processor),
            Some(Reached::Unseen(_)) if matches!(self.question.whose, Whose::All) => self.unseen += 1,
            Some(Reached::Unseen(_)) if self.question.whose == Whose::Number(thread) => self.unseen += 1,
            _ => {}
        }
    }

    fn came(&mut self, wake_up: WakeUp, cpu: u32, processor: &Processor) {
        let Some(thread) = wake_up.thread.filter(|thread| self.question.whose.has(thread)) else { return };
        self.responses += 1;
        if wake_up.switch_in_at.saturating_sub(wake_up.expiry_at) <= self.question.above_ns {
            return;
        }
        if self.lates.len() == KEPT {
            self.more += 1;
            return;
        }
        let evidence = Evidence::new(wake_up, |from, to| processor.window(from, to));
        let (at_ns, timed) = (wake_up.expiry_at, wake_up.expiry_at < wake_up.waking_at);
        self.lates.push(Late { thread, cpu, at_ns, timed, blame: evidence.blame(wake_up.switch_in_at) });
    }
}

impl Listener for Lates {
    #[inline]
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        match stamped.event {
            Event::Switch { from, to, .. } => {
                self.one(from.id, cpu, stamped, processor);
                if to.id != from.id {
                    self.one(to.id, cpu, stamped, processor);
                }
            }
            Event::Waking { thread } => {
                self.one(thread, cpu, stamped, processor);
                if self.question.timers {
                    self.threads.fired(thread, cpu, self.timers.of(cpu, thread));
                }
            }
            _ => self.one(stamped.thread, cpu, stamped, processor),
        }
        if self.question.timers {
            self.timers.push(cpu, stamped, processor);
        }
    }

    fn gap(&mut self, _: u32, _: u64) {
        let begun = self.threads.forget();
        self.unseen += if self.question.whose == Whose::All { begun } else { 0 };
    }
}
