// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a stimulus to the response of one thread, on the CPU that it got: everything that its explanation knows of it.
//!
//! Every source of late responses (a probe's timer, another program's thread, a recording's threads, jobs of a task set, an
//! instrument's edges) uses this form, and `explain` divides it.
use crate::event::{Name, Thread};
use crate::processor::Stay;
use crate::thread::holds::LetGo;
use crate::thread::limits::UsedUp;
use crate::thread::signals::Storm;

/// What is known of a response; known times in order, by the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The thread, if a switch named it.
    pub thread: Option<Thread>,
    /// The stimulus.
    pub from_ns: u64,
    /// When the interrupt was due: after the stimulus if the timer had slack.
    pub due_ns: u64,
    /// End of the thread's earlier release, if it was still busy.
    pub busy_until: Option<u64>,
    /// It catches up after a response this many nanoseconds late for another reason.
    pub after_ns: Option<u64>,
    /// CPU time from the thread's last wakeup to the timer of a release that was already due; `None` if that wakeup is not known.
    pub ran_ns: Option<u64>,
    /// From when on the thread waited for the stimulus: it set its timer.
    pub waits_from: Option<u64>,
    /// Who woke the thread before it set that timer too late, or before it continued elsewhere; this ended what had blocked it.
    pub let_go: Option<LetGo>,
    /// When the thread was away for a page, before it waited for the stimulus.
    pub fault: Option<Absence>,
    /// The signals that the thread was sent before it waited for the stimulus.
    pub storm: Option<Storm>,
    /// When the thread was ready and its time was used up.
    pub used_up: Option<UsedUp>,
    /// Start of the interrupt that woke the thread; `ready_ns` if none did or none is known.
    pub interrupt_ns: u64,
    /// That interrupt's name.
    pub line: Option<Name>,
    /// Whether it ended with the flag that requests a reschedule: without it the running thread had no lower priority.
    pub asked: Option<bool>,
    /// The stay on the processor that it interrupted.
    pub stay: Option<Stay>,
    /// The thread was made ready.
    pub ready_ns: u64,
    /// From when on its waiting place was not recorded.
    pub moved_ns: Option<u64>,
    /// When the thread got the CPU.
    pub came_ns: u64,
    /// The thread left the CPU by itself again, before its response.
    pub away: Option<Absence>,
    /// Start of the thread's own work, if the response ends with that; otherwise it ends with the first instruction.
    pub works_from: Option<u64>,
}

/// When a thread had left the CPU by itself: a signal stopped it, or it waited for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// It left.
    pub from_ns: u64,
    /// When it had the CPU again; `None` if it did not return.
    pub to_ns: Option<u64>,
    /// It had left because of a page fault.
    pub faulted: bool,
}

impl Absence {
    pub(crate) fn has(&self, at_ns: u64) -> bool {
        at_ns >= self.from_ns && self.to_ns.is_none_or(|to_ns| at_ns < to_ns)
    }
}

impl Window {
    /// For a thread that was ready from the stimulus on, until it got the CPU.
    pub fn ready(thread: Option<Thread>, at_ns: u64, came_ns: u64) -> Self {
        Self {
            thread,
            from_ns: at_ns,
            due_ns: at_ns,
            busy_until: None,
            after_ns: None,
            ran_ns: None,
            waits_from: None,
            let_go: None,
            fault: None,
            used_up: None,
            storm: None,
            interrupt_ns: at_ns,
            line: None,
            asked: None,
            stay: None,
            ready_ns: at_ns,
            moved_ns: None,
            came_ns,
            away: None,
            works_from: None,
        }
    }

    pub(crate) fn borders(&self) -> Vec<u64> {
        let known = [self.due_ns, self.interrupt_ns, self.ready_ns, self.came_ns];
        let away = self.away.into_iter().flat_map(|away| [Some(away.from_ns), away.to_ns]);
        let fault = self.fault.into_iter().flat_map(|fault| [Some(fault.from_ns), fault.to_ns]);
        let used_up = self.used_up.into_iter().flat_map(|used_up| [Some(used_up.from_ns), Some(used_up.until_ns)]);
        let own = [self.busy_until, self.waits_from, self.moved_ns, self.works_from];
        let perhaps = own.into_iter().chain(away).chain(fault).chain(used_up).flatten();
        let mut borders: Vec<u64> = known.into_iter().chain(perhaps).collect();
        borders.sort_unstable();
        borders
    }
}
