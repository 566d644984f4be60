// SPDX-License-Identifier: MIT OR Apache-2.0
//! One probe process. A thread of its own reads its stream.
//!
//! Start children from the main thread only: the kernel ends them when the thread that started them ends.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use crate::device::probe::Probe;
use backwall_os::Stop;
use backwall_os::affinity::KeptOff;
use backwall_os::complaint::not_started;
use backwall_os::process::Leash;
use backwall_os::refusal::{Refusal, Result, unable, usage};
use std::io::{BufReader, Read};
use std::process::{ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(2);
const COMPLAINT_BYTES: u64 = 4096;

#[derive(Debug)]
pub struct Child<T> {
    process: Leash,
    result: Receiver<T>,
    taken: Option<T>,
}

pub struct ProbeEnd<T> {
    pub result: Option<T>,
    pub status: ExitStatus,
    pub why: String,
}

impl<T> ProbeEnd<T> {
    pub fn refusal(&self, of: &str) -> Refusal {
        refusal(self.status, format!("{of}: {}", self.why))
    }
}

/// Exit codes of a probe that has measured nothing (probe/exit.h): wrong arguments, and real-time priority refused.
const WRONG_ARGUMENTS: i32 = 2;
const NO_RIGHT: i32 = 5;

pub(crate) fn refusal(status: ExitStatus, text: String) -> Refusal {
    match status.code() {
        Some(NO_RIGHT) => no_right(),
        Some(WRONG_ARGUMENTS) => usage(text),
        _ => unable(text),
    }
}

/// backwall writes this message, because the probe cannot know how to get the permission on this machine or in this container.
fn no_right() -> Refusal {
    Refusal::NoRight { what: "real-time priority".into(), remedy: backwall_tuning::check::rights_remedy() }
}

impl<T: Send + 'static> Child<T> {
    /// Starts the probe with `arguments`. A thread that stays off the CPUs in `cpus` reads its standard output to the end with
    /// `listen`.
    pub fn start(
        probe: &Probe,
        arguments: &[String],
        cpus: &[u32],
        listen: impl FnOnce(BufReader<ChildStdout>) -> T + Send + 'static,
    ) -> Result<Self> {
        Self::start_with(probe, arguments, cpus, Stdio::null(), listen)
    }

    pub fn start_with(
        probe: &Probe,
        arguments: &[String],
        cpus: &[u32],
        input: Stdio,
        listen: impl FnOnce(BufReader<ChildStdout>) -> T + Send + 'static,
    ) -> Result<Self> {
        let mut command = probe.command(arguments);
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let refused = |error| unable(format!("cannot start the probe: {}", not_started(&error)));
        let mut process = Leash::start(&mut command).map_err(refused)?;
        let stream = process.stdout().expect("standard output is a pipe");
        let (sender, result) = sync_channel(1);
        let cpus = cpus.to_vec();
        let hear = move || {
            let _kept_off = KeptOff::processors(&cpus);
            let _ = sender.send(listen(BufReader::with_capacity(1 << 16, stream)));
        };
        std::thread::Builder::new().spawn(hear).map_err(|error| unable(no_thread(&error)))?;
        Ok(Self { process, result, taken: None })
    }

    pub fn wait(&mut self, time: Duration) -> bool {
        if self.taken.is_some() {
            return true;
        }
        match self.result.recv_timeout(time) {
            Ok(heard) => self.taken = Some(heard),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => {}
        }
        true
    }

    /// Asks the process to end its stream. It may still write some records.
    pub fn stop(&mut self) {
        self.process.ask_to_end();
    }

    /// Waits until the stream ends, the user stops or `limit` has passed, and calls `look` at intervals. Then ends the process.
    pub fn attend(mut self, stop: &Stop, limit: Duration, mut look: impl FnMut(Duration, u32)) -> ProbeEnd<T> {
        let begun = Instant::now();
        let mut hangs = false;
        while !self.wait(LOOK) {
            look(begun.elapsed(), self.id());
            hangs = begun.elapsed() > limit;
            if hangs || stop.asked() {
                self.stop();
                break;
            }
        }
        let (result, status, complaint) = self.finish();
        let why = match (complaint.is_empty(), hangs) {
            (_, true) => "the probe exceeded its time, so backwall ended it".to_string(),
            (true, _) => status.to_string(),
            _ => complaint,
        };
        ProbeEnd { result, status, why }
    }

    /// Ends the process, by force if it does not react. Returns its result, its status and its error output.
    pub fn finish(mut self) -> (Option<T>, ExitStatus, String) {
        if !self.wait(PATIENCE) {
            self.process.kill();
            self.wait(PATIENCE);
        }
        let status = self.reap();
        let mut complaint = Vec::new();
        if let Some(stderr) = self.process.stderr() {
            let _ = stderr.take(COMPLAINT_BYTES).read_to_end(&mut complaint);
        }
        let complaint = match status.code() {
            Some(NO_RIGHT) => no_right().to_string(),
            _ => one_line(&complaint),
        };
        (self.taken.take(), status, complaint)
    }

    fn reap(&mut self) -> ExitStatus {
        loop {
            if let Ok(Some(status)) = self.process.wait(PATIENCE, &|| false) {
                return status;
            }
            self.process.kill();
        }
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

pub(crate) fn no_thread(error: &std::io::Error) -> String {
    format!("cannot start a thread: {}", not_started(error))
}

/// The first line of the probe's error output, without its program name and control characters.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().next().unwrap_or("");
    line.strip_prefix("probe: ").unwrap_or(line).chars().filter(|letter| !letter.is_control()).collect()
}
