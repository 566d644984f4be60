// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thread from its wakeup until it gets a CPU.
use crate::event::{Event, Stamped, Thread};
use crate::processor::Processor;
use crate::thread::wakeup::WakeUp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadyOutcome {
    Came(SwitchInstants),
    Unseen(Unseen),
}

/// A thread that was made ready but not seen to get a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    pub ready_at: u64,
}

/// When a thread got a CPU. Contains only what every response needs, because hardly any response is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SwitchInstants {
    pub(crate) ready_at: u64,
    pub(crate) ready_on: u32,
    pub(crate) at_ns: u64,
    pub(crate) inferred: bool,
    /// The thread that left the CPU without a record, so that this one got the CPU at this instant or earlier.
    pub(crate) behind: Option<Thread>,
    pub(crate) resumed: bool,
    pub(crate) thread: Option<Thread>,
}

impl SwitchInstants {
    /// A wakeup from the time when the thread was made ready to the switch to it. Its `stay` is left empty.
    pub(crate) fn wake_up(self) -> WakeUp {
        let Self { ready_at, at_ns, inferred, thread, .. } = self;
        WakeUp {
            expiry_at: ready_at,
            isr_at: ready_at,
            waking_at: ready_at,
            switch_in_at: at_ns,
            ended_at: at_ns,
            inferred,
            thread,
            ..WakeUp::default()
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    thread: i32,
    ready_at: Option<u64>,
    ready_on: u32,
    /// An interrupt on the thread's own time woke the thread, so the thread keeps the CPU and goes on afterwards.
    resumes: bool,
    on: Option<u32>,
    /// The thread went to sleep, and no wakeup followed.
    sleeps: bool,
    /// The thread slept when events were lost, so an unseen wakeup is possible.
    may_be_woken: bool,
    /// The thread ran after a wakeup that was lost.
    came_unseen: bool,
    named: Option<Thread>,
}

impl Awaited {
    pub(crate) fn new(thread: i32) -> Self {
        let (sleeps, may_be_woken, came_unseen) = (false, false, false);
        Self {
            thread,
            ready_at: None,
            ready_on: 0,
            resumes: false,
            on: None,
            sleeps,
            may_be_woken,
            came_unseen,
            named: None,
        }
    }

    /// Events of a CPU were lost, so the activation cannot be completed. Returns when the activation began; `None` if the
    /// thread is on another CPU.
    #[cfg(test)]
    pub(crate) fn forget(&mut self, cpu: u32) -> Option<u64> {
        if self.on.is_some_and(|on| on != cpu) { None } else { self.lose() }
    }

    pub(crate) fn lose(&mut self) -> Option<u64> {
        let ready_at = self.ready_at();
        self.may_be_woken = self.sleeps && self.on.is_none();
        (self.on, self.ready_at, self.resumes) = (None, None, false);
        ready_at
    }

    /// Whether the thread has run after a lost wakeup since the last call.
    #[inline(always)]
    pub(crate) fn came_unseen(&mut self) -> bool {
        std::mem::take(&mut self.came_unseen)
    }

    pub(crate) fn on(&self) -> Option<u32> {
        self.on
    }

    pub(crate) fn named(&self) -> Option<Thread> {
        self.named
    }

    pub(crate) fn ready_at(&self) -> Option<u64> {
        self.ready_at.filter(|_| self.on.is_none() || self.resumes)
    }

    pub(crate) fn ready_on(&self) -> u32 {
        self.ready_on
    }

    /// The thread's wakeup, as if the thread got the CPU now; `None` if the thread is not ready.
    pub(crate) fn waits_until(&self, at_ns: u64) -> Option<SwitchInstants> {
        let (ready_at, ready_on, thread) = (self.ready_at()?, self.ready_on, self.named);
        let at_ns = at_ns.max(ready_at);
        Some(SwitchInstants { ready_at, ready_on, at_ns, inferred: false, behind: None, resumed: false, thread })
    }

    /// Takes a wakeup. A thread that still has the CPU was about to sleep. Now it goes on, unless it leaves the CPU
    /// nevertheless. It does not leave if the interrupt that wakes it came on its own time: the kernel then only cancels the
    /// sleep. That often happens to a thread that catches up over several periods.
    #[inline(always)]
    pub(crate) fn wakes(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        let resumes = stamped.thread == self.thread;
        let missed = if resumes { self.goes_on(cpu, stamped, processor) } else { None };
        let unseen = self.ready_at().map(|ready_at| ReadyOutcome::Unseen(Unseen { ready_at }));
        (self.ready_at, self.ready_on, self.resumes) = (Some(stamped.at_ns), cpu, resumes);
        (self.sleeps, self.may_be_woken) = (false, false);
        missed.or(unseen)
    }

    #[inline(always)]
    pub(crate) fn goes_on(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        if self.resumes { self.resumed(cpu, stamped, processor) } else { self.missed(cpu, stamped, processor) }
    }

    /// The thread has its CPU back after the interrupt that woke it.
    #[cold]
    #[inline(never)]
    fn resumed(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        let since = processor.window(self.ready_at?, stamped.at_ns);
        let own = since.iter().find(|stretch| stretch.section.is_none()).map(|stretch| stretch.from_ns);
        let at_ns = own.or(processor.section().is_none().then_some(stamped.at_ns))?;
        self.has(cpu, at_ns, false).map(ReadyOutcome::Came)
    }

    /// A switch from the thread, after an event on its own time. A preempted thread has not slept.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, thread: &Thread, preempted: bool) {
        self.named = Some(*thread);
        (self.on, self.resumes) = (None, false);
        (self.sleeps, self.may_be_woken) = (!preempted && self.ready_at.is_none(), false);
        if preempted {
            self.ready_at = None;
        }
    }

    #[inline(always)]
    pub(crate) fn comes(&mut self, thread: &Thread, cpu: u32, at_ns: u64) -> Option<SwitchInstants> {
        self.named = Some(*thread);
        self.has(cpu, at_ns, false)
    }

    /// An event on the thread's own time without a switch to it. If the idle thread was about to leave, this thread has had the
    /// CPU since then. Otherwise only this event shows that it has the CPU; the switch came earlier.
    #[inline(always)]
    fn missed(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        if self.on == Some(cpu) { None } else { self.appears(cpu, *stamped, processor) }
    }

    #[cold]
    #[inline(never)]
    fn appears(&mut self, cpu: u32, stamped: Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        let since_ns = match stamped.event {
            Event::Switch { .. } => processor.stay_before(),
            _ => Some(processor.stay().1),
        };
        match since_ns.filter(|since_ns| *since_ns < stamped.at_ns) {
            Some(since_ns) => self.has(cpu, since_ns, true).map(ReadyOutcome::Came),
            None => {
                let behind = processor.left_unrecorded(matches!(stamped.event, Event::Switch { .. }));
                self.has(cpu, stamped.at_ns, true).map(|came| ReadyOutcome::Came(SwitchInstants { behind, ..came }))
            }
        }
    }

    #[inline(always)]
    fn has(&mut self, cpu: u32, at_ns: u64, inferred: bool) -> Option<SwitchInstants> {
        let resumed = std::mem::take(&mut self.resumes);
        self.on = Some(cpu);
        self.sleeps = false;
        let may_be_woken = std::mem::take(&mut self.may_be_woken);
        let Some(ready_at) = self.ready_at.take() else {
            self.came_unseen |= may_be_woken;
            return None;
        };
        let (at_ns, ready_on) = (at_ns.max(ready_at), self.ready_on);
        Some(SwitchInstants { ready_at, ready_on, at_ns, inferred, behind: None, resumed, thread: self.named })
    }
}
