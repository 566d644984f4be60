// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads whose responses are looked at, each between being made ready and having a processor.
use super::timers::Fired;
use crate::trace::awaited::{Awaited, Reached};
use crate::trace::by_number::ByNumber;
use crate::trace::event::Stamped;
use crate::trace::processor::Processor;
use crate::trace::wakeup::WakeUp;

/// Threads that are followed at one time; a recording that names more has its others not looked at, and that is said.
const THREADS_MAX: usize = 1 << 16;

/// One thread.
#[derive(Clone, Copy, Debug)]
struct Followed {
    awaited: Awaited,
    /// The timer that made it ready last, on this processor.
    timer: Option<(u32, Fired)>,
}

impl Followed {
    fn new(thread: i32) -> Self {
        Self { awaited: Awaited::new(thread), timer: None }
    }
}

/// All threads that any event named.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    all: ByNumber<Followed>,
    /// Threads beyond [`THREADS_MAX`].
    pub(super) beyond: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self { all: ByNumber::new(THREADS_MAX), beyond: 0 }
    }
}

impl Threads {
    /// Takes an event for one of the threads that it names; what became of the thread.
    #[inline]
    pub(super) fn push(&mut self, thread: i32, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<Reached> {
        if thread == 0 {
            return None;
        }
        let Some(followed) = self.all.of(thread, || Followed::new(thread)) else {
            self.beyond += 1;
            return None;
        };
        let reached = followed.awaited.push(cpu, stamped, processor)?;
        Some(match reached {
            Reached::Came(wake_up) => Reached::Came(with_timer(wake_up, cpu, followed.timer.take())),
            Reached::Unseen(at_ns) => Reached::Unseen(at_ns),
        })
    }

    /// A timer makes the thread ready that set it.
    pub(super) fn fired(&mut self, thread: i32, cpu: u32, timer: Option<Fired>) {
        if let Some(followed) = self.all.of(thread, || Followed::new(thread)) {
            followed.timer = timer.map(|timer| (cpu, timer));
        }
    }

    /// Events were lost.
    pub(super) fn forget(&mut self) -> u64 {
        self.all.all_mut().iter_mut().map(|followed| u64::from(followed.awaited.forget().is_some())).sum()
    }
}

/// The stimulus is the timer's expiry where the thread came on the processor on which the timer fired: only that one's past
/// tells why.
fn with_timer(wake_up: WakeUp, cpu: u32, timer: Option<(u32, Fired)>) -> WakeUp {
    match timer {
        Some((on, fired)) if on == cpu && fired.isr_at <= wake_up.waking_at && fired.expiry_at <= wake_up.waking_at => {
            let Fired { expiry_at, armed_at, isr_at, line, stay, .. } = fired;
            WakeUp { expiry_at, armed_at, isr_at: isr_at.max(expiry_at), line, stay, ..wake_up }
        }
        _ => wake_up,
    }
}
