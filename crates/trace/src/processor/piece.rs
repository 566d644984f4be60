// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is kept of a processor's past: pieces of one holder each, and the stays of threads that they are parts of.
use crate::event::{Section, Thread};
use crate::stretch::{Fault, Stay};

pub(super) const NOBODY: u64 = u64::MAX;

/// A number as it is kept, which takes no more room than it must.
pub(super) fn stay_of(number: u64) -> Option<Stay> {
    (number != NOBODY).then_some(Stay(number))
}

/// A stretch as it is kept; what is known of its thread may still grow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) stay: u64,
    pub(super) section: Option<Section>,
    pub(super) asked: bool,
    pub(super) fault: Fault,
    pub(super) timers: u32,
    pub(super) named: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spell {
    pub(super) from_ns: u64,
    pub(super) thread: Thread,
    pub(super) left: Option<i32>,
}

impl Spell {
    /// What the record of its end tells. A thread is named by the name that it left with: a new one has its maker's name
    /// until it gives itself its own, often without leaving the processor between.
    #[inline(always)]
    pub(super) fn learn(&mut self, left: &Thread) {
        if self.thread.priority == i32::MAX {
            self.thread = *left;
        } else if left.priority < self.thread.priority {
            self.left = Some(left.priority);
        }
        self.thread.name = left.name;
    }
}
