// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a response before its thread moved to another CPU or was woken, and who used that time.
use crate::blame::explain::Part;
use crate::blame::{Cause, Culprit};

/// A move at most this long after the wakeup is the waker's choice of a runqueue.
pub(super) const CHOOSES_NS: u64 = 20_000;

#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) began_ns: u64,
    pub(super) timed: bool,
    pub(super) from_page: bool,
    pub(super) at_ns: u64,
    pub(super) parts: Vec<Part>,
}

impl Moved {
    pub(super) fn kept(from_ns: u64, to_ns: u64, (cause, culprit): (Cause, Option<Culprit>)) -> Self {
        let parts = Part { from_ns, to_ns, cause, culprit }.within(from_ns, to_ns).into_iter().collect();
        Self { began_ns: from_ns, timed: true, from_page: false, at_ns: to_ns, parts }
    }

    pub(super) fn for_page(from_ns: u64, to_ns: u64) -> Self {
        Self { timed: false, from_page: true, ..Self::kept(from_ns, to_ns, (Cause::PageFault, None)) }
    }
}
