// SPDX-License-Identifier: MIT OR Apache-2.0
//! Followed threads, each from its wakeup until it gets a CPU.
use super::begun::OpenResponse;
use super::course::{Course, Departure};
use super::locks::Lock;
use super::losses::Losses;
use super::moved::{CHOOSES_NS, Moved};
use super::timers::Fired;
use super::wakers::{Before, Chain};
use crate::blame::Cause;
use crate::blame::explain::Part;
use crate::blame::window::Absence;
use crate::collection::by_number::ByNumber;
use crate::event::{Stamped, Thread};
use crate::processor::Processor;
use crate::thread::awaited::{Awaited, ReadyOutcome, SwitchInstants};
use crate::thread::limits::{Limits, UsedUp};
use crate::thread::wakeup::WakeUp;
use std::sync::Arc;

/// At most this many threads are followed; a note in the report counts the events of further threads.
const THREADS_MAX: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct FollowedThread {
    pub(super) id: i32,
    awaited: Awaited,
    /// The timer that last made the thread ready, and the CPU where that timer fired.
    timer: Option<(u32, Fired)>,
    woken: Option<(u64, i32)>,
    begun_by: Option<i32>,
    /// Whether the thread's own timer started the last activation in which the thread got a CPU.
    timed: bool,
    fault: Option<Absence>,
    sleeps_since: Option<u64>,
    /// When the thread's last two sleeps ended, the last one first.
    awoke_at: [u64; 2],
    /// When the thread was preempted; `None` once it has a CPU again.
    preempted_at: Option<u64>,
    /// When the thread's quota last ran out while it was preempted.
    used_up: Option<UsedUp>,
    /// The timer of the thread's sleep, if it expired without waking the thread: the thread is frozen.
    unanswered: Option<Fired>,
    before: Option<Before>,
    /// The CPU that the thread has, or the CPU of its present or last runqueue.
    place: Option<u32>,
    /// The thread that had the waking CPU at this thread's last wakeup.
    woken_upon: i32,
    /// How the thread last left its CPU; `None` while it has one.
    left: Option<Departure>,
    pub(super) course: Option<Box<Course>>,
    moved: Option<Box<Moved>>,
    /// The thread got a CPU, but not the one on whose runqueue it was known to be.
    strayed: bool,
    /// When the thread got a CPU in its current activation; `None` while it sleeps.
    came_at: Option<u64>,
    /// When the thread became ready for its current activation, and the CPU that it got.
    came_from: (u64, u32),
    /// How late the thread's current activation came. The threads that it wakes inherit this.
    pub(super) late: Option<Arc<Chain>>,
    /// The waker whose lateness the thread inherited, and when that waker got its CPU. Each activation of a waker counts once.
    heard: Option<(i32, u64)>,
    /// The thread was woken only to be stopped or frozen, so this wakeup's latency does not matter.
    comes_to_stop: bool,
    pub(super) lock: Lock,
    pub(super) begun: Option<Box<OpenResponse>>,
    /// Number of responses with an unknown end. They are kept until it is known whether this thread is chosen.
    pub(super) unseen: u64,
    /// For listeners that want every response: this thread's responses below this length are reported without an explanation.
    pub(super) explained_from_ns: u64,
    losses: u64,
}

impl FollowedThread {
    fn new(id: i32, losses: u64) -> Self {
        let (awaited, lock) = (Awaited::new(id), Lock::None);
        let (timer, woken, fault, before) = (None, None, None, None);
        let (sleeps_since, unanswered, begun_by, timed) = (None, None, None, false);
        let (preempted_at, used_up) = (None, None);
        let (came_at, late, heard, begun) = (None, None, None, None);
        let (comes_to_stop, unseen) = (false, 0);
        Self {
            id,
            awaited,
            timer,
            woken,
            begun_by,
            timed,
            fault,
            sleeps_since,
            awoke_at: [0; 2],
            preempted_at,
            used_up,
            unanswered,
            before,
            place: None,
            woken_upon: 0,
            left: None,
            course: None,
            moved: None,
            strayed: false,
            came_at,
            came_from: (0, 0),
            late,
            heard,
            comes_to_stop,
            lock,
            begun,
            unseen,
            explained_from_ns: 0,
            losses,
        }
    }

    pub(super) fn named(&self) -> Option<Thread> {
        self.awaited.named()
    }

    pub(super) fn ready_at(&self) -> Option<u64> {
        self.awaited.ready_at()
    }

    /// Forgets the thread's past, because events were lost since the thread's last event. If a loss concerns the thread's CPU,
    /// the thread's open response counts as unseen.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, losses: &Losses) {
        self.forget_before();
        if losses.concern(self.losses, self.awaited.on()) {
            self.unseen += u64::from(self.awaited.lose().is_some()) + u64::from(self.begun.take().is_some());
        }
        self.losses = losses.count();
    }

    /// For tests: forgets everything because events of this CPU were lost; returns since when the thread was ready.
    #[cfg(test)]
    pub(super) fn forget(&mut self, cpu: u32) -> Option<u64> {
        self.forget_before();
        self.awaited.forget(cpu)
    }

    /// Events were lost, so the thread's waits cannot be joined with later events.
    fn forget_before(&mut self) {
        self.lock = Lock::None;
        (self.woken, self.fault, self.before, self.came_at) = (None, None, None, None);
        (self.late, self.heard) = (None, None);
        (self.sleeps_since, self.unanswered, self.awoke_at) = (None, None, [0; 2]);
        (self.begun_by, self.timed) = (None, false);
        (self.preempted_at, self.used_up) = (None, None);
        (self.place, self.moved, self.left, self.course) = (None, None, None, None);
    }

    #[inline(always)]
    pub(super) fn wakes(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        if self.sleeps_since.take().is_some() {
            self.awoke_at = [stamped.at_ns, self.awoke_at[0]];
        }
        let reached = self.awaited.wakes(cpu, stamped, processor);
        self.woken_upon = stamped.thread;
        if self.moved.is_some() {
            self.moved = None;
        }
        reached
    }

    #[inline(always)]
    pub(super) fn leaves(
        &mut self,
        thread: &Thread,
        preempted: bool,
        cpu: u32,
        stamped: &Stamped,
        processor: &Processor,
    ) -> Option<ReadyOutcome> {
        let reached = self.awaited.goes_on(cpu, stamped, processor);
        self.awaited.leaves(thread, preempted);
        self.preempted_at = preempted.then_some(stamped.at_ns);
        self.place = Some(cpu);
        self.left = Some(Departure { at_ns: stamped.at_ns, cpu, preempted });
        if !preempted {
            (self.came_at, self.late, self.sleeps_since) = (None, None, Some(stamped.at_ns));
            if processor.left_in_fault(stamped.at_ns) {
                self.fault = Some(Absence { from_ns: stamped.at_ns, to_ns: None, faulted: true });
            }
        }
        if !self.wants_no_lock() {
            self.lock.leaves(stamped.at_ns, preempted);
        }
        self.count_unseen();
        reached
    }

    #[inline(always)]
    pub(super) fn comes(&mut self, thread: &Thread, cpu: u32, at_ns: u64) -> Option<SwitchInstants> {
        if let Some(fault) = &mut self.fault {
            fault.to_ns.get_or_insert(at_ns);
        }
        self.sleeps_since = None;
        self.is_on(cpu, at_ns);
        let came = self.awaited.comes(thread, cpu, at_ns);
        self.count_unseen();
        came
    }

    #[inline(always)]
    fn count_unseen(&mut self) {
        self.unseen += u64::from(self.awaited.came_unseen());
    }

    #[inline(always)]
    fn is_on(&mut self, cpu: u32, at_ns: u64) {
        let left = self.left.take();
        if let (Some(course), Some(left)) = (&mut self.course, left) {
            let timer = self.timer.as_ref().map(|(_, fired)| (fired.expiry_at, fired.isr_at));
            let ready_at = self.awaited.ready_at();
            course.comes(left, at_ns, cpu, ready_at.map(|at| timer.map_or((at, at, at), |(due, isr)| (due, isr, at))));
        }
        self.strayed = self.place.replace(cpu).is_some_and(|place| place != cpu);
    }

    pub(super) fn place(&self) -> Option<u32> {
        self.place
    }

    pub(super) fn has_timer(&self) -> bool {
        self.timer.is_some()
    }

    pub(super) fn is_woken(&self, at_ns: u64) -> Option<SwitchInstants> {
        self.awaited.waits_until(at_ns)
    }

    /// The thread moves to this CPU; returns its previous CPU if that was another one.
    pub(super) fn is_given_to(&mut self, to: u32) -> Option<u32> {
        self.place.replace(to).filter(|from| *from != to)
    }

    /// Whether this move is a part of the wakeup: the waker, which ran on the same CPU, only chooses a runqueue.
    pub(super) fn is_placed_by_waker(&self, cpu: u32, upon: i32, at_ns: u64) -> bool {
        let soon = self.awaited.ready_at().is_some_and(|ready_at| at_ns.saturating_sub(ready_at) <= CHOOSES_NS);
        soon && self.moved.is_none() && self.woken_upon == upon && self.awaited.ready_on() == cpu
    }

    pub(super) fn has_moved(&mut self, moved: Moved) {
        self.moved = Some(Box::new(moved));
    }

    /// The wakeup and the stimulus of the response, as if the thread had got this CPU at this instant.
    pub(super) fn waited_until(&mut self, cpu: u32, at_ns: u64) -> Option<(SwitchInstants, Stimulus)> {
        let came = self.awaited.waits_until(at_ns)?;
        let stimulus = self.stimulus(cpu, &came);
        Some((came, stimulus))
    }

    /// The timer of the thread's sleep expired without waking it. If the thread still sleeps, a version 1 control group has
    /// frozen it, so that no wakeup can reach it.
    pub(super) fn unanswered(&mut self, timer: Fired) {
        self.unanswered = self.sleeps_since.filter(|since_ns| *since_ns >= timer.armed_at).map(|_| timer);
    }

    #[inline(always)]
    pub(super) fn thaws(&mut self) -> Option<Fired> {
        if self.unanswered.is_some() { self.unanswered.take() } else { None }
    }

    /// Whether the thread was preempted and has not been seen since.
    #[inline(always)]
    pub(super) fn is_kept_off(&self) -> bool {
        self.preempted_at.is_some()
    }

    /// The thread gets a CPU again after it was preempted. Returns when its quota ran out meanwhile, if it did.
    #[inline(always)]
    pub(super) fn comes_back(&mut self, thread: &Thread, at_ns: u64, limits: &Limits) -> Option<UsedUp> {
        let since_ns = self.preempted_at.take()?;
        if limits.any() { self.was_limited(limits.used_up(thread, since_ns, at_ns)?) } else { None }
    }

    #[cold]
    fn was_limited(&mut self, used_up: UsedUp) -> Option<UsedUp> {
        self.used_up = Some(UsedUp { lost_processor: true, ..used_up });
        self.begun.iter_mut().for_each(|begun| begun.used_up = self.used_up);
        self.used_up
    }

    pub(super) fn used_up_since(&self, since_ns: u64) -> Option<UsedUp> {
        self.used_up.filter(|used_up| used_up.from_ns == since_ns)
    }

    /// When the thread's quota ran out, if the kernel granted new time after this timer's expiry and before it was set.
    pub(super) fn used_up(&self, timer: &Fired) -> Option<UsedUp> {
        let before = |used_up: &UsedUp| (timer.expiry_at..=timer.armed_at).contains(&used_up.until_ns);
        self.used_up.filter(before)
    }

    #[inline(always)]
    pub(super) fn away_for_page(&self, at_ns: u64) -> Option<u64> {
        let fault = self.fault.filter(|fault| fault.to_ns.is_none())?;
        Some(at_ns.saturating_sub(fault.from_ns))
    }

    pub(super) fn waits_behind(&mut self, before: Before) {
        self.before = Some(before);
    }

    /// The thread inherits its waker's lateness, once per activation of the waker.
    pub(super) fn woken_by(&mut self, waker: i32, came_at: u64, late: Arc<Chain>) {
        if self.heard.replace((waker, came_at)) != Some((waker, came_at)) {
            self.before = Some(Before::Waker(late));
        }
    }

    /// The waker only stopped or froze this thread, so the waker's lateness delayed nothing. That waker's next wakeup counts.
    pub(super) fn is_to_stop(&mut self, by: i32) {
        self.comes_to_stop = true;
        self.before = None;
        self.heard = self.heard.filter(|(waker, _)| *waker != by);
    }

    pub(super) fn was_woken_by(&self, by: i32, at_ns: u64, within_ns: u64) -> bool {
        self.woken.is_some_and(|(woken_at, waker)| waker == by && at_ns.saturating_sub(woken_at) <= within_ns)
    }

    pub(super) fn comes_to_stop(&self) -> bool {
        self.comes_to_stop
    }

    #[inline(always)]
    pub(super) fn woken_at(&mut self, at_ns: u64, by: i32) {
        self.woken = Some((at_ns, by));
        self.begun_by = Some(by);
    }

    pub(super) fn awake_since(&self, at_ns: u64) -> Option<u64> {
        self.awoke_at.into_iter().find(|awoke_at| (1..=at_ns).contains(awoke_at))
    }

    pub(super) fn begun_by(&self) -> Option<i32> {
        self.begun_by
    }

    /// Whether the thread's latency matters: it is a real-time thread, or its own timer woke it.
    pub(super) fn is_relied_on(&self) -> bool {
        self.timed || self.named().is_some_and(|thread| !thread.is_ordinary())
    }

    /// The thread that let this one continue, and when: after the timer's expiry, and before this thread set its timer.
    pub(super) fn let_go(&self, timer: &Fired) -> Option<(u64, i32)> {
        self.woken.filter(|(at_ns, _)| (timer.expiry_at..=timer.armed_at).contains(at_ns))
    }

    /// The thread's wait for a page, if the wait ended after this timer's expiry and before the thread set the timer.
    pub(super) fn fault(&self, timer: &Fired) -> Option<Absence> {
        self.fault.filter(|fault| fault.to_ns.is_some_and(|to_ns| (timer.expiry_at..=timer.armed_at).contains(&to_ns)))
    }

    pub(super) fn came_at(&self) -> Option<u64> {
        self.came_at
    }

    pub(super) fn came_to(&self, cpu: u32) -> Option<(u64, u64)> {
        let (ready_at, on) = self.came_from;
        self.came_at.filter(|_| on == cpu).map(|came_at| (ready_at, came_at))
    }

    pub(super) fn goes_on(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> Option<ReadyOutcome> {
        self.is_on(cpu, stamped.at_ns);
        let reached = self.awaited.goes_on(cpu, stamped, processor);
        self.count_unseen();
        reached
    }

    #[inline(always)]
    pub(super) fn wants_no_lock(&self) -> bool {
        matches!(self.lock, Lock::None)
    }

    /// The thread is woken, by its own timer if `timer` is given. What the thread waited for before is not known yet.
    #[inline(always)]
    pub(super) fn fired(&mut self, cpu: u32, timer: Option<&Fired>) {
        self.timer = timer.map(|timer| (cpu, *timer));
        self.begun_by = None;
        if timer.is_some() && self.course.is_none() {
            self.course = Some(Box::default());
        }
        self.comes_to_stop = false;
        if self.before.is_some() {
            self.before = None;
        }
    }

    /// The timer that started this activation, if it fired on this CPU. Only then is its expiry the stimulus, because only this
    /// CPU's recent past can explain the delay.
    #[inline(always)]
    fn answers(&self, cpu: u32, came: &SwitchInstants) -> Option<&Fired> {
        let (on, fired) = self.timer.as_ref()?;
        let own = *on == cpu && fired.isr_at <= came.ready_at && fired.expiry_at <= came.ready_at;
        own.then_some(fired)
    }

    /// Returns what started the response of a thread that has got its CPU, and begins the thread's new activation.
    pub(super) fn answered(&mut self, cpu: u32, came: &SwitchInstants) -> Stimulus {
        let stimulus = self.stimulus(cpu, came);
        self.timed = self.timer.take().is_some();
        (self.came_at, self.came_from, self.late) = (Some(came.at_ns), (came.ready_at, cpu), None);
        stimulus
    }

    /// Returns what started the response, and removes it from the thread, so that it counts once. If the thread moved, the wait
    /// on its earlier CPUs is part of the response.
    fn stimulus(&mut self, cpu: u32, came: &SwitchInstants) -> Stimulus {
        let strayed = self.strayed;
        if let Some(moved) = self.moved.take() {
            let before = self.before.take().filter(|_| !moved.timed);
            return Stimulus { timer: None, before: before.and_then(Before::chain), moved: Some(moved), strayed };
        }
        match (self.answers(cpu, came).copied(), self.before.take()) {
            (Some(timer), _) => Stimulus { timer: Some(timer), strayed, ..Stimulus::default() },
            (None, Some(Before::Own(moved))) => Stimulus { moved: Some(moved), strayed, ..Stimulus::default() },
            (None, before) => Stimulus { before: before.and_then(Before::chain), strayed, ..Stimulus::default() },
        }
    }

    /// Whether the response took at most `above_ns`. If so, it is done, as nearly all are; otherwise the caller explains it.
    #[inline(always)]
    pub(super) fn is_in_time(&mut self, cpu: u32, came: &SwitchInstants, above_ns: u64) -> bool {
        let began_at = match &self.moved {
            Some(moved) => moved.began_ns,
            None => self.answers(cpu, came).map_or(came.ready_at, |fired| fired.expiry_at),
        };
        let in_time = came.at_ns.saturating_sub(began_at) <= above_ns && self.before.is_none();
        if in_time {
            self.timed = self.timer.take().is_some();
            (self.came_at, self.came_from) = (Some(came.at_ns), (came.ready_at, cpu));
            if self.late.is_some() {
                self.late = None;
            }
            if self.moved.is_some() {
                self.moved = None;
            }
            if let Some(course) = &mut self.course {
                course.is_in_time();
            }
        }
        in_time
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Stimulus {
    /// The thread's own timer, if it fired on the CPU that the thread got.
    pub(super) timer: Option<Fired>,
    pub(super) before: Option<Arc<Chain>>,
    /// The part of the response up to the thread's last move, if the thread moved while it was ready.
    pub(super) moved: Option<Box<Moved>>,
    pub(super) strayed: bool,
}

impl Stimulus {
    pub(super) fn began_at(&self, id: i32, came: &SwitchInstants) -> u64 {
        let before_ns = self.before.as_ref().map_or(0, |before| before.ns(id));
        self.own_at(came).saturating_sub(before_ns)
    }

    pub(super) fn own_at(&self, came: &SwitchInstants) -> u64 {
        match (&self.moved, &self.timer) {
            (Some(moved), _) => moved.began_ns,
            (None, Some(timer)) => timer.expiry_at,
            (None, None) => came.ready_at,
        }
    }

    /// The known parts up to the thread's last move, and one part with this cause for the time after.
    pub(super) fn parts_and(&self, cause: Cause, from_ns: u64, to_ns: u64) -> Vec<Part> {
        let known = self.moved.as_ref().map_or(&[][..], |moved| &moved.parts);
        let from_ns = self.moved.as_ref().map_or(from_ns, |moved| moved.at_ns);
        let rest = Part { from_ns, to_ns, cause, culprit: None }.within(from_ns, to_ns);
        known.iter().copied().chain(rest).collect()
    }

    pub(super) fn is_timed(&self) -> bool {
        let moved = self.moved.as_ref().is_some_and(|moved| moved.timed);
        moved || self.timer.is_some()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Threads {
    all: ByNumber<FollowedThread>,
    losses: Losses,
    pub(super) beyond: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self { all: ByNumber::new(THREADS_MAX), losses: Losses::default(), beyond: 0 }
    }
}

impl Threads {
    /// The thread with this number, if it is followed. The idle thread never is.
    #[inline(always)]
    pub(super) fn of(&mut self, id: i32) -> Option<&mut FollowedThread> {
        if id == 0 {
            return None;
        }
        let losses = &self.losses;
        let Some(found) = self.all.of(id, || FollowedThread::new(id, losses.count())) else {
            self.beyond += 1;
            return None;
        };
        if found.losses != losses.count() || losses.is_dark() {
            found.settle(losses);
        }
        Some(found)
    }

    pub(super) fn known(&self, id: i32) -> Option<&FollowedThread> {
        self.all.get(id)
    }

    /// The loss of a CPU's events begins or ends. A thread compares its own count of losses with the new count at its next
    /// event, and during a loss at every event.
    pub(super) fn lost(&mut self, cpu: u32, begins: bool) {
        self.losses.add(cpu, begins);
    }

    pub(super) fn is_dark(&self) -> bool {
        self.losses.is_dark()
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut FollowedThread> {
        let losses = &self.losses;
        let all = self.all.all_mut();
        all.iter_mut()
            .filter(|followed| followed.losses != losses.count() || losses.is_dark())
            .for_each(|followed| followed.settle(losses));
        all.iter_mut()
    }
}

/// The response in the form of a wakeup. It starts at the timer's expiry, or without a timer when the thread was made ready.
pub(super) fn wake_up(came: SwitchInstants, timer: Option<Fired>, processor: &Processor) -> WakeUp {
    let wake_up = came.wake_up();
    match timer {
        // The timer already has the interrupted thread's stay on the CPU.
        Some(Fired { expiry_at, slack_ns, armed_at, isr_at, line, stay, .. }) => {
            let (armed_at, isr_at) = (Some(armed_at), isr_at.max(expiry_at));
            WakeUp { expiry_at, slack_ns, armed_at, isr_at, line, stay, ..wake_up }
        }
        None => WakeUp { stay: processor.stay_at(came.ready_at), ..wake_up },
    }
}
