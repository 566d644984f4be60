// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completes events that lack context: follows the thread and the interrupts of each CPU.
use super::error::ReadError;
use super::receiver::Receiver;
use super::understood;
use crate::event::{Event, Stamped, Thread};
use backwall_model::units::counted;
use std::collections::BTreeMap;

pub(super) const CPUS_MAX: u32 = 1 << 16;
/// No kernel nests interrupts and softirqs this deep. If there seem to be more, the ends of some were lost.
const DEPTH_MAX: u32 = 16;
/// Flags of ftrace: in an interrupt, a softirq or an NMI; and a pending reschedule.
const ABOVE_THREAD: u32 = 0x58;
const TO_SWITCH: u32 = 0x04;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    pub(super) thread: Option<i32>,
    pub(super) flags: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    thread: Option<Thread>,
    depth: u32,
    last_ns: u64,
}

/// Passes on events with their context, in order of time.
#[derive(Debug)]
pub(super) struct Tracked<'a, R> {
    receiver: &'a mut R,
    cpus: BTreeMap<u32, Cpu>,
    last_ns: u64,
    events: u64,
    backward: u64,
    pub(super) gaps: u64,
    /// Number of events on CPUs whose thread was unknown.
    unknown: u64,
}

impl<'a, R: Receiver> Tracked<'a, R> {
    pub(super) fn new(receiver: &'a mut R) -> Self {
        Self { receiver, cpus: BTreeMap::new(), last_ns: 0, events: 0, backward: 0, gaps: 0, unknown: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.receiver.is_done()
    }

    /// A switch that does not name the thread that leaves: it is the CPU's current one.
    pub(super) fn switch(&mut self, cpu: u32, at_ns: u64, preempted: bool, to: Thread) {
        let known = self.cpus.get(&cpu).and_then(|cpu| cpu.thread);
        // At the first switch of a CPU, nobody knows the thread that leaves.
        let from = known.unwrap_or(Thread::numbered(0));
        let preempted = preempted || known.is_none();
        self.event(cpu, at_ns, Circumstances::default(), Event::Switch { from, preempted, to });
    }

    /// A later event shows that the CPU runs this thread now. If another thread is known to run there, that one stays.
    pub(super) fn expect(&mut self, cpu: u32, thread: i32) {
        let state = self.cpus.entry(cpu).or_default();
        state.thread.get_or_insert(Thread::numbered(thread));
    }

    pub(super) fn event(&mut self, cpu: u32, at_ns: u64, told: Circumstances, event: Event) {
        self.events += 1;
        self.backward += u64::from(at_ns < self.last_ns);
        self.last_ns = at_ns.max(self.last_ns);
        let state = self.cpus.entry(cpu).or_default();
        state.last_ns = self.last_ns;
        let known = state.thread.map(|thread| thread.id);
        let thread = match event {
            Event::Switch { from, .. } => Some(from.id),
            _ => told.thread.or(known),
        };
        self.unknown += u64::from(thread.is_none());
        if let Some(thread) = thread.filter(|thread| known != Some(*thread)) {
            state.thread = Some(Thread::numbered(thread));
        }
        match event {
            Event::Enter(_) => state.depth = (state.depth + 1).min(DEPTH_MAX),
            Event::Switch { to, .. } => (state.thread, state.depth) = (Some(to), 0),
            _ => {}
        }
        let in_thread = told.flags.map_or(state.depth == 0, |flags| flags & ABOVE_THREAD == 0);
        if matches!(event, Event::Leave(_)) {
            state.depth = state.depth.saturating_sub(1);
        }
        let to_switch = told.flags.is_some_and(|flags| flags & TO_SWITCH != 0);
        let stamped = Stamped { at_ns: self.last_ns, thread: thread.unwrap_or(0), in_thread, to_switch, event };
        self.receiver.event(cpu, &stamped);
    }

    pub(super) fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.last_ns = at_ns.max(self.last_ns);
        self.receiver.gap_begins(cpu, self.last_ns);
    }

    pub(super) fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.last_ns = at_ns.max(self.last_ns);
        let state = self.cpus.entry(cpu).or_default();
        (state.thread, state.depth) = (None, 0);
        self.gaps += 1;
        self.receiver.gap(cpu, self.last_ns);
    }

    pub(super) fn notes(&self) -> Result<Vec<String>, ReadError> {
        let Self { backward, events, unknown, .. } = self;
        let order = understood::in_order(*backward, *events)?;
        let nobody = counted(*unknown, "event is of a CPU", "events are of CPUs");
        let nobody = format!("{nobody} whose thread was not recorded; backwall takes the idle thread instead");
        Ok([order, (*unknown > 0).then_some(nobody)].into_iter().flatten().collect())
    }
}
