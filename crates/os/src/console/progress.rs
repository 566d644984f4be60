// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows the progress of a command on standard error: lines that are redrawn in place on a terminal, and one line per minute
//! elsewhere.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]

use crate::parallel;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval between two redraws on a terminal, and the delay before the first.
const REDRAWN: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(2);
const BEAT: Duration = Duration::from_secs(60);

/// The progress lines of one command. When this value is dropped, it clears the lines.
#[derive(Debug)]
pub struct Progress {
    place: Option<Place>,
    shown: Mutex<ProgressLine>,
}

#[derive(Debug, Default)]
struct ProgressLine {
    at: Option<Instant>,
    lines: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Terminal,
    Log,
}

impl Progress {
    /// The progress lines of a command that begins. With `quiet` nothing is shown.
    pub fn new(quiet: bool) -> Self {
        let place = if crate::console::watched() { Place::Terminal } else { Place::Log };
        let first = (place == Place::Log).then(Instant::now);
        Self { place: (!quiet).then_some(place), shown: Mutex::new(ProgressLine { at: first, lines: 0 }) }
    }

    /// Shows rows of parts, as many as fit on the terminal. In each row the most important part comes first. Most calls come too
    /// early and do nothing.
    pub fn show(&self, rows: impl FnOnce() -> Vec<Vec<String>>) {
        let Some(place) = self.place else { return };
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if !is_due(place, shown.at, now) {
            return;
        }
        shown.at = Some(now);
        match place {
            Place::Terminal => {
                let columns = crate::console::columns_of_errors();
                let lines: Vec<String> = rows().iter().map(|parts| fitted(parts, columns)).collect();
                crate::console::redraw(&lines, shown.lines);
                shown.lines = lines.len();
            }
            Place::Log => crate::console::complain(&format!("backwall: {}", rows().concat().join(", "))),
        }
    }

    pub fn say(&self, line: &str) {
        if self.place == Some(Place::Terminal) {
            self.clear();
            crate::console::complain(line);
        }
    }

    fn clear(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if self.place == Some(Place::Terminal) && shown.at.is_some() {
            crate::console::redraw(&[], shown.lines);
            shown.lines = 0;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn is_due(place: Place, shown: Option<Instant>, now: Instant) -> bool {
    let every = if place == Place::Terminal { REDRAWN } else { BEAT };
    shown.is_none_or(|shown| now.saturating_duration_since(shown) >= every)
}

/// Joins as many parts as fit, leaving the last column free because a terminal wraps a full line. If the first part alone is too
/// long, it is truncated.
fn fitted(parts: &[String], columns: usize) -> String {
    let room = columns.saturating_sub(1);
    if let Some(first) = parts.first().filter(|first| first.chars().count() > room) {
        return first.chars().take(room).collect();
    }
    let mut line = String::new();
    for part in parts {
        let gap = if line.is_empty() { "" } else { "  " };
        if line.chars().count() + gap.len() + part.chars().count() > room {
            break;
        }
        line.push_str(gap);
        line.push_str(part);
    }
    line
}

pub fn bar(share: f64) -> String {
    const PLACES: usize = 10;
    let filled = (share.clamp(0.0, 1.0) * PLACES as f64) as usize;
    format!("[{:<PLACES$}]", "=".repeat(filled))
}

/// Calls `each` for every item on up to `jobs` threads, and shows how many are done. `of` names the items.
pub fn each_of<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    of: &'static str,
    quiet: bool,
    each: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (all, done) = (items.len(), Arc::new(AtomicUsize::new(0)));
    let seen = done.clone();
    let _shown = Activity::begin(quiet, move || format!("{} of {all} {of}", seen.load(Ordering::Relaxed)));
    parallel::map(items, jobs, |item| {
        let result = each(item);
        done.fetch_add(1, Ordering::Relaxed);
        result
    })
}

/// Shows that work of unknown length continues. Dropping it ends the display.
#[derive(Debug)]
pub struct Activity {
    progress: Arc<Progress>,
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Activity {
    /// Starts the display. After two seconds it shows `what` and the time so far.
    pub fn begin(quiet: bool, what: impl Fn() -> String + Send + 'static) -> Self {
        let progress = Arc::new(Progress::new(quiet));
        let (over, end) = mpsc::channel();
        let shown = progress.clone();
        let begun = Instant::now();
        let watch = move || {
            let mut pause = PATIENCE;
            while end.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                shown.show(|| vec![vec![format!("{} s", begun.elapsed().as_secs()), what()]]);
                pause = REDRAWN;
            }
        };
        // If the thread cannot be started, the work continues without a display.
        let thread = if quiet { None } else { std::thread::Builder::new().spawn(watch).ok() };
        Self { progress, over: Some(over), thread }
    }

    pub fn say(&self, line: &str) {
        self.progress.say(line);
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        drop(self.over.take());
        // A panic of the thread was already printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_reaches_the_last_column_whatever_the_terminal() {
        let parts = ["34 s left", "worst 1,812.9 us", "[=====     ]", "load all, idle states off"].map(String::from);
        assert_eq!(fitted(&parts, 80), parts.join("  "));
        assert_eq!(fitted(&parts, 50), parts[..3].join("  "));
        for columns in 0..120 {
            assert!(fitted(&parts, columns).chars().count() < columns.max(1), "{columns}");
        }
    }

    #[test]
    fn a_log_hears_nothing_before_a_minute_and_a_terminal_at_once() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        assert!(is_due(Place::Terminal, None, begun));
        assert!(!is_due(Place::Log, Some(begun), after(59)) && is_due(Place::Log, Some(begun), after(60)));
        assert!(is_due(Place::Terminal, Some(begun), after(1)));
    }

    #[test]
    fn a_bar_is_as_long_as_the_share_and_never_longer_than_its_place() {
        assert_eq!(
            [-1.0, 0.0, 0.55, 1.0, 7.0].map(bar),
            ["[          ]", "[          ]", "[=====     ]", "[==========]", "[==========]"]
        );
    }
}
