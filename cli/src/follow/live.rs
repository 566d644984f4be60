// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--live`: the view in the terminal, redrawn each second.
//!
//! It changes no mode of the terminal and does not hide the cursor, so there is nothing to restore, not even after `kill -9`.
//! What the user types is therefore read line by line.
use backwall_ftrace::attached::AttachReport;
use backwall_os::console::complain;
use backwall_report::watch::live::{View, lines};
use backwall_watch::{Recipe, TheWorst};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(1);
const QUITS: &str = "q";
const TEXT: (usize, usize) = (100, 60);

pub struct Live {
    on_terminal: bool,
    drawn: usize,
    due: Instant,
    worst: Option<TheWorst>,
}

impl Live {
    pub fn begin() -> Self {
        Self { on_terminal: backwall_os::console::watched(), drawn: 0, due: Instant::now(), worst: None }
    }

    /// Whether to draw now. Between two reports it draws only on a terminal.
    pub fn is_due(&self) -> bool {
        self.on_terminal && Instant::now() >= self.due
    }

    /// Draws the current figures over the last view. Without a terminal it prints a view only after a report (`has_said`).
    pub fn draw(&mut self, recipe: &Recipe, report: &AttachReport, deadline_ns: Option<u64>, has_said: bool) {
        let longest = report.recent.iter().max_by_key(|recent| recent.ns);
        let is_longer = |ns: u64| self.worst.as_ref().is_none_or(|worst| ns > worst.ns);
        if let Some(longest) = longest.filter(|longest| is_longer(longest.ns)) {
            self.worst = Some(crate::follow::late::told(longest));
        }
        let worst = self.worst.as_ref();
        let view = View { recipe, series: &report.series, chains: &report.chains, worst, deadline_ns };
        if self.on_terminal {
            let drawn = lines(&view, backwall_os::console::columns_of_errors(), backwall_os::console::rows_of_errors());
            backwall_os::console::redraw(&drawn, self.drawn);
            self.drawn = drawn.len();
            self.due = Instant::now() + EVERY;
        } else if has_said {
            lines(&view, TEXT.0, TEXT.1).iter().for_each(|line| complain(line));
        }
    }

    /// Removes the view, so that the next message appears above the next view.
    pub fn clear(&mut self) {
        if self.drawn > 0 {
            backwall_os::console::redraw(&[], self.drawn);
            self.drawn = 0;
        }
    }

    pub fn asked_to_end(&self) -> bool {
        self.on_terminal && backwall_os::console::typed().is_some_and(|line| line == QUITS)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.clear();
    }
}
