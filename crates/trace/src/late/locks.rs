// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread that waits for a lock, and what kept the thread from getting it.
//!
//! A call of `futex` shows that a thread asks for a lock, and so does a priority that it lends to the holder. The thread waits
//! from when it leaves the CPU until the holder releases the lock and makes it ready. The events of the holder's CPU show what
//! happened meanwhile.
use crate::blame::accuse::not_below;
use crate::blame::{Blame, Cause, Culprit, More};
use crate::event::Thread;
use crate::processor::{Holder, Stretch};

#[derive(Clone, Debug, Default)]
pub(super) enum Lock {
    #[default]
    None,
    /// The thread asked for a lock and still has the CPU. Contains the lock's holder, if recorded.
    Asked(Option<i32>),
    Waits {
        since_ns: u64,
        holder: Option<i32>,
    },
    Given(Box<Waited>),
}

#[derive(Clone, Debug)]
pub(super) struct Waited {
    pub(super) since_ns: u64,
    pub(super) blame: Blame,
}

impl Lock {
    pub(super) fn asks(&mut self, holder: Option<i32>) {
        if let Lock::None | Lock::Asked(_) = self {
            let known = if let Lock::Asked(known) = self { *known } else { None };
            *self = Lock::Asked(holder.or(known));
        }
    }

    pub(super) fn asks_no_more(&mut self) {
        if let Lock::Asked(_) = self {
            *self = Lock::None;
        }
    }

    pub(super) fn leaves(&mut self, at_ns: u64, preempted: bool) {
        match self {
            Lock::Asked(_) if preempted => {}
            Lock::Asked(holder) => *self = Lock::Waits { since_ns: at_ns, holder: *holder },
            _ => *self = Lock::None,
        }
    }

    /// Forgets a lock if the response that waited for it has no known end: the next response did not wait for this lock.
    pub(super) fn was_given_unseen(&mut self) {
        if let Lock::Given(_) = self {
            *self = Lock::None;
        }
    }

    /// The thread got a CPU: takes its wait for a lock, if it had one.
    pub(super) fn taken(&mut self) -> Option<Waited> {
        match std::mem::take(self) {
            Lock::Given(waited) => Some(*waited),
            _ => None,
        }
    }
}

/// Divides a thread's wait for a lock among the causes of the wait. The stretches come from the holder's CPU.
pub(super) fn divided(waiter: &Thread, holder: &Thread, stretches: &[Stretch]) -> Blame {
    let mut blame = Blame::default();
    for stretch in stretches {
        let (cause, culprit) = accused(waiter, holder, stretch);
        blame.add(cause, culprit, stretch.to_ns - stretch.from_ns);
    }
    blame
}

fn accused(waiter: &Thread, holder: &Thread, stretch: &Stretch) -> (Cause, Option<Culprit>) {
    let held = Some(Culprit::from(Holder::Thread(*holder)));
    match stretch.holder() {
        Holder::Unknown => (Cause::Unexplained, None),
        Holder::Section(section) => (Cause::Interference, Some(Holder::Section(section).into())),
        Holder::Thread(thread) if thread.id == holder.id => (Cause::LockHeld, held),
        // The running thread has at least the waiter's priority, so it delays the waiter even without the lock.
        Holder::Thread(thread)
            if thread.priority <= waiter.priority && !(thread.is_ordinary() && waiter.is_ordinary()) =>
        {
            (Cause::Interference, Some(not_below(stretch, thread)))
        }
        // A thread of lower priority than the holder was running, so the holder was not ready.
        Holder::Thread(thread) if holder.priority < thread.priority && !holder.is_ordinary() => (Cause::LockHeld, held),
        Holder::Thread(thread) => {
            let culprit = Culprit { holder: Holder::Thread(thread), more: More::WhileHeldBy(*holder) };
            (Cause::Inversion, Some(culprit))
        }
        Holder::Idle => (Cause::LockHeld, held),
    }
}
