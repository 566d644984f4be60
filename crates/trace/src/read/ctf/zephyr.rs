// SPDX-License-Identifier: MIT OR Apache-2.0
//! Zephyr's thread events. Two events together are a switch, and neither says whether the thread that leaves is still ready.
//! Source: Zephyr, subsys/tracing/ctf.
use super::fields::{Bits, DecodedFields};
use crate::event::{Event, Name, Thread};
use std::collections::{BTreeMap, BTreeSet};

const THREADS_MAX: usize = 1 << 16;
/// The priority of a thread without a recorded one. backwall maps Zephyr's priorities to real-time priorities around this one.
const PRIORITY: i32 = 50;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    In { thread: usize, name: usize },
    Out { thread: usize },
    Ready { thread: usize },
    Waits { thread: usize },
    Priority { thread: usize, priority: usize },
}

impl Step {
    pub(super) fn of(name: &str, slot: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let thread = slot("thread_id")?;
        Some(match name {
            "thread_switched_in" => Self::In { thread, name: slot("name")? },
            "thread_switched_out" => Self::Out { thread },
            "thread_ready" | "thread_wakeup" | "thread_resume" => Self::Ready { thread },
            "thread_pending" | "thread_suspend" | "thread_abort" => Self::Waits { thread },
            "thread_priority_set" => Self::Priority { thread, priority: slot("prio")? },
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    on: Option<Thread>,
    left: Option<Thread>,
    ready: BTreeSet<i32>,
    waits: BTreeSet<i32>,
    priorities: BTreeMap<i32, i32>,
}

impl Threads {
    pub(super) fn step(&mut self, step: Step, seen: &DecodedFields, bits: &Bits<'_>) -> Option<Event> {
        let number = |slot: usize| seen.slots[slot] as i32;
        match step {
            Step::In { thread, name } => {
                let text = bits.text(seen.slots[name]);
                let idle = text.starts_with(b"idle");
                let id = if idle { 0 } else { number(thread) };
                let priority = self.priorities.get(&id).copied().unwrap_or(PRIORITY);
                let to = Thread { id, priority, name: Name::new(&text[..text.len().min(16)]) };
                let from = self.left.take().or(self.on).unwrap_or(Thread::numbered(0));
                // Only a thread that was made ready meanwhile can have preempted this one.
                let preempted = from.id == 0 || (!idle && !self.waits.contains(&from.id) && self.ready.contains(&id));
                self.ready.clear();
                self.waits.remove(&id);
                self.on = Some(to);
                (from.id != id).then_some(Event::Switch { from, preempted, to })
            }
            Step::Out { thread } => {
                self.left = self.on.filter(|on| on.id == 0 || on.id == number(thread)).or(self.left);
                None
            }
            Step::Ready { thread } => {
                let thread = number(thread);
                if self.ready.len() < THREADS_MAX {
                    self.ready.insert(thread);
                }
                self.waits.remove(&thread);
                Some(Event::Waking { thread })
            }
            Step::Waits { thread } => {
                if self.waits.len() < THREADS_MAX {
                    self.waits.insert(number(thread));
                }
                None
            }
            Step::Priority { thread, priority } => {
                if self.priorities.len() < THREADS_MAX {
                    self.priorities.insert(number(thread), (PRIORITY + number(priority)).clamp(0, 98));
                }
                None
            }
        }
    }
}
