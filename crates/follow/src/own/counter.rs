// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that says how many late responses an application has counted, asked again and again by a thread of its own, as the user
//! whose the application is.
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use system::process::{Ended, Leash, finish};
use system::program;
use watch::OwnCount;

/// Between two questions.
const EVERY: Duration = Duration::from_secs(5);
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(10);
/// No longer answer is read.
const MOST_BYTES: u64 = 1 << 20;

/// The program, and what it has said so far.
pub(super) struct Counter {
    answers: Receiver<u64>,
    /// Ends the thread when it is dropped.
    ends: Option<Sender<()>>,
    asks: Option<JoinHandle<()>>,
    /// Its first answer is where the count begins.
    last: Option<u64>,
}

impl Counter {
    /// One that asks about a process; `None` where the recipe knows no program or this machine does not have it.
    pub(super) fn begin(own: &OwnCount, process: i32) -> Option<Self> {
        if own.words.is_empty() {
            return None;
        }
        program::find(OsStr::new(&own.counter), &std::env::var_os("PATH")?).ok()?;
        let ((ends, ended), (says, answers)) = (channel(), channel());
        let own = own.clone();
        let asks = std::thread::Builder::new().name("backwall-count".to_string()).spawn(move || {
            loop {
                let count = asked(&own, process, &ended);
                if count.is_some_and(|count| says.send(count).is_err())
                    || ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout)
                {
                    return;
                }
            }
        });
        Some(Self { answers, ends: Some(ends), asks: asks.ok(), last: None })
    }

    /// Whether it has said anything.
    pub(super) fn has_answered(&self) -> bool {
        self.last.is_some()
    }

    /// How many more it has counted since this was asked last. An application that began anew counts from nothing.
    pub(super) fn new_since(&mut self) -> u64 {
        let Some(now) = self.answers.try_iter().last() else { return 0 };
        let before = self.last.replace(now).unwrap_or(now);
        if now < before { now } else { now - before }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        drop(self.ends.take());
        self.asks.take().map(JoinHandle::join);
    }
}

/// One answer.
fn asked(own: &OwnCount, process: i32, ended: &Receiver<()>) -> Option<u64> {
    let (program, words) = own.words.split_first()?;
    let mut command = Command::new(program);
    command
        .args(words)
        .envs(environment(own, process))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let owner = fs::metadata(format!("/proc/{process}")).ok()?;
    if rustix::process::geteuid().is_root() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    let mut leash = Leash::start(&mut command).ok()?;
    let output = leash.stdout()?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        output.take(MOST_BYTES).read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
    });
    let is_over = || ended.try_recv() != Err(std::sync::mpsc::TryRecvError::Empty);
    let outcome = finish(&mut leash, PATIENCE, &is_over);
    drop(leash);
    let text = reader.join().ok()?;
    matches!(outcome, Ok(Ended::Itself(status)) if status.success()).then_some(())?;
    own.counted(&String::from_utf8_lossy(&text))
}

/// Those variables of the application's environment that the recipe names, and no other: a program that runs with rights is not led by it.
fn environment(own: &OwnCount, process: i32) -> BTreeMap<String, String> {
    let bytes = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    let wanted = pairs.filter(|(name, _)| own.environment.iter().any(|known| known == name));
    wanted.map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(words: &[&str]) -> OwnCount {
        let words = words.iter().map(|word| word.to_string()).collect();
        OwnCount { counter: "sh".to_string(), words, column: "ERR".to_string(), ..OwnCount::default() }
    }

    #[test]
    fn the_program_is_asked_and_what_is_no_table_is_no_answer() {
        let (_ends, ended) = channel();
        let process = std::process::id() as i32;
        assert_eq!(asked(&own(&["sh", "-c", "echo NAME ERR; echo a 3; echo b 4"]), process, &ended), Some(7));
        assert_eq!(asked(&own(&["sh", "-c", "echo NAME ERR; echo a 3; exit 1"]), process, &ended), None);
        assert_eq!(asked(&own(&["sh", "-c", "echo no table"]), process, &ended), None);
        assert_eq!(asked(&own(&["no-such-program-of-ours"]), process, &ended), None);
    }

    #[test]
    fn what_it_counts_is_told_once_and_a_program_that_is_not_here_is_none() {
        let mut counter = Counter::begin(&own(&["sh", "-c", "echo ERR; echo 5"]), std::process::id() as i32).unwrap();
        while !counter.has_answered() {
            assert_eq!(counter.new_since(), 0, "the first answer is where the count begins");
            std::thread::yield_now();
        }
        drop(counter);
        let gone = OwnCount { counter: "no-such-program-of-ours".to_string(), ..own(&["true"]) };
        assert!(Counter::begin(&gone, 1).is_none() && Counter::begin(&OwnCount::default(), 1).is_none());
    }
}
