// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a thread gets a priority above its own.
use crate::event::Thread;

/// A priority that a thread inherited through a lock, on the scale of [`Thread::priority`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loan {
    /// The thread's priority without the lock.
    pub own: i32,
    /// The thread's priority with the lock.
    pub to: i32,
    /// The thread that waited for the lock, if seen.
    pub lender: Option<Thread>,
}

/// How a thread got a priority above its own, on the scale of [`Thread::priority`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Raise {
    /// A thread of higher priority wanted a lock that this thread held, while this thread ran or before.
    Inherited(Loan),
    /// The thread had that higher priority when it left the CPU.
    Left(i32),
    /// Inferred, because no event shows the priority: the kernel did not reschedule for a ready thread of higher priority.
    Unseen,
}

impl Raise {
    pub(crate) fn priority(&self) -> Option<i32> {
        match self {
            Self::Inherited(loan) => Some(loan.to),
            Self::Left(priority) => Some(*priority),
            Self::Unseen => None,
        }
    }
}
