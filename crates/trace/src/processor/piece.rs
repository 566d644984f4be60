// SPDX-License-Identifier: MIT OR Apache-2.0
//! A CPU's past: pieces with one holder each, and the stays of threads on the CPU that the pieces belong to.
use crate::event::{Section, Thread};
use crate::processor::stretch::{Fault, Stay};

pub(super) const NOBODY: u64 = u64::MAX;

pub(super) fn stay_of(number: u64) -> Option<Stay> {
    (number != NOBODY).then_some(Stay(number))
}

/// A stretch as it is stored. What is known of its thread may still change.
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
    /// Learns from the switch that ends the stay on the CPU. The name is the one at that switch: a new thread has its creator's
    /// name until it sets its own, often without a switch between.
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
