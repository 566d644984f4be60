// SPDX-License-Identifier: MIT OR Apache-2.0
//! One process of the probe: its stream is read by a thread of its own.
//!
//! Start children from the main thread only: the probe asks the kernel to end
//! it when the thread that started it ends.
use super::affinity::KeptOff;
use crate::exit::unable;
use crate::probe::Probe;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufReader, Read};
use std::process::{ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// From the request to stop to the end by force.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is kept of a process's complaints.
const COMPLAINT_BYTES: u64 = 4096;

/// A running probe process, and the `T` that a thread makes of its stream.
#[derive(Debug)]
pub struct Child<T> {
    process: std::process::Child,
    result: Receiver<T>,
    taken: Option<T>,
    ended: Option<ExitStatus>,
}

impl<T: Send + 'static> Child<T> {
    /// Starts the probe with `arguments`; `listen` reads its standard output to the end on a
    /// thread that keeps off processor `cpu`.
    pub fn start(
        probe: &Probe,
        arguments: &[String],
        cpu: u32,
        listen: impl FnOnce(BufReader<ChildStdout>) -> T + Send + 'static,
    ) -> anyhow::Result<Self> {
        let mut command = probe.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| unable(format!("the probe cannot be started: {error}")))?;
        let stream = process.stdout.take().expect("standard output is a pipe");
        let (sender, result) = sync_channel(1);
        std::thread::spawn(move || {
            let _kept_off = KeptOff::processor(cpu);
            let _ = sender.send(listen(BufReader::with_capacity(1 << 16, stream)));
        });
        Ok(Self { process, result, taken: None, ended: None })
    }

    /// Waits for the end of the stream, at most for `time`; `true` when it has come.
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

    /// Asks the process to end its stream; it may still have something to say.
    pub fn stop(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Ends the process, by force when it does not follow; its result, its status and its complaint.
    pub fn finish(mut self) -> (Option<T>, ExitStatus, String) {
        if !self.wait(PATIENCE) {
            self.signal(Signal::KILL);
            self.wait(PATIENCE);
        }
        let status = self.reap();
        let mut complaint = Vec::new();
        if let Some(stderr) = self.process.stderr.take() {
            let _ = stderr.take(COMPLAINT_BYTES).read_to_end(&mut complaint);
        }
        (self.taken.take(), status, one_line(&complaint))
    }

    fn reap(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return *self.ended.insert(status),
                Ok(None) if start.elapsed() > PATIENCE => self.signal(Signal::KILL),
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl<T> Child<T> {
    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// To its whole group; without effect once it has been waited for.
    fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            let _ = kill_process_group(Pid::from_child(&self.process), signal);
        }
    }
}

impl<T> Drop for Child<T> {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.signal(Signal::KILL);
            let _ = self.process.wait();
        }
    }
}

/// The first line of a complaint, without the probe's name and without control characters.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().next().unwrap_or("");
    line.strip_prefix("probe: ").unwrap_or(line).chars().filter(|letter| !letter.is_control()).collect()
}
