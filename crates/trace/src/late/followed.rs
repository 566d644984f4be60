// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads whose responses are looked at, each between being made ready and having a processor.
use super::begun::OpenResponse;
use super::course::{Course, Departure};
use super::locks::Lock;
use super::losses::Losses;
use super::moved::{CHOOSES_NS, Moved};
use super::timers::Fired;
use super::wakers::{Before, Chain};
use crate::awaited::{Awaited, ReadyOutcome, SwitchInstants};
use crate::blame::Cause;
use crate::by_number::ByNumber;
use crate::event::{Stamped, Thread};
use crate::explain::Part;
use crate::limits::{Limits, UsedUp};
use crate::processor::Processor;
use crate::wakeup::WakeUp;
use crate::window::Absence;
use std::sync::Arc;

/// Threads that are followed at one time; a recording that names more has its others not looked at, and that is said.
const THREADS_MAX: usize = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct FollowedThread {
    pub(super) id: i32,
    awaited: Awaited,
    /// The timer that made it ready last, on this processor.
    timer: Option<(u32, Fired)>,
    /// When a thread made it ready last, and which.
    woken: Option<(u64, i32)>,
    /// The thread that began its last activation, where one did.
    begun_by: Option<i32>,
    /// Its own timer began the last activation that came to a processor.
    timed: bool,
    /// When it was away for a page last.
    fault: Option<Absence>,
    /// Since when it sleeps, where it does.
    sleeps_since: Option<u64>,
    /// When its last two sleeps ended, the last one first.
    awoke_at: [u64; 2],
    /// Since when it is kept from its processor without having slept.
    preempted_at: Option<u64>,
    /// When its time was used up last while it was kept so.
    used_up: Option<UsedUp>,
    /// The timer of its sleep, which expired and did not make it ready: it is frozen.
    unanswered: Option<Fired>,
    /// What was before it was made ready last.
    before: Option<Before>,
    /// The processor that it has, or on whose queue it is or was last.
    place: Option<u32>,
    /// Who was on the waking processor when it was made ready last.
    woken_upon: i32,
    /// How it left its processor last, as long as none has come to it.
    left: Option<Departure>,
    pub(super) course: Option<Box<Course>>,
    /// It was moved since it is ready.
    moved: Option<Box<Moved>>,
    /// It came to another processor than the one on whose queue it was known to be.
    strayed: bool,
    /// When its present activation came to a processor, as long as it has not gone to sleep.
    came_at: Option<u64>,
    /// When it had been made ready for that, and which processor came.
    came_from: (u64, u32),
    /// How late that came, for those that it makes ready.
    pub(super) late: Option<Arc<Chain>>,
    /// The activation of a waker, and its thread, of which it has taken the lateness over: that counts once.
    heard: Option<(i32, u64)>,
    /// It was made ready only to be stopped or frozen: nobody relies on its coming.
    comes_to_stop: bool,
    pub(super) lock: Lock,
    pub(super) begun: Option<Box<OpenResponse>>,
    /// Responses that were not seen to their end, and of which it is not told yet whether they are of a chosen thread.
    pub(super) unseen: u64,
    /// From which length on its responses are explained to the listener that asks for each.
    pub(super) explained_from_ns: u64,
    /// How often events had been lost when it was looked at last.
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

    /// Forgets what the losses since it was looked at last make unknown: the first of them that concerns it does that.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, losses: &Losses) {
        self.forget_before();
        if losses.concern(self.losses, self.awaited.on()) {
            self.unseen += u64::from(self.awaited.lose().is_some()) + u64::from(self.begun.take().is_some());
        }
        self.losses = losses.count();
    }

    /// Events of a processor were lost; since when it was ready: the definition.
    #[cfg(test)]
    pub(super) fn forget(&mut self, cpu: u32) -> Option<u64> {
        self.forget_before();
        self.awaited.forget(cpu)
    }

    /// Events were lost: what it waits for and for whom cannot be joined with what comes.
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

    /// The processor that it has, or on whose queue it is or was last.
    pub(super) fn place(&self) -> Option<u32> {
        self.place
    }

    pub(super) fn has_timer(&self) -> bool {
        self.timer.is_some()
    }

    pub(super) fn is_woken(&self, at_ns: u64) -> Option<SwitchInstants> {
        self.awaited.waits_until(at_ns)
    }

    /// It is given to another processor: the one before, where that is known and another one.
    pub(super) fn is_given_to(&mut self, to: u32) -> Option<u32> {
        self.place.replace(to).filter(|from| *from != to)
    }

    /// Whether its waker, upon this thread of that processor, gives it to a processor as a part of making it ready.
    pub(super) fn is_placed_by_waker(&self, cpu: u32, upon: i32, at_ns: u64) -> bool {
        let soon = self.awaited.ready_at().is_some_and(|ready_at| at_ns.saturating_sub(ready_at) <= CHOOSES_NS);
        soon && self.moved.is_none() && self.woken_upon == upon && self.awaited.ready_on() == cpu
    }

    /// It was moved while it was ready, with what is known of its wait until then.
    pub(super) fn has_moved(&mut self, moved: Moved) {
        self.moved = Some(Box::new(moved));
    }

    /// The waking as it would have ended at this instant on this processor, with what began it.
    pub(super) fn waited_until(&mut self, cpu: u32, at_ns: u64) -> Option<(SwitchInstants, Stimulus)> {
        let came = self.awaited.waits_until(at_ns)?;
        let stimulus = self.stimulus(cpu, &came);
        Some((came, stimulus))
    }

    /// The timer of its sleep expired without making it ready. A thread that still sleeps after that is frozen with a control group of
    /// version 1: that makes a sleep deaf to what it waits for, without waking the thread.
    pub(super) fn unanswered(&mut self, timer: Fired) {
        self.unanswered = self.sleeps_since.filter(|since_ns| *since_ns >= timer.armed_at).map(|_| timer);
    }

    #[inline(always)]
    pub(super) fn thaws(&mut self) -> Option<Fired> {
        if self.unanswered.is_some() { self.unanswered.take() } else { None }
    }

    /// It lost its processor without going to sleep, and has not been seen to come back.
    #[inline(always)]
    pub(super) fn is_kept_off(&self) -> bool {
        self.preempted_at.is_some()
    }

    /// It comes back to a processor without having slept: when its time was used up meanwhile, where it was.
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

    /// When its time was used up since it lost its processor at this instant.
    pub(super) fn used_up_since(&self, since_ns: u64) -> Option<UsedUp> {
        self.used_up.filter(|used_up| used_up.from_ns == since_ns)
    }

    /// When its time was used up after its timer was to expire and before it set that.
    pub(super) fn used_up(&self, timer: &Fired) -> Option<UsedUp> {
        let before = |used_up: &UsedUp| (timer.expiry_at..=timer.armed_at).contains(&used_up.until_ns);
        self.used_up.filter(before)
    }

    #[inline(always)]
    pub(super) fn away_for_page(&self, at_ns: u64) -> Option<u64> {
        let fault = self.fault.filter(|fault| fault.to_ns.is_none())?;
        Some(at_ns.saturating_sub(fault.from_ns))
    }

    /// What was before it was made ready, which was just now.
    pub(super) fn waits_behind(&mut self, before: Before) {
        self.before = Some(before);
    }

    /// Takes over how late this waker was, once for each of its activations.
    pub(super) fn woken_by(&mut self, waker: i32, came_at: u64, late: Arc<Chain>) {
        if self.heard.replace((waker, came_at)) != Some((waker, came_at)) {
            self.before = Some(Before::Waker(late));
        }
    }

    /// Who made it ready just now did so only to stop it, or to freeze it: how late that one came made nothing late that it waits
    /// for, and is heard when it makes it ready for its work.
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

    /// When the sleep ended after which it did what it did at this instant, where that is known.
    pub(super) fn awake_since(&self, at_ns: u64) -> Option<u64> {
        self.awoke_at.into_iter().find(|awoke_at| (1..=at_ns).contains(awoke_at))
    }

    pub(super) fn begun_by(&self) -> Option<i32> {
        self.begun_by
    }

    /// Whether somebody relies on its coming in time, no matter who: it is a real-time thread, or sets timers of its own.
    pub(super) fn is_relied_on(&self) -> bool {
        self.timed || self.named().is_some_and(|thread| !thread.is_ordinary())
    }

    /// Who made it ready after its timer was to expire and before it set that, and when.
    pub(super) fn let_go(&self, timer: &Fired) -> Option<(u64, i32)> {
        self.woken.filter(|(at_ns, _)| (timer.expiry_at..=timer.armed_at).contains(at_ns))
    }

    /// When it was away for a page after its timer was to expire and before it set that.
    pub(super) fn fault(&self, timer: &Fired) -> Option<Absence> {
        self.fault.filter(|fault| fault.to_ns.is_some_and(|to_ns| (timer.expiry_at..=timer.armed_at).contains(&to_ns)))
    }

    pub(super) fn came_at(&self) -> Option<u64> {
        self.came_at
    }

    /// When it was made ready for its present activation, and when this processor came to it, where that was seen.
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

    /// It neither waits for a lock nor asks for one.
    #[inline(always)]
    pub(super) fn wants_no_lock(&self) -> bool {
        matches!(self.lock, Lock::None)
    }

    /// A timer that it set makes it ready, or something else does; of what was before that nothing is known yet.
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

    /// The timer whose response ended when the thread came to a processor. The stimulus is its expiry where the thread came
    /// on the processor on which it fired: only that one's past tells why.
    #[inline(always)]
    fn answers(&self, cpu: u32, came: &SwitchInstants) -> Option<&Fired> {
        let (on, fired) = self.timer.as_ref()?;
        let own = *on == cpu && fired.isr_at <= came.ready_at && fired.expiry_at <= came.ready_at;
        own.then_some(fired)
    }

    /// The same, which is done with, and otherwise what was before it was made ready.
    pub(super) fn answered(&mut self, cpu: u32, came: &SwitchInstants) -> Stimulus {
        let stimulus = self.stimulus(cpu, came);
        self.timed = self.timer.take().is_some();
        (self.came_at, self.came_from, self.late) = (Some(came.at_ns), (came.ready_at, cpu), None);
        stimulus
    }

    /// What began its response; what is taken here is not there again. A timer that fired on another processor has its part of the
    /// time there.
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

    /// A response that ended so is done with if it took no longer than this: hardly one does, and is explained.
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
    /// The expiry of its own timer, on the processor to which it came.
    pub(super) timer: Option<Fired>,
    pub(super) before: Option<Arc<Chain>>,
    /// It was moved while it was ready, with that timer where it had one.
    pub(super) moved: Option<Box<Moved>>,
    /// It came to another processor than the one on whose queue it was known to be.
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

    /// The parts until it was moved last, and this cause of the rest of the time.
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
    /// The thread of that number, where it is followed; the idle thread is not.
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

    /// Events of a processor are lost from now on, or were until now. A thread compares the losses with those that it knows
    /// when it is looked at next; as long as events are being lost, each time.
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

/// A response as a wake-up: from the expiry of its timer, where it has one, else from the waking.
pub(super) fn wake_up(came: SwitchInstants, timer: Option<Fired>, processor: &Processor) -> WakeUp {
    let wake_up = came.wake_up();
    match timer {
        // A timer told already which stay it interrupted.
        Some(Fired { expiry_at, slack_ns, armed_at, isr_at, line, stay, .. }) => {
            let (armed_at, isr_at) = (Some(armed_at), isr_at.max(expiry_at));
            WakeUp { expiry_at, slack_ns, armed_at, isr_at, line, stay, ..wake_up }
        }
        None => WakeUp { stay: processor.stay_at(came.ready_at), ..wake_up },
    }
}
