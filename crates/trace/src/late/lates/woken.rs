// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wakeups: what a thread waited for before it was made ready.
use super::{Asked, Lates, OWN_WAY_NS, named};
use crate::event::Stamped;
use crate::late::followed::Stimulus;
use crate::late::locks::Lock;
use crate::late::moved::Moved;
use crate::late::timers::Fired;
use crate::late::wakers::{Before, Chain};
use crate::processor::Processor;

impl Lates {
    #[inline(always)]
    pub(super) fn thread_woken(&mut self, id: i32, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let Some(followed) = named(&mut self.threads, id, (&mut self.unseen, &mut self.told), &self.question.whose)
        else {
            return;
        };
        let reached = followed.wakes(cpu, stamped, processor);
        let gets_lock = matches!(followed.lock, Lock::Waits { .. });
        if let Some(reached) = reached {
            self.thread_reached(id, reached, cpu, processor);
        }
        let Some(followed) = self.threads.of(id) else { return };
        let fired = if self.question.timers { self.timers.of(cpu, id) } else { None };
        followed.fired(cpu, fired);
        self.relies |= fired.is_some();
        let waker = Some(stamped.thread).filter(|waker| stamped.in_thread && ![0, id].contains(waker));
        if let (None, Some(waker)) = (fired, waker) {
            followed.woken_at(stamped.at_ns, waker);
        }
        let page_ns = followed.away_for_page(stamped.at_ns);
        let frozen = followed.thaws().filter(|_| fired.is_none()).zip(waker);
        let far = fired.copied().filter(|fired| stamped.at_ns - fired.expiry_at > OWN_WAY_NS);
        if gets_lock {
            self.thread_gets_lock(id, *stamped, processor);
        }
        if let Some(fired) = far {
            self.waits_behind_timer(id, fired, stamped.at_ns, cpu, processor);
        } else if let Some((fired, thawer)) = frozen {
            self.thread_thaws(id, &fired, thawer, stamped.at_ns);
        } else if let Some(ns) = page_ns {
            let moved = Moved::for_page(stamped.at_ns.saturating_sub(ns), stamped.at_ns);
            if let Some(followed) = self.threads.of(id) {
                followed.waits_behind(Before::Own(Box::new(moved)));
            }
        } else if let Some(waker) = waker.filter(|_| self.follows_wakers || self.holds.has_freezer()) {
            self.waits_behind_waker(id, waker, stamped.at_ns);
        }
    }

    /// The thread's own timer wakes it late. Divides this lateness now: the thread may get another CPU, whose past cannot
    /// explain it.
    #[cold]
    #[inline(never)]
    pub(super) fn waits_behind_timer(&mut self, id: i32, fired: Fired, at_ns: u64, cpu: u32, processor: &Processor) {
        let Some(came) = self.threads.of(id).and_then(|followed| followed.is_woken(at_ns)) else { return };
        let stimulus = Stimulus { timer: Some(fired), ..Stimulus::default() };
        let asked =
            Asked { id, came, stimulus: &stimulus, cpu, until_ns: at_ns, works_from: None, away: None, used_up: None };
        let parts = self.parts_where_allowed(&asked, processor);
        let moved = Moved { began_ns: fired.expiry_at, timed: true, from_page: false, at_ns, parts };
        if let Some(followed) = self.threads.of(id) {
            followed.waits_behind(Before::Own(Box::new(moved)));
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn waits_behind_waker(&mut self, id: i32, waker: i32, at_ns: u64) {
        if self.holds.freezes(waker, at_ns) {
            return self.threads.of(id).into_iter().for_each(|followed| followed.is_to_stop(waker));
        }
        if !self.follows_wakers {
            return;
        }
        let Some(waker) = self.threads.of(waker) else { return };
        let (by, named) = (waker.id, waker.named().filter(|thread| !thread.is_ordinary()));
        let late = match (waker.came_at(), &waker.late) {
            (Some(came_at), Some(late)) => Some((came_at, late.clone())),
            (None, _) => named.map(|thread| (0, Chain::missing(thread))),
            _ => None,
        };
        if let (Some((came_at, late)), Some(followed)) = (late, self.threads.of(id))
            && late.makes_late(followed.named())
        {
            followed.woken_by(by, came_at, late);
        }
    }
}
