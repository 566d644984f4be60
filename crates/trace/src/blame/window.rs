// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that is known about one response, from the stimulus until the thread got the CPU and answered.
//!
//! Every source of late responses uses this form: a probe's timer, another program's thread, a recording's threads, jobs of a
//! task set, an instrument's edges. `explain` divides it.
use crate::event::{Name, Thread};
use crate::processor::Stay;
use crate::thread::holds::LetGo;
use crate::thread::limits::UsedUp;
use crate::thread::signals::Storm;

/// What is known about a response. Timestamps are by the trace's clock; those that are known are in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The late thread, if a switch names it.
    pub thread: Option<Thread>,
    /// When the stimulus came.
    pub from_ns: u64,
    /// When the interrupt was due: later than the stimulus if the timer had slack.
    pub due_ns: u64,
    /// If the thread was still busy with an earlier release: when the thread finished that release.
    pub busy_until: Option<u64>,
    /// If the thread catches up on an earlier late response: the latency of that response, in nanoseconds.
    pub after_ns: Option<u64>,
    /// If the release was due before the thread set its timer: the thread's CPU time from its last wakeup until it set the timer.
    /// `None` if that wakeup is unknown.
    pub ran_ns: Option<u64>,
    /// When the thread had set its timer and began to wait for the stimulus.
    pub waits_from: Option<u64>,
    /// Something kept the late thread from setting its timer in time, or from continuing; this thread ended that wait.
    pub let_go: Option<LetGo>,
    /// When a page fault kept the thread from waiting for the stimulus.
    pub fault: Option<Absence>,
    /// The storm of signals that the thread got before it waited for the stimulus.
    pub storm: Option<Storm>,
    /// When the thread was ready but had used up its CPU time limit.
    pub used_up: Option<UsedUp>,
    /// Start of the interrupt that woke the thread; `ready_ns` if no such interrupt is known.
    pub interrupt_ns: u64,
    /// Name of that interrupt.
    pub line: Option<Name>,
    /// Whether that interrupt left need-resched set. If not, the running thread's priority was at least the late one's.
    pub asked: Option<bool>,
    /// The interrupted thread's stay on the CPU, from one switch to the next.
    pub stay: Option<Stay>,
    /// When the thread was woken.
    pub ready_ns: u64,
    /// From this time on, it is unknown which CPU's runqueue the thread was on.
    pub moved_ns: Option<u64>,
    /// When the thread got the CPU.
    pub came_ns: u64,
    /// When the thread left the CPU by itself again, before its response.
    pub away: Option<Absence>,
    /// When the thread began its own work, if the response includes this work. Otherwise the response ends with the first
    /// instruction.
    pub works_from: Option<u64>,
}

/// A time for which a thread had left the CPU by itself: it was stopped by a signal, or waited for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// When the thread left the CPU.
    pub from_ns: u64,
    /// When the thread had the CPU again; `None` if it did not return.
    pub to_ns: Option<u64>,
    /// Whether the thread left because of a page fault.
    pub faulted: bool,
}

impl Absence {
    pub(crate) fn has(&self, at_ns: u64) -> bool {
        at_ns >= self.from_ns && self.to_ns.is_none_or(|to_ns| at_ns < to_ns)
    }
}

impl Window {
    /// The window of a thread that was ready from the stimulus until it got the CPU.
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
