// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who held one CPU, rebuilt from its events.
//!
//! A CPU runs a thread, and softirqs and interrupts interrupt the thread; the innermost one holds the CPU. The recent past is
//! kept as stretches of one holder each, without gaps. [`Holder::Unknown`] means that the events show no holder.
//!
//! A missing switch does no harm: every record names the thread on whose time the kernel wrote it, so the next event shows
//! which thread the CPU runs.
pub(crate) mod away;
pub mod changes;
pub(crate) mod elsewhere;
pub mod let_in;
pub(crate) mod let_through;
pub(crate) mod stretch;
pub(crate) mod timers_run;
pub(crate) mod usual;
pub(crate) mod works;

mod past;
mod piece;
mod walk;

pub(crate) use walk::{Plain, Walker};

pub use crate::processor::stretch::{Fault, Holder, HolderShare, Stay, Stretch};

use crate::blame::behind::Verdict;
use crate::collection::recent::Recent;
use crate::event::function::Function;
use crate::event::{CALL, Event, Section, Stamped, Thread, Unpreempted};
use crate::processor::changes::Changes;
use crate::processor::stretch::FAULT_NS;
use crate::processor::timers_run::TimersRun;
use crate::processor::works::Works;
use crate::thread::raise::Loan;
use piece::{NOBODY, Piece, Spell, stay_of};
use std::collections::VecDeque;
use std::ops::Range;

/// No kernel nests interrupts and softirqs this deep. If there seem to be more, the ends of some were lost.
const DEPTH_MAX: usize = 16;
/// A call from another CPU. Two nested events may record it, but it counts as one stretch.
const CALL_SECTION: Section = Section::Interrupt(CALL);
const LENT_MAX: usize = 256;
/// At most this many stacks are remembered. A timer's interrupt comes a thousand times a second, or more with many timers.
const STACKS_MAX: usize = 1_024;

/// At most this many pieces have a remembered timer function.
const TIMED_MAX: usize = 256;

/// An interrupt or softirq that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The section.
    pub section: Section,
    /// Start time.
    pub since_ns: u64,
}

/// State and recent history of one CPU.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    pieces: Recent<Piece>,
    stays: Recent<Spell>,
    /// The last stays on the CPU with a lent priority, by their numbers, each with the highest priority that was lent.
    lent: VecDeque<(u64, Loan)>,
    /// What the stacks in the last interrupts show, by the start of the interrupt.
    stacks: VecDeque<(u64, Verdict)>,
    /// The thread of the last stay on the CPU; each event is compared with it.
    running: Option<i32>,
    open: Vec<Open>,
    since_ns: u64,
    /// The last event carried the mark for a pending reschedule.
    asked: bool,
    /// Timers whose functions began since the last piece ended.
    timers: TimersRun,
    /// The pieces that have a timer function to report.
    timed: VecDeque<(Range<u64>, Function)>,
    /// The queued work that kernel threads did on this CPU.
    works: Works,
    changes: Changes,
    /// When the last switch with a stack was, and what that stack shows.
    unpreempted: Option<(u64, Unpreempted)>,
    /// Time of the last event that the running thread itself caused (no interrupt), if that was a page fault; otherwise 0.
    faulted_at: u64,
}

impl Processor {
    /// Takes the CPU's next event.
    #[inline(always)]
    pub fn push(&mut self, stamped: &Stamped) {
        self.step(stamped);
    }

    /// Takes the CPU's next event. Returns the stretch that this event ends, if the stretch's holder is known.
    #[inline(always)]
    pub fn step(&mut self, stamped: &Stamped) -> Option<HolderShare> {
        if self.running != Some(stamped.thread) {
            self.missed_switch(stamped.thread, stamped.at_ns);
        }
        match stamped.event {
            Event::Switch { from, to, .. } => {
                let held = self.switch(stamped.at_ns, &from, to);
                self.asked = false;
                held
            }
            Event::Enter(section) => {
                let again = section == CALL_SECTION && self.section() == Some(section);
                let held = if again { None } else { self.close(stamped.at_ns, stamped.to_switch) };
                self.open.truncate(DEPTH_MAX - 1);
                self.open.push(Open { section, since_ns: stamped.at_ns });
                self.asked = stamped.to_switch;
                held
            }
            Event::Leave(section) => {
                let held = self.leave(stamped.at_ns, section, stamped.to_switch);
                self.asked = stamped.to_switch;
                held
            }
            _ => {
                match stamped.event {
                    Event::Stack(verdict) => self.remember_stack(verdict),
                    Event::Unpreempted(what) => self.unpreempted = Some((stamped.at_ns, what)),
                    Event::Work { function } => self.works.begin(stamped.at_ns, stamped.thread, function),
                    Event::WorkEnd => self.works.end(stamped.at_ns, stamped.thread),
                    Event::TimerExpire { function, .. } | Event::CoarseTimer { function } => {
                        self.timers.begin(stamped.at_ns, function)
                    }
                    _ => {}
                }
                let held = if stamped.in_thread { self.own_event(stamped) } else { None };
                self.asked = stamped.to_switch;
                held
            }
        }
    }

    /// An interrupt just began: keeps what its stack shows. Ignores any other stack.
    #[cold]
    fn remember_stack(&mut self, verdict: Verdict) {
        let Some(since_ns) = self.interrupt().map(|open| open.since_ns).filter(|at| *at == self.since_ns) else {
            return;
        };
        if self.stacks.len() == STACKS_MAX {
            self.stacks.pop_front();
        }
        self.stacks.push_back((since_ns, verdict));
    }

    /// Remembers the function that used most of the piece that ends now, if there is one to report.
    #[cold]
    fn remember_timer(&mut self, at_ns: u64) -> bool {
        let Some(function) = self.timers.function(self.since_ns, at_ns) else { return false };
        if self.timed.len() == TIMED_MAX {
            self.timed.pop_front();
        }
        self.timed.push_back((self.since_ns..at_ns, function));
        true
    }

    /// An event that the running thread itself causes ends a page fault or begins one. A wakeup does neither, because
    /// the woken thread may be the one that brings the page.
    #[inline(always)]
    fn own_event(&mut self, stamped: &Stamped) -> Option<HolderShare> {
        if matches!(stamped.event, Event::Waking { .. }) {
            return None;
        }
        let faults = matches!(stamped.event, Event::PageFault);
        if faults || self.faulted_at > 0 { self.around_fault(stamped, faults) } else { None }
    }

    /// Faults that follow each other closely form one piece, so that a storm of faults does not push out the history.
    fn around_fault(&mut self, stamped: &Stamped, faults: bool) -> Option<HolderShare> {
        let goes_on = faults && self.faulted_at > 0 && stamped.at_ns <= self.faulted_at.saturating_add(FAULT_NS);
        let held = if goes_on { None } else { self.close(stamped.at_ns, stamped.to_switch) };
        self.faulted_at = if faults { stamped.at_ns } else { 0 };
        held
    }

    /// Events were lost, so the state is unknown until the next event.
    pub fn forget(&mut self) {
        self.pieces.forget();
        self.stays.forget();
        self.lent.clear();
        self.stacks.clear();
        self.timed.clear();
        self.works = Works::default();
        self.changes.forget();
        self.open.clear();
        self.unpreempted = None;
        self.timers = TimersRun::default();
        (self.running, self.since_ns, self.asked, self.faulted_at) = (None, 0, false, 0);
    }

    /// The CPU's thread runs with a lent priority.
    #[cold]
    pub fn lend(&mut self, loan: Loan) {
        let stay = self.known_stay();
        match self.lent.back_mut() {
            Some((of, known)) if *of == stay => *known = if loan.to < known.to { loan } else { *known },
            _ => {
                if self.lent.len() == LENT_MAX {
                    self.lent.pop_front();
                }
                self.lent.push_back((stay, loan));
            }
        }
    }

    /// Whether the CPU is known to have this thread.
    #[inline(always)]
    pub fn runs(&self, thread: i32) -> bool {
        self.running == Some(thread)
    }

    /// The number of the interrupted thread, if known.
    #[inline(always)]
    pub fn running(&self) -> Option<i32> {
        self.running
    }

    /// The interrupted thread, if known.
    pub fn thread(&self) -> Option<Thread> {
        self.stays.last().map(|stay| stay.thread)
    }

    /// The thread of a stay on the CPU, if still known.
    pub fn thread_of(&self, stay: Stay) -> Option<Thread> {
        self.stays.get(stay.0).map(|stay| stay.thread)
    }

    /// The last stay of a thread on the CPU, and when it began.
    pub fn stay(&self) -> (Option<Stay>, u64) {
        (stay_of(self.stays.numbers().end.wrapping_sub(1)), self.stays.last().map_or(0, |stay| stay.from_ns))
    }

    /// When the stay on the CPU before the last one began.
    pub fn stay_before(&self) -> Option<u64> {
        let before = self.stays.numbers().end.checked_sub(2)?;
        self.stays.get(before).map(|stay| stay.from_ns)
    }

    /// The thread that left the CPU without a recorded switch. Call this at the first event of another thread; `was_switch` says
    /// that this event is a switch.
    pub fn left_unrecorded(&self, was_switch: bool) -> Option<Thread> {
        let left = self.stays.numbers().end.checked_sub(2 + u64::from(was_switch))?;
        self.stays.get(left).map(|stay| stay.thread)
    }

    /// The start of the stretch that is still open.
    pub fn open_since(&self) -> u64 {
        self.since_ns
    }

    /// Whether the two innermost sections are one call from another CPU that the kernel recorded twice.
    pub(crate) fn is_told_twice(&self) -> bool {
        let call = |open: &Open| open.section == CALL_SECTION;
        matches!(self.open.as_slice(), [.., outer, inner] if call(outer) && call(inner))
    }

    /// The innermost interrupt that has not ended.
    pub fn interrupt(&self) -> Option<Open> {
        self.open.iter().rev().find(|open| matches!(open.section, Section::Interrupt(_))).copied()
    }

    /// The innermost interrupt or softirq.
    #[inline]
    pub fn section(&self) -> Option<Section> {
        self.open.last().map(|open| open.section)
    }

    fn current(&self, to_ns: u64) -> Piece {
        let (from_ns, stay, asked) = (self.since_ns, self.known_stay(), self.asked);
        let (section, timers) = (self.section(), self.timers.count());
        Piece { from_ns, to_ns, stay, section, asked, fault: Fault::None, timers, named: false }
    }

    /// Splits a piece of the last stay on the CPU in two: the time that the last page fault surely explains, and the time
    /// after.
    fn with_fault(&self, piece: Piece) -> impl Iterator<Item = Piece> + use<> {
        let of_thread = self.faulted_at > 0 && piece.section.is_none() && piece.stay != NOBODY;
        let [sure, perhaps] = if of_thread { [Fault::Sure, Fault::Perhaps] } else { [Fault::None; 2] };
        let border = self.faulted_at.saturating_add(FAULT_NS).max(piece.from_ns).min(piece.to_ns);
        let border = if of_thread { border } else { piece.to_ns };
        let parts = [Piece { to_ns: border, fault: sure, ..piece }, Piece { from_ns: border, fault: perhaps, ..piece }];
        parts.into_iter().filter(|part| part.from_ns < part.to_ns)
    }

    /// Splits the last piece as [`Self::with_fault`] does.
    #[cold]
    fn part_by_fault(&mut self) {
        if let Some(piece) = self.pieces.pop() {
            self.with_fault(piece).for_each(|piece| self.pieces.push(piece));
        }
    }

    /// A change of the machine, recorded on any CPU; `own` is this CPU's number.
    pub fn change(&mut self, own: u32, stamped: &Stamped) {
        self.changes.push(own, stamped);
    }

    /// The event names another thread than expected, so a switch is missing. If the idle thread was about to leave, it left at
    /// once. Otherwise the holder since the last event is unknown.
    #[cold]
    fn missed_switch(&mut self, thread: i32, at_ns: u64) {
        let left_idle = self.asked && self.open.is_empty() && self.thread().is_some_and(|thread| thread.id == 0);
        self.open.clear();
        if !left_idle {
            self.close_for(NOBODY, at_ns, false);
        }
        let from_ns = if left_idle { self.since_ns } else { at_ns };
        self.begin_stay(from_ns, Thread::numbered(thread));
    }

    #[inline(always)]
    fn begin_stay(&mut self, from_ns: u64, thread: Thread) {
        (self.running, self.faulted_at) = (Some(thread.id), 0);
        self.stays.push(Spell { from_ns, thread, left: None });
    }

    #[inline(always)]
    fn switch(&mut self, at_ns: u64, from: &Thread, to: Thread) -> Option<HolderShare> {
        if let Some(stay) = self.stays.last_mut() {
            stay.learn(from);
        }
        // The scheduler now answers a reschedule that was pending before this event.
        let held = self.close(at_ns, self.asked);
        self.open.clear();
        self.begin_stay(at_ns, to);
        held
    }

    #[inline(always)]
    fn leave(&mut self, at_ns: u64, section: Section, asked: bool) -> Option<HolderShare> {
        if self.is_told_twice() {
            self.open.pop();
            return None;
        }
        let held = self.close(at_ns, asked);
        if let Some(depth) = self.open.iter().rposition(|open| same_layer(open.section, section)) {
            self.open.truncate(depth);
        }
        held
    }

    #[inline(always)]
    fn close(&mut self, at_ns: u64, asked: bool) -> Option<HolderShare> {
        let (from_ns, section) = (self.since_ns, self.section());
        let thread = self.stays.last().map(|stay| stay.thread.id);
        let ended = self.close_for(self.known_stay(), at_ns, asked);
        ended.then_some(HolderShare { from_ns, to_ns: at_ns, section, thread })
    }

    #[inline(always)]
    fn known_stay(&self) -> u64 {
        self.running.map_or(NOBODY, |_| self.stays.numbers().end - 1)
    }

    /// Ends a piece. Returns whether a piece ended; if stamps go backward, none does.
    #[inline(always)]
    fn close_for(&mut self, stay: u64, at_ns: u64, asked: bool) -> bool {
        let from_ns = self.since_ns;
        let ends = from_ns > 0 && at_ns > from_ns;
        if ends {
            let (section, timers) = (self.section(), self.timers.count());
            let named = timers > 0 && self.remember_timer(at_ns);
            // Built in place. A value built elsewhere in small stores and then copied in large loads would have to wait for
            // those stores.
            self.pieces.push(Piece { from_ns, to_ns: at_ns, stay, section, asked, fault: Fault::None, timers, named });
            if self.faulted_at > 0 {
                self.part_by_fault();
            }
        }
        self.since_ns = from_ns.max(at_ns);
        if self.timers.count() > 0 {
            self.timers = TimersRun::default();
        }
        ends
    }
}

fn same_layer(a: Section, b: Section) -> bool {
    match (a, b) {
        (Section::Interrupt(_), Section::Interrupt(_)) => true,
        (Section::Softirq(a), Section::Softirq(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
