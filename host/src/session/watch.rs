// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be seen of a measurement while it runs.
use super::heard::{Heard, Hearing};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What can be seen of a measurement while it runs.
#[derive(Default)]
pub struct Watch {
    worst: AtomicU64,
    ended: AtomicBool,
    records: AtomicU64,
    hearing: Mutex<Hearing>,
}

impl Watch {
    /// Takes the largest value so far.
    pub fn saw(&self, worst: u64) {
        self.worst.fetch_max(worst, Ordering::Relaxed);
    }

    /// What was waited for has come: the measurement ends here.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether it ends here.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// A record has come.
    pub fn heard(&self) {
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    /// How many records have come.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// What the probe said so far, for the one who listens to add to.
    pub fn hearing(&self) -> MutexGuard<'_, Hearing> {
        self.hearing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of what the probe said so far; `None` before its first record.
    pub fn so_far(&self) -> Option<Heard> {
        self.hearing().so_far()
    }

    /// The largest value so far, in the unit of the measure; 0 before the first.
    pub fn worst(&self) -> u64 {
        self.worst.load(Ordering::Relaxed)
    }
}
