// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bar on standard error: how far, the worst so far, the time left.
use crate::units::{Shown, Unit};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Fits a terminal of 80 columns: a wider line would wrap at each step.
const SHAPE: &str = "{prefix:29!} [{bar:12}] {msg}";

/// A bar over a whole session; invisible unless standard error is a terminal.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    before: Duration,
}

impl Bar {
    /// A bar for a session of `whole` length.
    pub fn new(whole: Duration, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(whole.as_millis() as u64), target);
        let style = ProgressStyle::with_template(SHAPE).expect("a constant template");
        bar.set_style(style.progress_chars("=> "));
        Self { bar, before: Duration::ZERO }
    }

    /// Begins a phase.
    pub fn phase(&self, name: &str) {
        self.bar.set_prefix(name.to_string());
    }

    /// `elapsed` of the current phase has passed; `worst` is its largest value.
    pub fn show(&self, elapsed: Duration, worst: u64, unit: Unit) {
        let whole = Duration::from_millis(self.bar.length().unwrap_or(0));
        let passed = (self.before + elapsed).min(whole);
        self.bar.set_position(passed.as_millis() as u64);
        let left = (whole - passed).as_secs_f64().ceil();
        self.bar.set_message(format!("worst {}, {left:.0} s left", Shown(worst, unit)));
    }

    /// A phase of planned length `length` is over.
    pub fn passed(&mut self, length: Duration) {
        self.before += length;
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
