// SPDX-License-Identifier: MIT OR Apache-2.0
//! The past of a CPU: pieces with one holder each, and the stays of threads that they belong to.
use crate::event::{Section, Thread};
use crate::processor::stretch::{Fault, Stay};

pub(super) const NOBODY: u64 = u64::MAX;

pub(super) fn stay_of(number: u64) -> Option<Stay> {
    (number != NOBODY).then_some(Stay(number))
}

/// A stretch as stored; its thread's details may still arrive.
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
    /// Facts from the end of a stay. A thread gets the name it left with: a new one has its creator's name until it sets its own, often
    /// without a switch between.
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
