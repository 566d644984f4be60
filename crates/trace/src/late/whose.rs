// SPDX-License-Identifier: MIT OR Apache-2.0
//! The choice of threads whose responses are explained.
use crate::event::Thread;

/// The threads whose responses are explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Every real-time and deadline thread.
    RealTime,
    /// Every thread.
    All,
    /// One thread, by its number.
    Number(i32),
    /// Several threads, by their numbers.
    Numbers(Vec<i32>),
    /// The threads with this name.
    Name(String),
}

impl Whose {
    /// Whether the thread is chosen; `None` if that depends on a name that is not recorded yet.
    #[inline]
    pub(super) fn has(&self, id: i32, named: Option<Thread>) -> Option<bool> {
        match self {
            Whose::RealTime => named.map(|thread| !thread.is_ordinary()),
            Whose::All => Some(true),
            Whose::Number(wanted) => Some(id == *wanted),
            Whose::Numbers(wanted) => Some(wanted.contains(&id)),
            Whose::Name(name) => named.map(|thread| thread.name.is_shown_as(name)),
        }
    }

    pub(super) fn is_real_time(&self) -> bool {
        *self == Whose::RealTime
    }

    pub(super) fn numbers(&self) -> &[i32] {
        match self {
            Whose::Number(number) => std::slice::from_ref(number),
            Whose::Numbers(numbers) => numbers,
            _ => &[],
        }
    }
}
