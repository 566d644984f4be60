// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thread between the instant at which it is made ready and the one at which a processor comes to it.
use super::event::{Event, Stamped, Thread};
use super::processor::Processor;
use super::wakeup::WakeUp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadyOutcome {
    /// A processor came to it.
    Came(SwitchInstants),
    /// What followed was not seen.
    Unseen(Unseen),
}

/// A thread that was made ready and whose processor was not seen to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// It was made ready.
    pub ready_at: u64,
}

/// The instants of a processor's coming: as little as every response needs, of which hardly one is to be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SwitchInstants {
    pub(super) ready_at: u64,
    pub(super) ready_on: u32,
    pub(super) at_ns: u64,
    pub(super) inferred: bool,
    /// Who had the processor before, where nothing tells when that one left: the thread had it at this instant at the latest.
    pub(super) behind: Option<Thread>,
    pub(super) resumed: bool,
    pub(super) thread: Option<Thread>,
}

impl SwitchInstants {
    /// From the waking of that thread to the switch to it, as any other wake-up. The stay that its waking interrupted is
    /// not looked for.
    pub(super) fn wake_up(self) -> WakeUp {
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
pub(super) struct Awaited {
    thread: i32,
    /// Since when it is ready, while it is.
    ready_at: Option<u64>,
    /// Where it was made ready last.
    ready_on: u32,
    /// It was made ready on its own time, by an interrupt: it keeps the processor and goes on when that ends.
    resumes: bool,
    /// The processor that it has.
    on: Option<u32>,
    /// It left of its own accord, and no waking was seen since.
    sleeps: bool,
    /// It slept when events were lost: somebody may have made it ready unseen.
    may_be_woken: bool,
    /// It came, and was made ready where events were lost.
    came_unseen: bool,
    named: Option<Thread>,
}

impl Awaited {
    pub(super) fn new(thread: i32) -> Self {
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

    /// Events of a processor were lost: an activation that was begun cannot be completed; since when it was ready. A thread
    /// that has another processor was not there.
    #[cfg(test)]
    pub(super) fn forget(&mut self, cpu: u32) -> Option<u64> {
        if self.on.is_some_and(|on| on != cpu) { None } else { self.lose() }
    }

    pub(super) fn lose(&mut self) -> Option<u64> {
        let ready_at = self.ready_at();
        self.may_be_woken = self.sleeps && self.on.is_none();
        (self.on, self.ready_at, self.resumes) = (None, None, false);
        ready_at
    }

    /// Whether it came since this was asked, and its waking is among the events that were lost.
    #[inline(always)]
    pub(super) fn came_unseen(&mut self) -> bool {
        std::mem::take(&mut self.came_unseen)
    }

    pub(super) fn on(&self) -> Option<u32> {
        self.on
    }

    pub(super) fn named(&self) -> Option<Thread> {
        self.named
    }

    pub(super) fn ready_at(&self) -> Option<u64> {
        self.ready_at.filter(|_| self.on.is_none() || self.resumes)
    }

    pub(super) fn ready_on(&self) -> u32 {
        self.ready_on
    }

    /// Its waking, as if a processor came to it at this instant; none where it is not ready.
    pub(super) fn waits_until(&self, at_ns: u64) -> Option<SwitchInstants> {
        let (ready_at, ready_on, thread) = (self.ready_at()?, self.ready_on, self.named);
        let at_ns = at_ns.max(ready_at);
        Some(SwitchInstants { ready_at, ready_on, at_ns, inferred: false, behind: None, resumed: false, thread })
    }

    /// It is made ready. A thread that still has the processor need not come to it: it was about to sleep, and goes on instead
    /// unless it leaves once more. On its own time it does not leave: the kernel only takes back that it was about to sleep. Who
    /// makes up for several periods is made ready so again and again, and goes on between.
    #[inline(always)]
    pub(super) fn wakes(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        let resumes = stamped.thread == self.thread;
        let missed = if resumes { self.goes_on(cpu, stamped, processor) } else { None };
        let unseen = self.ready_at().map(|ready_at| ReadyOutcome::Unseen(Unseen { ready_at }));
        (self.ready_at, self.ready_on, self.resumes) = (Some(stamped.at_ns), cpu, resumes);
        (self.sleeps, self.may_be_woken) = (false, false);
        missed.or(unseen)
    }

    #[inline(always)]
    pub(super) fn goes_on(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        if self.resumes { self.resumed(cpu, stamped, processor) } else { self.missed(cpu, stamped, processor) }
    }

    /// It has its processor back at the end of the interrupt that made it ready.
    #[cold]
    #[inline(never)]
    fn resumed(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        let since = processor.window(self.ready_at?, stamped.at_ns);
        let own = since.iter().find(|stretch| stretch.section.is_none()).map(|stretch| stretch.from_ns);
        let at_ns = own.or(processor.section().is_none().then_some(stamped.at_ns))?;
        self.has(cpu, at_ns, false).map(ReadyOutcome::Came)
    }

    /// A switch from it, which is an event on its own time before. Who is preempted had not slept, whatever woke it.
    #[inline(always)]
    pub(super) fn leaves(&mut self, thread: &Thread, preempted: bool) {
        self.named = Some(*thread);
        (self.on, self.resumes) = (None, false);
        (self.sleeps, self.may_be_woken) = (!preempted && self.ready_at.is_none(), false);
        if preempted {
            self.ready_at = None;
        }
    }

    #[inline(always)]
    pub(super) fn comes(&mut self, thread: &Thread, cpu: u32, at_ns: u64) -> Option<SwitchInstants> {
        self.named = Some(*thread);
        self.has(cpu, at_ns, false)
    }

    /// An event on the thread's own time without a switch to it: where an idle processor left for it, it has had the
    /// processor since; otherwise nobody knows since when, and this event proves that it had come by then.
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
