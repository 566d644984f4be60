// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows one thread through its timed sleeps.
//!
//! The thread sets a timer, whose expiry is the stimulus. An interrupt runs the timer's function, which makes the thread ready.
//! The scheduler switches to the thread, and its sleep returns. The timer's address connects the first two steps. The thread's
//! first wakeup while the timer's function runs connects the others. If the kernel recorded no switch, backwall infers it from
//! the first event on the thread's own time. If another CPU made the thread ready just before, for a signal, the timer's
//! function wakes nobody, because the thread was already ready.
use crate::blame::window::{Absence, Window};
use crate::event::function::Function;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::processor::{Processor, Stay};
use crate::thread::holds::LetGo;
use crate::thread::limits::UsedUp;
use crate::thread::signals::Storm;

/// At most this many timers of the thread are remembered, the latest ones. A thread may set other timers on its way to sleep.
const ARMED_MAX: usize = 8;

/// The kernel function of sleep timers.
const OF_SLEEP: &str = "hrtimer_wakeup";

/// One timed wakeup of the thread; stamps are on the trace's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WakeUp {
    /// Planned expiry of the timer: the stimulus.
    pub expiry_at: u64,
    /// How much later the kernel was allowed to let the timer expire.
    pub slack_ns: u64,
    /// When the thread set its timer. Before that, the thread was not waiting. `None` if it set none.
    pub armed_at: Option<u64>,
    /// End of the thread's earlier wakeup, if any.
    pub earlier_until: Option<u64>,
    /// Start of the interrupt that ran the timer; if no interrupt was recorded, start of the timer's function.
    pub isr_at: u64,
    /// End of that interrupt, if recorded.
    pub isr_end_at: Option<u64>,
    /// Whether a reschedule was pending at the end of that interrupt. If not, the running thread had no lower priority.
    pub asked: Option<bool>,
    /// When the thread was made ready.
    pub waking_at: u64,
    /// Start of the thread's wait on a CPU that was not recorded.
    pub moved_at: Option<u64>,
    /// When the thread got the CPU; equal to `waking_at` if the thread still had the CPU.
    pub switch_in_at: u64,
    /// The kernel recorded no switch to the thread, so `switch_in_at` is from the first event on the thread's own time.
    pub inferred: bool,
    /// When the sleep was about to return, if recorded.
    pub sleep_end_at: Option<u64>,
    /// When the thread left the CPU by itself between its wakeup and its next timer.
    pub away: Option<Absence>,
    /// If the thread set its timer too late: which thread had resumed it before that, and what had held it.
    pub let_go: Option<LetGo>,
    /// If the thread set its timer too late: its wait for a page before that.
    pub fault: Option<Absence>,
    /// If the thread set its timer too late: the signals that were sent to it before that.
    pub storm: Option<Storm>,
    /// When the thread was ready, but had used up a limit on its CPU time.
    pub used_up: Option<UsedUp>,
    /// The time of the event that completed the wakeup; up to here the holders of the CPU are known.
    pub ended_at: u64,
    /// The thread itself, if a switch named it.
    pub thread: Option<Thread>,
    /// The interrupted thread's stay on the CPU, as [`Processor::stay`] returns it.
    pub stay: Option<Stay>,
    /// The interrupted thread, if known.
    pub interrupted: Option<Thread>,
    /// The interrupt's name, if recorded.
    pub line: Option<Name>,
    /// Start of the thread's own work, if the response ends with that work; `None` if it ends with the first instruction.
    pub runs_from: Option<u64>,
}

impl WakeUp {
    /// The kernel's last stamp before the thread itself runs.
    pub fn kernel_end(&self) -> u64 {
        self.sleep_end_at.unwrap_or(self.switch_in_at)
    }

    /// The thread leaves the CPU by itself. Several absences count as one, from the start of the first to the end of the last.
    pub(crate) fn leaves(&mut self, at_ns: u64, faulted: bool) {
        self.away.get_or_insert(Absence { from_ns: at_ns, to_ns: None, faulted }).to_ns = None;
    }

    pub(crate) fn comes_back(&mut self, at_ns: u64) {
        if let Some(away) = &mut self.away {
            away.to_ns.get_or_insert(at_ns);
        }
    }

    /// The window to explain.
    pub fn window(&self) -> Window {
        Window {
            thread: self.thread,
            from_ns: self.expiry_at,
            due_ns: self.expiry_at.saturating_add(self.slack_ns),
            busy_until: self.earlier_until,
            after_ns: None,
            ran_ns: None,
            waits_from: self.armed_at,
            let_go: self.let_go,
            fault: self.fault,
            used_up: self.used_up,
            storm: self.storm,
            interrupt_ns: self.isr_at,
            line: self.line,
            asked: self.asked,
            stay: self.stay,
            ready_ns: self.waking_at,
            moved_ns: self.moved_at,
            came_ns: self.switch_in_at,
            away: self.away,
            works_from: self.runs_from,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    timer: u64,
    expiry_at: u64,
    slack_ns: u64,
    armed_at: u64,
}

#[derive(Clone, Copy, Debug)]
struct Fired {
    armed: Armed,
    at_ns: u64,
    of_sleep: bool,
    earlier_until: Option<u64>,
    isr_at: u64,
    line: Option<Name>,
    stay: Option<Stay>,
}

/// Collects the wakeups of one thread on one CPU.
#[derive(Clone, Debug)]
pub struct Follower {
    thread: i32,
    named: Option<Thread>,
    armed: Vec<Armed>,
    fired: Option<Fired>,
    /// The current wakeup and the last one, filled in place because they are large.
    wake_ups: [WakeUp; 2],
    at_hand: usize,
    /// The thread is ready; the current wakeup's `switch_in_at` stays 0 until the thread runs.
    is_pending: bool,
    earlier_until: Option<u64>,
}

impl Follower {
    /// Follows the thread with this number.
    pub fn new(thread: i32) -> Self {
        let armed = Vec::with_capacity(ARMED_MAX);
        let wake_ups = [WakeUp::default(); 2];
        Self { thread, named: None, armed, fired: None, wake_ups, at_hand: 0, is_pending: false, earlier_until: None }
    }

    /// Takes the next event, which `processor` has already taken; returns a wakeup that it completes.
    #[inline(always)]
    pub fn push(&mut self, stamped: &Stamped, processor: &Processor) -> Option<&WakeUp> {
        let at_ns = stamped.at_ns;
        if stamped.thread == self.thread {
            // These events come after the response, so they do not show when the thread got the CPU.
            let after_response = matches!(stamped.event, Event::TimerStart { .. } | Event::Switch { .. });
            self.own_time(at_ns, after_response, processor);
        }
        match stamped.event {
            Event::TimerStart { timer, expiry_ns, slack_ns } if stamped.thread == self.thread && stamped.in_thread => {
                self.arm(Armed { timer, expiry_at: expiry_ns, slack_ns, armed_at: at_ns });
                let ended = self.end(at_ns, processor)?;
                Some(&self.wake_ups[ended])
            }
            Event::TimerExpire { timer, function } => {
                self.expire(timer, function, at_ns, processor);
                None
            }
            Event::Waking { thread } if thread == self.thread => {
                let before = self.wake(at_ns, processor)?;
                Some(&self.wake_ups[before])
            }
            Event::Leave(Section::Interrupt(_)) => {
                let before = self.woken_elsewhere(processor);
                self.interrupt_end(at_ns, stamped.to_switch, processor);
                Some(&self.wake_ups[before?])
            }
            Event::Migrate { thread, .. } if thread == self.thread => {
                let waits = self.pending().filter(|pending| pending.switch_in_at == 0);
                waits.into_iter().for_each(|pending| pending.moved_at = pending.moved_at.or(Some(at_ns)));
                None
            }
            Event::Switch { from, preempted, to } => {
                self.fired = None;
                if from.id == self.thread || to.id == self.thread {
                    self.switch(at_ns, (from, preempted, to), processor);
                }
                None
            }
            Event::SleepEnd if stamped.thread == self.thread => {
                self.sleep_end(at_ns);
                None
            }
            _ => None,
        }
    }

    /// Events were lost, so wakeups that have begun cannot be completed.
    pub fn forget(&mut self) {
        *self = Self { named: self.named, ..Self::new(self.thread) };
    }

    /// The last wakeup, which only the start of the next one would have completed.
    pub fn finish(&mut self, processor: &Processor) -> Option<WakeUp> {
        let known_to = self.pending().map_or(0, |pending| {
            pending.kernel_end().max(pending.away.map_or(0, |away| away.to_ns.unwrap_or(u64::MAX)))
        });
        self.end(known_to, processor).map(|ended| self.wake_ups[ended])
    }

    /// The thread with the name that a switch gave it, if any.
    pub fn named(&self) -> Option<Thread> {
        self.named
    }

    #[inline(always)]
    fn pending(&mut self) -> Option<&mut WakeUp> {
        self.is_pending.then(|| &mut self.wake_ups[self.at_hand % 2])
    }

    /// An event that the thread itself caused: the thread has the CPU, with or without a recorded switch. If the event came
    /// after the response, the start of the stay is the best estimate of when the thread got the CPU.
    fn own_time(&mut self, at_ns: u64, after_response: bool, processor: &Processor) {
        let Some(pending) = self.pending() else { return };
        if pending.switch_in_at > 0 {
            return pending.comes_back(at_ns);
        }
        let since = if after_response { processor.stay().1.min(at_ns) } else { at_ns };
        pending.switch_in_at = since.max(pending.isr_end_at.unwrap_or(pending.waking_at));
        pending.inferred = true;
    }

    #[inline(always)]
    fn arm(&mut self, armed: Armed) {
        self.disarm(armed.timer);
        if self.armed.len() == ARMED_MAX {
            self.armed.remove(0);
        }
        self.armed.push(armed);
    }

    /// The timer is nearly always the one that was set last.
    #[inline(always)]
    fn disarm(&mut self, timer: u64) -> Option<Armed> {
        if self.armed.last()?.timer == timer {
            return self.armed.pop();
        }
        let index = self.armed.iter().position(|armed| armed.timer == timer)?;
        Some(self.armed.remove(index))
    }

    #[inline(always)]
    fn expire(&mut self, timer: u64, function: Option<Function>, at_ns: u64, processor: &Processor) {
        self.fired = None;
        let Some(armed) = self.disarm(timer) else { return };
        let (isr_at, line) = match processor.interrupt() {
            Some(open) => (open.since_ns, interrupt_name(open.section)),
            None => (at_ns, None),
        };
        let (earlier_until, stay) = (self.earlier_until, processor.stay().0);
        let of_sleep = is_of_sleep(function);
        self.fired = Some(Fired { armed, at_ns, of_sleep, earlier_until, isr_at, line, stay });
    }

    /// The timer's function has ended. If it was a sleep's function and woke nobody, the thread was already ready: another CPU
    /// had just woken it for a signal, which this CPU's events do not show. Later wakeups are not from this function.
    fn woken_elsewhere(&mut self, processor: &Processor) -> Option<usize> {
        let fired = self.fired?;
        let away = processor.thread().is_none_or(|thread| thread.id != self.thread);
        let before = if fired.of_sleep && away { self.wake(fired.at_ns, processor) } else { None };
        self.fired = None;
        before
    }

    /// The thread is made ready, but may not have left the CPU yet. Returns the slot of the wakeup that this ends.
    fn wake(&mut self, at_ns: u64, processor: &Processor) -> Option<usize> {
        let Fired { armed: Armed { expiry_at, slack_ns, armed_at, .. }, earlier_until, isr_at, line, stay, .. } =
            self.fired.take()?;
        let before = self.end(at_ns, processor);
        let running = processor.thread().is_some_and(|thread| thread.id == self.thread);
        let switch_in_at = if running { at_ns } else { 0 };
        let armed_at = Some(armed_at);
        let fired = WakeUp { expiry_at, slack_ns, armed_at, earlier_until, isr_at, line, stay, ..WakeUp::default() };
        self.wake_ups[self.at_hand % 2] = WakeUp { waking_at: at_ns, switch_in_at, ..fired };
        self.is_pending = true;
        before
    }

    fn sleep_end(&mut self, at_ns: u64) {
        if let Some(pending) = self.pending() {
            pending.sleep_end_at.get_or_insert(at_ns);
        }
    }

    #[inline(always)]
    fn interrupt_end(&mut self, at_ns: u64, asked: bool, processor: &Processor) {
        let Some(pending) = self.pending().filter(|pending| pending.isr_end_at.is_none()) else { return };
        let still_open = processor.interrupt().is_some_and(|open| open.since_ns >= pending.isr_at);
        if !still_open {
            pending.isr_end_at = Some(at_ns);
            pending.asked = Some(asked);
        }
    }

    /// A thread that leaves by itself before it has set its next timer is blocked; its response may still follow.
    fn switch(&mut self, at_ns: u64, (from, preempted, to): (Thread, bool, Thread), processor: &Processor) {
        if to.id == self.thread {
            self.named = Some(to);
            match self.pending() {
                Some(pending) if pending.switch_in_at == 0 => pending.switch_in_at = at_ns,
                Some(pending) => pending.comes_back(at_ns),
                None => {}
            }
        }
        if from.id == self.thread {
            self.named = Some(from);
            let pending = self.pending().filter(|_| !preempted);
            pending.into_iter().for_each(|pending| pending.leaves(at_ns, processor.left_in_fault(at_ns)));
        }
    }

    /// Ends the pending wakeup and returns its slot; `None` if the thread was not seen to get a CPU.
    #[inline(always)]
    fn end(&mut self, ended_at: u64, processor: &Processor) -> Option<usize> {
        let (place, named) = (self.at_hand % 2, self.named);
        let ended = self.pending().filter(|pending| pending.switch_in_at > 0);
        let earlier_until = ended.map(|ended| {
            (ended.thread, ended.interrupted, ended.ended_at) =
                (named, ended.stay.and_then(|stay| processor.thread_of(stay)), ended_at);
            ended.kernel_end()
        });
        self.is_pending = false;
        self.earlier_until = Some(earlier_until?);
        self.at_hand = 1 - place;
        Some(place)
    }
}

pub(crate) fn is_of_sleep(function: Option<Function>) -> bool {
    function.is_some_and(|function| function.name() == OF_SLEEP)
}

pub(crate) fn interrupt_name(section: Section) -> Option<Name> {
    match section {
        Section::Interrupt(name) => Some(name),
        Section::Softirq(_) => None,
    }
}

#[cfg(test)]
mod tests;
