// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at every response of the chosen threads, and divides the time of the late ones.
//!
//! A response begins when the thread's own timer was to expire. If no timer woke the thread, it begins when the thread is made
//! ready. If the waker was late itself, the response begins earlier by the waker's lateness. It ends when the thread gets a CPU
//! or, if requested, when the thread next goes to sleep. Every response that begins is counted once: as seen to its end, as not
//! seen to its end, or as unnamed. It is unnamed if no switch named its thread, so nobody knows whether it is chosen.
//!
//! - `catching`: divides the time of a response, including the earlier late responses in which it came due
//! - `counted`: counts, ranks, keeps or reports the responses
//! - `measured`: responses that a tool measured itself: timerlat, osnoise, the mark of a program that stops the trace
//! - `moving`: threads that move to another CPU while they are ready
//! - `held`: threads that are stopped or frozen, and who resumes them
//! - `woken`: what a thread waited for before it was made ready
//! - `locks`: responses of threads that waited for a lock
//! - `ends`: responses that last until their thread next goes to sleep
//! - `signalled`: threads that get many signals before they go on
mod catching;
mod counted;
mod ends;
mod held;
mod locks;
mod measured;
mod moving;
mod signalled;
mod woken;

pub(in crate::late) use catching::Asked;
use catching::stretches_of;

pub use super::response::{Late, Question, ResponseFate, StillReady};

use super::budget::Budget;
use super::followed::{FollowedThread, Stimulus, Threads, wake_up};
use super::ranking::Ranking;
use super::timers::{Fired, Timers};
use super::wakers::{Chain, LINKS_MAX};
use super::whose::Whose;
use crate::account::analysis::{Listener, Processors};
use crate::blame::explain::explain;
use crate::blame::{Blame, Cause};
use crate::event::{Event, Group, Signal, Stamped, Thread};
use crate::processor::{Processor, Stretch};
use crate::thread::awaited::{ReadyOutcome, SwitchInstants, Unseen};
use crate::thread::holds::Holds;
use crate::thread::limits::Limits;
use crate::thread::signals::Signals;
use crate::thread::wakeup::WakeUp;
use measured::Measures;
use std::collections::BTreeMap;

/// At most this many late responses are kept one by one; the ranking counts all of them.
const KEPT: usize = 4_096;

const NOBODY: i32 = i32::MIN;

/// An interrupt itself may take this long before it wakes the thread.
const OWN_WAY_NS: u64 = 20_000;

/// All late responses of a recording.
#[derive(Clone, Debug)]
pub struct Lates {
    question: Question,
    threads: Threads,
    timers: Timers,
    holds: Holds,
    limits: Limits,
    signals: Signals,
    /// For each CPU, the thread that is known to run there. Further events in the time of that thread show nothing new.
    on: Vec<i32>,
    /// Responses of the chosen threads that were seen to their end.
    pub responses: u64,
    /// Responses of the chosen threads that were not seen to their end.
    pub unseen: u64,
    /// Responses with an unknown end, of threads that no switch named, so that nobody knows whether these threads are chosen.
    pub unnamed: u64,
    /// Of `unseen`, the responses whose thread was still ready when the recording ended.
    pub still_ready: u64,
    /// The thread that was ready the longest when the recording ended.
    pub longest_ready: Option<StillReady>,
    /// Number of late responses.
    pub late: u64,
    /// The first late responses in order of time, up to a limit.
    pub lates: Vec<Late>,
    /// The longest response of all.
    pub worst: Option<Late>,
    /// The causes of all late responses.
    pub ranking: Ranking,
    budget: Budget,
    measures: Measures,
    /// Whether a late response or a loss was seen. Before the first one, no waker can have been late.
    follows_wakers: bool,
    /// Whether a real-time thread or a thread with a timer was seen. Without one, no waker's latency matters.
    relies: bool,
    /// The fate of every response, if the caller asked for it. Then late responses are neither kept nor ranked here.
    told: Option<Vec<ResponseFate>>,
}

impl Lates {
    /// Starts with no responses.
    pub fn new(question: Question) -> Self {
        Self {
            question,
            threads: Threads::default(),
            timers: Timers::default(),
            holds: Holds::default(),
            limits: Limits::default(),
            signals: Signals::default(),
            on: Vec::new(),
            responses: 0,
            unseen: 0,
            unnamed: 0,
            still_ready: 0,
            longest_ready: None,
            late: 0,
            lates: Vec::new(),
            worst: None,
            ranking: Ranking::default(),
            budget: Budget::default(),
            measures: Measures::default(),
            follows_wakers: false,
            relies: false,
            told: None,
        }
    }

    /// Like [`Self::new`], but reports each response instead of ranking the late ones.
    pub fn telling(question: Question) -> Self {
        Self { told: Some(Vec::new()), follows_wakers: true, ..Self::new(question) }
    }

    /// Adds the CPU quotas of the threads' control groups.
    pub fn with_quotas(self, quotas: BTreeMap<i32, Group>) -> Self {
        Self { limits: Limits::of(quotas), ..self }
    }

    /// When this thread's present wait for a CPU began; `None` if the thread does not wait.
    pub fn ready_at(&mut self, thread: i32) -> Option<u64> {
        self.threads.of(thread)?.ready_at()
    }

    /// The request: which responses to examine, and which of them are late.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Late responses that were not divided because the budget for explanations was spent.
    pub fn unexplained(&self) -> u64 {
        self.budget.refused
    }

    /// Sets the length from which this thread's responses are explained to listeners that want every response.
    pub fn explains_from(&mut self, thread: i32, from_ns: u64) {
        self.threads.of(thread).into_iter().for_each(|followed| followed.explained_from_ns = from_ns);
    }

    /// Number of events of threads that were not followed because there were too many threads.
    pub fn beyond(&self) -> u64 {
        self.threads.beyond
    }

    #[inline(always)]
    fn thread_left(&mut self, from: &Thread, preempted: bool, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let Some(followed) =
            named(&mut self.threads, from.id, (&mut self.unseen, &mut self.told), &self.question.whose)
        else {
            return;
        };
        if followed.is_kept_off() {
            self.thread_came_unrecorded(*from, processor.stay_before().unwrap_or(stamped.at_ns), cpu, processor);
        }
        if self.signals.any() && !preempted {
            self.thread_handled_signals(from.id, cpu, stamped.at_ns, processor);
        }
        let Some(followed) = self.threads.of(from.id) else { return };
        if let Some(reached) = followed.leaves(from, preempted, cpu, stamped, processor) {
            self.thread_reached(from.id, reached, cpu, processor);
        }
        if self.question.to_end && !preempted {
            self.response_pauses(from.id, cpu, stamped.at_ns, processor);
        }
    }

    /// Only counts a response that was in time; examines one that was late or waited for a lock.
    #[inline(always)]
    fn thread_came(&mut self, to: &Thread, cpu: u32, at_ns: u64, processor: &Processor) {
        let (above_ns, to_end) = (self.question.above_ns, self.question.to_end);
        let Some(followed) = named(&mut self.threads, to.id, (&mut self.unseen, &mut self.told), &self.question.whose)
        else {
            return;
        };
        let used_up = followed.comes_back(to, at_ns, &self.limits);
        let Some(came) = followed.comes(to, cpu, at_ns) else {
            let since_ns = used_up.map(|used_up| used_up.from_ns);
            return since_ns
                .into_iter()
                .for_each(|since_ns| self.thread_was_limited(*to, since_ns, at_ns, cpu, processor));
        };
        let tells = self.told.is_some();
        if !to_end && !tells && followed.wants_no_lock() && followed.is_in_time(cpu, &came, above_ns) {
            self.responses += u64::from(self.question.whose.has(to.id, Some(*to)) == Some(true));
        } else {
            self.thread_reached(to.id, ReadyOutcome::Came(came), cpu, processor);
        }
    }

    /// A thread got a CPU again at this instant or earlier, but no switch to it was recorded.
    #[cold]
    #[inline(never)]
    fn thread_came_unrecorded(&mut self, thread: Thread, at_ns: u64, cpu: u32, processor: &Processor) {
        let Some(followed) = self.threads.of(thread.id) else { return };
        if let Some(used_up) = followed.comes_back(&thread, at_ns, &self.limits) {
            self.thread_was_limited(thread, used_up.from_ns, at_ns, cpu, processor);
        }
    }

    /// A thread whose quota ran out gets a CPU again. The wait counts as a response of its own, unless threads of higher
    /// priority used all of it.
    #[cold]
    #[inline(never)]
    fn thread_was_limited(&mut self, thread: Thread, since_ns: u64, at_ns: u64, cpu: u32, processor: &Processor) {
        if self.question.to_end {
            return;
        }
        let came = SwitchInstants {
            ready_at: since_ns,
            ready_on: cpu,
            at_ns,
            inferred: false,
            behind: None,
            resumed: false,
            thread: Some(thread),
        };
        let blame = explain(&self.wake_up(came, None, cpu, processor).window(), processor, at_ns);
        if blame.shares.iter().any(|share| share.cause == Cause::Quota) {
            self.thread_reached(thread.id, ReadyOutcome::Came(came), cpu, processor);
        }
    }

    #[cold]
    #[inline(never)]
    fn thread_reached(&mut self, id: i32, reached: ReadyOutcome, cpu: u32, processor: &Processor) {
        let Some(followed) = self.threads.of(id) else { return };
        match reached {
            // Until a switch names a thread, its scheduling class is unknown.
            ReadyOutcome::Came(SwitchInstants { thread: None, .. }) | ReadyOutcome::Unseen(Unseen { .. }) => {
                followed.unseen += 1;
                followed.lock.was_given_unseen();
                self.tell_unseen(id);
            }
            ReadyOutcome::Came(came) => {
                let stimulus = followed.answered(cpu, &came);
                match followed.lock.taken() {
                    None => self.response_came(came, stimulus, cpu, processor),
                    Some(waited) => self.response_came_with_lock(came, (stimulus, waited), cpu, processor),
                }
            }
        }
    }

    fn response_came(&mut self, came: SwitchInstants, stimulus: Stimulus, cpu: u32, processor: &Processor) {
        let Some(thread) = came.thread else { return };
        let chosen = self.question.whose.has(thread.id, came.thread) == Some(true);
        let to_stop = self.threads.known(thread.id).is_some_and(FollowedThread::comes_to_stop);
        let relied_on = (!thread.is_ordinary() || stimulus.is_timed()) && !to_stop;
        if chosen && !self.question.to_end {
            self.responses += 1;
        }
        let latency_ns = came.at_ns.saturating_sub(stimulus.began_at(thread.id, &came));
        let is_late = latency_ns > self.question.above_ns || self.told.is_some();
        let (keeps, begins) = (chosen && !self.question.to_end, chosen && self.question.to_end);
        if !is_late && !begins {
            return;
        }
        let in_between = !relied_on && is_late && latency_ns > OWN_WAY_NS && !to_stop && self.is_in_between(thread.id);
        let passes_on = is_late && (relied_on || in_between);
        let asked = Asked {
            id: thread.id,
            came,
            stimulus: &stimulus,
            cpu,
            until_ns: came.at_ns,
            works_from: None,
            away: None,
            used_up: None,
        };
        let blame =
            if is_late && (keeps || passes_on) { self.blame(&asked, (keeps, latency_ns), processor) } else { None };
        if passes_on {
            self.thread_is_late_itself(thread, &asked, blame.clone(), in_between);
        }
        if begins {
            self.response_begun(thread, came, (stimulus, None), cpu);
        } else if keeps && is_late {
            self.keep_late_response(thread, came, stimulus, blame, cpu);
        }
    }

    /// Whether the latency of any waker matters in the chain of wakers that led to this thread's activation.
    #[cold]
    fn is_in_between(&self, id: i32) -> bool {
        if !self.relies {
            return false;
        }
        let begun_by = |id: &i32| self.threads.known(*id).and_then(FollowedThread::begun_by);
        let before = std::iter::successors(begun_by(&id), begun_by).take(LINKS_MAX);
        before.filter_map(|id| self.threads.known(id)).any(FollowedThread::is_relied_on)
    }

    /// Divides the time of a response, if the budget allows. If every response is reported, a response that matters only to
    /// other threads must also be longer than an interrupt itself takes.
    fn blame(&mut self, asked: &Asked<'_>, (keeps, latency_ns): (bool, u64), processor: &Processor) -> Option<Blame> {
        let own_ns = asked.until_ns - asked.own_at();
        let from_ns = self.threads.known(asked.id).map_or(0, |followed| followed.explained_from_ns);
        let keeps = keeps && (self.told.is_none() || latency_ns >= from_ns);
        let threads = &self.threads;
        let stretches = || stretches_of(threads, asked, processor);
        let allows = match keeps {
            true => self.budget.allows_response(latency_ns, stretches),
            false => (self.told.is_none() || own_ns > OWN_WAY_NS) && self.budget.allows(0, stretches),
        };
        allows.then(|| self.divided(asked, processor))
    }

    fn thread_is_late_itself(&mut self, thread: Thread, asked: &Asked<'_>, blame: Option<Blame>, in_between: bool) {
        let own_ns = asked.until_ns - asked.own_at();
        let blame = blame.map(|blame| Blame { fresh: None, ..blame });
        let blame = blame.unwrap_or_else(|| Blame::unexplained(own_ns));
        let chain = Chain::of(thread, own_ns, blame, asked.stimulus.before.as_ref());
        let chain = if in_between { chain.in_between() } else { chain };
        self.follows_wakers = true;
        self.threads.of(thread.id).into_iter().for_each(|followed| followed.late = Some(chain.clone()));
    }

    /// A response in the form of a wakeup, with known quotas, signals, page faults, and the thread that resumed this one.
    #[cold]
    fn wake_up(&self, came: SwitchInstants, timer: Option<Fired>, cpu: u32, processor: &Processor) -> WakeUp {
        let here = self.question.marks && came.ready_on == cpu;
        let asked = if here { processor.asked_after(came.ready_at) } else { None };
        let let_go = came.thread.zip(timer).and_then(|(thread, timer)| self.let_go(thread.id, &timer));
        let own = came.thread.zip(timer);
        let fault = own.and_then(|(thread, timer)| self.threads.known(thread.id)?.fault(&timer));
        let lost = came.thread.and_then(|thread| self.threads.known(thread.id)?.used_up_since(came.ready_at));
        let ready = came.thread.and_then(|thread| self.limits.used_up(&thread, came.ready_at, came.at_ns));
        let ready = lost.or(ready);
        let used_up = ready.or_else(|| own.and_then(|(thread, timer)| self.threads.known(thread.id)?.used_up(&timer)));
        let storm = own.and_then(|(thread, timer)| self.storm(thread.id, &timer));
        WakeUp { asked, let_go, fault, used_up, storm, ..wake_up(came, timer, processor) }
    }

    #[cold]
    #[inline(never)]
    fn keep_late_response(
        &mut self,
        thread: Thread,
        came: SwitchInstants,
        stimulus: Stimulus,
        blame: Option<Blame>,
        cpu: u32,
    ) {
        let (at_ns, timed) = (stimulus.began_at(thread.id, &came), stimulus.is_timed());
        let latency_ns = came.at_ns.saturating_sub(at_ns);
        let before_ns = stimulus.before.as_ref().map_or(0, |before| before.ns(thread.id));
        let explained = blame.is_some();
        if !explained && self.only_counts(latency_ns) {
            self.late += 1;
            return;
        }
        let mut blame = blame.unwrap_or_else(|| Blame::unexplained(latency_ns - before_ns));
        stimulus.before.into_iter().for_each(|before| before.join(thread.id, &mut blame));
        let response = Late { thread, cpu, at_ns, latency_ns, timed, locked: false, blame };
        if self.told.is_some() {
            let SwitchInstants { ready_at, inferred, behind, .. } = came;
            self.tell(ResponseFate::Came { response, ready_at, inferred, behind });
        } else {
            self.take(response, explained);
        }
    }

    #[inline(always)]
    fn processor_has(&mut self, cpu: u32, thread: i32) {
        let cpu = cpu as usize;
        if self.on.len() <= cpu {
            self.on.resize(cpu + 1, NOBODY);
        }
        self.on[cpu] = thread;
    }

    /// The loss of a CPU's events begins or ends. During a loss a thread may run on that CPU, sleep and be woken again. So the
    /// thread's response counts as unseen, unless the thread is known to be on another CPU.
    #[cold]
    fn loses(&mut self, cpu: u32, begins: bool) {
        self.threads.lost(cpu, begins);
        self.timers.gap(self.threads.is_dark());
        self.holds.forget();
        self.signals.forget();
        self.processor_has(cpu, NOBODY);
        self.follows_wakers = true;
        if self.told.is_some() {
            self.question.whose.numbers().to_vec().into_iter().for_each(|id| self.tell_unseen(id));
        }
    }

    #[cold]
    #[inline(never)]
    fn thread_appears(&mut self, cpu: u32, stamped: Stamped, processor: &Processor) {
        let followed =
            named(&mut self.threads, stamped.thread, (&mut self.unseen, &mut self.told), &self.question.whose);
        if let Some(thread) = followed.filter(|followed| followed.is_kept_off()).and_then(|followed| followed.named()) {
            self.thread_came_unrecorded(thread, processor.stay().1, cpu, processor);
        }
        let reached = self.threads.of(stamped.thread).and_then(|followed| followed.goes_on(cpu, &stamped, processor));
        reached.into_iter().for_each(|reached| self.thread_reached(stamped.thread, reached, cpu, processor));
        self.processor_has(cpu, stamped.thread);
    }
}

/// The thread that an event names. If it is known by now whether the thread is chosen, first counts its unseen responses.
#[inline(always)]
fn named<'a>(
    threads: &'a mut Threads,
    id: i32,
    (unseen, told): (&mut u64, &mut Option<Vec<ResponseFate>>),
    whose: &Whose,
) -> Option<&'a mut FollowedThread> {
    let followed = threads.of(id)?;
    if followed.unseen > 0 {
        let by_now = told_by_now(followed, whose);
        *unseen += by_now;
        told.iter_mut().for_each(|told| told.extend((0..by_now).map(|_| ResponseFate::Unseen { thread: id })));
    }
    Some(followed)
}

/// Takes a thread's unseen responses, if it is known by now whether the thread is chosen. Call this before the event is used,
/// because the event may change the thread's name and priority.
fn told_by_now(followed: &mut FollowedThread, whose: &Whose) -> u64 {
    match whose.has(followed.id, followed.named()) {
        None => 0,
        Some(chosen) => std::mem::take(&mut followed.unseen) * u64::from(chosen),
    }
}

impl Listener for Lates {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                self.relies |= !from.is_ordinary() || !to.is_ordinary();
                self.thread_left(from, *preempted, cpu, stamped, processor);
                if to.id != from.id {
                    self.thread_came(to, cpu, stamped.at_ns, processor);
                }
                self.processor_has(cpu, to.id);
            }
            Event::Waking { thread } if self.measures.tells_of(cpu, *thread, stamped) => {}
            Event::Waking { thread } => self.thread_woken(*thread, cpu, stamped, processor),
            _ if self.on.get(cpu as usize) == Some(&stamped.thread) => {}
            _ => self.thread_appears(cpu, *stamped, processor),
        }
        match &stamped.event {
            Event::Signalled { thread, signal: Signal::Stops } => self.thread_is_stopped(*thread, stamped),
            Event::Signalled { signal: Signal::Other, .. } => self.signals.push(stamped),
            Event::Signalled { .. } | Event::Freezes { .. } => self.holds.push(stamped),
            // If the expiry is already past, the timer itself shows how late the thread is.
            Event::TimerStart { expiry_ns, .. }
                if self.signals.any() && stamped.in_thread && *expiry_ns > stamped.at_ns =>
            {
                self.thread_handled_signals(stamped.thread, cpu, stamped.at_ns, processor);
            }
            Event::TimerExpire { function, .. } => self.limits.timer(stamped.at_ns, *function),
            Event::Measured(_) | Event::Stack(_) | Event::SleepEnd => self.measures(cpu, stamped, processor),
            Event::Futex { locks: true } => self.thread_asks_for_lock(stamped.thread, None),
            Event::Futex { locks: false } | Event::FutexEnd => {
                self.threads.of(stamped.thread).into_iter().for_each(|followed| followed.lock.asks_no_more());
            }
            // A thread lends its priority only to the holder of the lock that it waits for.
            Event::Inherit { thread, from, to } if to < from && stamped.in_thread && *thread != stamped.thread => {
                self.thread_asks_for_lock(stamped.thread, Some(*thread));
            }
            _ => {}
        }
        if self.question.timers
            && let Some(fired) = self.timers.push(cpu, stamped, processor)
        {
            self.timer_woke_nobody(fired);
        }
        self.budget.earns();
    }

    fn moves(&mut self, cpu: u32, stamped: &Stamped, of: &Processors<'_>) {
        self.thread_moves(cpu, stamped, of);
    }

    fn gap_begins(&mut self, cpu: u32, _: u64) {
        self.loses(cpu, true);
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.loses(cpu, false);
    }

    fn end(&mut self, _: &[(u32, Stretch)]) {
        self.end_measures();
        let mut still = Vec::new();
        for followed in self.threads.all() {
            followed.unseen += u64::from(followed.begun.take().is_some());
            if let Some(since_ns) = followed.ready_at() {
                followed.unseen += 1;
                let chosen = self.question.whose.has(followed.id, followed.named()) == Some(true);
                let thread = followed.named().unwrap_or(Thread::numbered(followed.id));
                still.extend(chosen.then_some(StillReady { thread, since_ns }));
            }
            self.unseen += told_by_now(followed, &self.question.whose);
            self.unnamed += followed.unseen;
        }
        still.into_iter().for_each(|still| self.ends_ready(still));
    }
}

#[cfg(test)]
mod tests;
