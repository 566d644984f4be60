// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a session is: the time left, the worst so far, the phase.
use crate::progress::{Progress, bar};
use crate::units::{Shown, Unit};
use std::time::Duration;

/// Progress of a whole session.
#[derive(Debug)]
pub struct Bar {
    progress: Progress,
    whole: Duration,
    before: Duration,
    phase: String,
}

impl Bar {
    /// A bar for a session of `whole` length.
    pub fn new(whole: Duration, quiet: bool) -> Self {
        Self { progress: Progress::new(quiet), whole, before: Duration::ZERO, phase: String::new() }
    }

    /// Begins a phase.
    pub fn phase(&mut self, name: &str) {
        self.phase = name.to_string();
    }

    /// `elapsed` of the current phase has passed; `worst` is its largest value.
    pub fn show(&self, elapsed: Duration, worst: u64, unit: Unit) {
        let passed = (self.before + elapsed).min(self.whole);
        let left = (self.whole - passed).as_secs_f64().ceil();
        let share = passed.as_secs_f64() / self.whole.as_secs_f64().max(f64::MIN_POSITIVE);
        self.progress.show(|| {
            vec![format!("{left:.0} s left"), format!("worst {}", Shown(worst, unit)), self.phase.clone(), bar(share)]
        });
    }

    /// A phase of planned length `length` is over.
    pub fn passed(&mut self, length: Duration) {
        self.before += length;
    }
}
