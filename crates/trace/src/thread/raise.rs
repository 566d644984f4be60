// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a thread gets a priority above its own.
use crate::event::Thread;

/// A priority that a thread inherited through a lock, on the scale of [`Thread::priority`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loan {
    /// What it has without the lock.
    pub own: i32,
    /// What it has with it.
    pub to: i32,
    /// Who waited for the lock, if seen.
    pub lender: Option<Thread>,
}

/// How a thread got a priority above its own, on the scale of [`Thread::priority`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Raise {
    /// A thread of higher priority wanted a lock it held, while it ran or before it started.
    Inherited(Loan),
    /// It had that priority when it left the processor.
    Left(i32),
    /// The scheduler did not want the processor back for a thread of higher priority.
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
