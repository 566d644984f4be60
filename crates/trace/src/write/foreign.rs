// SPDX-License-Identifier: MIT OR Apache-2.0
//! An event in the form that other tools need: threads with names, interrupts with numbers, and for each end a start.
use super::interrupts::Interrupts;
use crate::event::{Event, Section, Stamped, Thread};
use crate::read::about::About;
use std::collections::{BTreeMap, HashMap};

const NAMES_MAX: usize = 1 << 16;

pub(super) enum Foreign {
    Switch {
        from: Thread,
        preempted: bool,
        to: Thread,
    },
    /// A thread is woken. Contains the thread's priority, if a switch showed it.
    Waking {
        name: String,
        thread: i32,
        priority: Option<i32>,
    },
    SoftirqEntry(u8),
    SoftirqExit(u8),
    InterruptEntry {
        number: u32,
        name: String,
    },
    InterruptExit {
        number: u32,
    },
    Migrate {
        thread: i32,
        to: u32,
    },
    /// A thread's priority changes through a lock.
    Inherit {
        thread: i32,
        from: i32,
        to: i32,
    },
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    interrupts: Interrupts,
    switched: HashMap<i32, Thread>,
    named: BTreeMap<i32, String>,
}

impl Memory {
    pub(super) fn new(about: &About) -> Self {
        Self { named: about.names.clone(), ..Self::default() }
    }

    /// The event. `None` if other tools do not use it, or if an interrupt ends that has no start.
    pub(super) fn told(&mut self, cpu: u32, stamped: &Stamped) -> Option<Foreign> {
        Some(match stamped.event {
            Event::Switch { from, preempted, to } => {
                self.switched(from);
                self.switched(to);
                Foreign::Switch { from, preempted, to }
            }
            Event::Waking { thread } => self.waking(thread),
            Event::Enter(Section::Softirq(number)) => Foreign::SoftirqEntry(number),
            Event::Leave(Section::Softirq(number)) => Foreign::SoftirqExit(number),
            Event::Enter(Section::Interrupt(name)) => {
                let (number, name) = self.interrupts.enter(cpu, name);
                Foreign::InterruptEntry { number, name }
            }
            Event::Leave(Section::Interrupt(_)) => Foreign::InterruptExit { number: self.interrupts.leave(cpu)? },
            Event::Migrate { thread, to } => Foreign::Migrate { thread, to },
            Event::Inherit { thread, from, to } => Foreign::Inherit { thread, from, to },
            Event::Placed { .. }
            | Event::TimerStart { .. }
            | Event::TimerExpire { .. }
            | Event::CoarseTimer { .. }
            | Event::Signalled { .. }
            | Event::Freezes { .. }
            | Event::Work { .. }
            | Event::Call { .. }
            | Event::Packet { .. }
            | Event::Mark { .. }
            | Event::WorkEnd
            | Event::SleepEnd
            | Event::Stack(_)
            | Event::Unpreempted(_)
            | Event::Measured(_)
            | Event::Woken { .. }
            | Event::Futex { .. }
            | Event::FutexEnd
            | Event::PageFault
            | Event::Masks { .. }
            | Event::Frequency { .. }
            | Event::FrequencyLimit { .. }
            | Event::Cools { .. }
            | Event::Plugs { .. } => return None,
        })
    }

    pub(super) fn forget(&mut self, cpu: u32) {
        self.interrupts.forget(cpu);
    }

    fn switched(&mut self, thread: Thread) {
        if self.switched.len() < NAMES_MAX || self.switched.contains_key(&thread.id) {
            self.switched.insert(thread.id, thread);
        }
    }

    fn waking(&self, thread: i32) -> Foreign {
        match self.switched.get(&thread) {
            Some(known) => Foreign::Waking { name: known.name.to_string(), thread, priority: Some(known.priority) },
            None => {
                let name = self.named.get(&thread).cloned().unwrap_or_default();
                Foreign::Waking { name, thread, priority: None }
            }
        }
    }
}
