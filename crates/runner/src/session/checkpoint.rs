// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checkpoints: a separate thread writes the run so far at intervals, so that little is lost if backwall is killed or the machine
//! fails.
//!
//! A slow disk delays the next checkpoint and nothing else.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use backwall_model::{Run, Warning};
use backwall_os::refusal::Result;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_secs(1);

pub struct Checkpoints {
    every: Duration,
    due: Instant,
    runs: Option<SyncSender<Box<Run>>>,
    writer: Option<JoinHandle<Failures>>,
}

#[derive(Debug, Default)]
struct Failures {
    count: u64,
    first: Option<String>,
}

impl Checkpoints {
    /// Writes a checkpoint each time the interval `every` has passed. `save` writes the file and must replace it atomically.
    pub fn begin(every: Duration, mut save: impl FnMut(&Run) -> Result<()> + Send + 'static) -> Self {
        let (runs, waiting) = sync_channel::<Box<Run>>(1);
        let write = move || {
            let mut failures = Failures::default();
            while let Ok(run) = waiting.recv() {
                if let Err(error) = save(&run) {
                    failures.count += 1;
                    failures.first.get_or_insert(format!("{error:#}"));
                }
            }
            failures
        };
        // If the system cannot start a thread, the run is written only once, at the end.
        let writer = std::thread::Builder::new().name(backwall_model::CHECKPOINT_THREAD.into()).spawn(write).ok();
        Self { every, due: Instant::now() + FIRST.min(every), runs: Some(runs), writer }
    }

    /// Writes the run from `so_far` if a checkpoint is due; most calls return at once. If the previous checkpoint is still being
    /// written, a later call retries.
    pub fn look(&mut self, so_far: impl FnOnce() -> Option<Run>) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        let Some(run) = so_far() else { return };
        let sent = self.runs.as_ref().map(|runs| runs.try_send(Box::new(run)));
        if !matches!(sent, Some(Err(TrySendError::Full(_)))) {
            self.due = now + self.every;
        }
    }

    pub fn hurry(&mut self) {
        self.due = Instant::now();
    }

    /// Waits until the last checkpoint is written. Returns a warning if some could not be written.
    pub fn finish(mut self) -> Option<Warning> {
        self.runs = None;
        let Failures { count, first } = self.writer.take()?.join().unwrap_or_default();
        let said = |error| format!("checkpoints not written: {count}; the first: {error}");
        first.map(|error| Warning::new("no-checkpoint", said(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Origin, Plan};
    use backwall_os::refusal::unable;
    use std::sync::{Arc, Mutex};

    fn run(seconds: f64) -> Run {
        Run { seconds, ..Run::begin(Origin::Measured, Plan::default(), vec![], jiff::Timestamp::UNIX_EPOCH) }
    }

    #[test]
    fn nothing_is_written_before_it_is_time_and_the_last_one_is_written_before_the_end() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let seen = written.clone();
        let save = move |run: &Run| {
            seen.lock().unwrap().push(run.seconds);
            Ok(())
        };
        let mut checkpoints = Checkpoints::begin(Duration::from_secs(3_600), save);
        checkpoints.look(|| panic!("too early"));
        checkpoints.hurry();
        checkpoints.look(|| None);
        checkpoints.look(|| Some(run(1.0)));
        checkpoints.look(|| panic!("too early again"));
        assert_eq!((checkpoints.finish(), written.lock().unwrap().as_slice()), (None, &[1.0][..]));
    }

    #[test]
    fn a_disk_that_takes_long_delays_checkpoints_and_nobody_who_asks_for_one() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let save = move |_: &Run| {
            let _ = held.recv();
            Err(unable("the disk is full"))
        };
        let mut checkpoints = Checkpoints::begin(Duration::ZERO, save);
        // One checkpoint is being written and one waits. The rest are skipped without blocking the caller.
        (0..50).for_each(|number| checkpoints.look(|| Some(run(f64::from(number)))));
        drop(hold);
        let said = checkpoints.finish().unwrap();
        assert!(said.text.ends_with("the first: the disk is full"), "{said}");
        assert!(["1;", "2;"].iter().any(|count| said.text.contains(count)), "{said}");
    }
}
