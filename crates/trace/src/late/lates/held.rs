// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that are stopped or frozen, and who resumes them.
use super::Lates;
use crate::blame::accuse::held_until;
use crate::event::{Stamped, Thread};
use crate::late::followed::FollowedThread;
use crate::late::moved::Moved;
use crate::late::timers::Fired;
use crate::late::wakers::Before;
use crate::thread::holds::{BESIDE_NS, LetGo};
use crate::thread::signals::Storm;

impl Lates {
    /// The thread that resumed thread `id` before `id` set this timer, and what had held `id` until then.
    pub(super) fn let_go(&self, id: i32, timer: &Fired) -> Option<LetGo> {
        let (at_ns, by) = self.threads.known(id)?.let_go(timer)?;
        let named = |id| self.threads.known(id).and_then(FollowedThread::named).unwrap_or(Thread::numbered(id));
        let held = self.holds.ended(by, at_ns).map(|(how, by)| (how, by.map(named)));
        Some(LetGo { by: named(by), held })
    }

    /// The signals that the thread got before it set this timer: the larger of two counts, since the thread's wakeup and since
    /// the timer's expiry. Handling many signals takes the thread a while after the last one.
    pub(super) fn storm(&self, id: i32, timer: &Fired) -> Option<Storm> {
        let awake_since = self.threads.known(id).and_then(|followed| followed.awake_since(timer.armed_at));
        let since =
            [awake_since, Some(timer.expiry_at)].into_iter().flatten().filter(|from_ns| *from_ns <= timer.expiry_at);
        let storms = since.filter_map(|from_ns| self.signals.storm(id, from_ns, timer.armed_at));
        let Storm { by, count } = storms.max_by_key(|storm| storm.count)?;
        let by = self.threads.known(by).and_then(FollowedThread::named).unwrap_or(Thread::numbered(by));
        Some(Storm { by, count })
    }

    /// The timer of a thread's sleep has expired, and its function did not make the thread ready.
    #[cold]
    #[inline(never)]
    pub(super) fn timer_woke_nobody(&mut self, fired: Fired) {
        self.threads.of(fired.thread).into_iter().for_each(|followed| followed.unanswered(fired));
    }

    /// A frozen thread, whose timer had expired without waking it, is woken when its group thaws. The freezing is the cause of
    /// all time since the expiry.
    #[cold]
    #[inline(never)]
    pub(super) fn thread_thaws(&mut self, id: i32, fired: &Fired, thawer: i32, at_ns: u64) {
        let thawer = self.threads.known(thawer).and_then(FollowedThread::named).unwrap_or(Thread::numbered(thawer));
        let moved = Moved::kept(fired.expiry_at, at_ns, held_until(LetGo::thawed(thawer)));
        if let Some(followed) = self.threads.of(id) {
            followed.waits_behind(Before::Own(Box::new(moved)));
        }
    }

    /// A signal stops a thread that the kernel had just woken to take the signal.
    #[cold]
    pub(super) fn thread_is_stopped(&mut self, thread: i32, stamped: &Stamped) {
        self.holds.push(stamped);
        let (by, at_ns) = (stamped.thread, stamped.at_ns);
        let followed = self.threads.of(thread).filter(|followed| followed.was_woken_by(by, at_ns, BESIDE_NS));
        followed.into_iter().for_each(|followed| followed.is_to_stop(by));
    }
}
