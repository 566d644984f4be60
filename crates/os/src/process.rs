// SPDX-License-Identifier: MIT OR Apache-2.0
//! Child processes that end at the latest with this process or their time limit.
//!
//! Each has its own process group, so that Ctrl-C reaches only this process, which then ends them. A command that the user
//! watches shares the terminal and the group instead. Start children from a thread that lives as long as they do: the kernel
//! kills them when that thread ends.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the clock, sleeps"
)]
use rustix::process::{Pid, Signal, getppid, kill_process, kill_process_group, set_parent_process_death_signal};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Time for a child to write its output after the request to end.
const LAST_WORDS: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildEnd {
    Itself(ExitStatus),
    Limit,
    /// The user asked backwall to stop, so backwall asked the process to end.
    Stopped,
}

/// A child process. When this value is dropped, the child and its process group are killed.
#[derive(Debug)]
pub struct Leash {
    child: Child,
    ended: Option<ExitStatus>,
    leads: bool,
}

impl Leash {
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        Self::begin(command.process_group(0), true)
    }

    pub fn start_apart(command: &mut Command) -> std::io::Result<Self> {
        Self::begin(command, true)
    }

    /// Starts `command` in backwall's own process group, so that it shares the terminal and gets Ctrl-C itself.
    pub fn share_terminal(command: &mut Command) -> std::io::Result<Self> {
        Self::begin(command, false)
    }

    fn begin(command: &mut Command, leads: bool) -> std::io::Result<Self> {
        let parent = Pid::from_raw(std::process::id() as i32);
        // SAFETY: between fork and exec only prctl and getppid are called, which are async-signal-safe.
        unsafe {
            command.pre_exec(move || die_with(parent));
        }
        Ok(Self { child: command.spawn()?, ended: None, leads })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Asks the child to end. It may still write some output.
    pub fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Waits for the child's end; `None` after `limit` or when `stop` is set.
    pub fn wait(&mut self, limit: Duration, stop: &dyn Fn() -> bool) -> std::io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            if self.ended.is_none() {
                self.ended = self.child.try_wait()?;
            }
            if self.ended.is_some() || start.elapsed() >= limit || stop() {
                return Ok(self.ended);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Sends a signal to the child's whole group. Does nothing once the child has been waited for, because another process may
    /// have the child's number by then.
    fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            let to = if self.leads { kill_process_group } else { kill_process };
            // An error means that the process has already ended.
            let _ = to(Pid::from_child(&self.child), signal);
        }
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.kill();
            let _ = self.child.wait();
        }
    }
}

pub fn run(command: &mut Command, limit: Duration, stop: &dyn Fn() -> bool) -> std::io::Result<ChildEnd> {
    finish(&mut Leash::start(command)?, limit, stop)
}

pub fn finish(leash: &mut Leash, limit: Duration, stop: &dyn Fn() -> bool) -> std::io::Result<ChildEnd> {
    match leash.wait(limit, stop)? {
        Some(status) => Ok(ChildEnd::Itself(status)),
        None if stop() => {
            leash.ask_to_end();
            leash.wait(LAST_WORDS, &|| false).map(|_| ChildEnd::Stopped)
        }
        None => Ok(ChildEnd::Limit),
    }
}

/// Collects a program's output to its end; `None` if `stop` came first, and then the program and its children are killed.
pub fn output(command: &mut Command, stop: &dyn Fn() -> bool) -> std::io::Result<Option<Output>> {
    let mut leash = Leash::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    // Reads in parallel, because a full pipe would block the program.
    let (stdout, stderr) = (leash.stdout().map(read_beside).transpose()?, leash.stderr().map(read_beside).transpose()?);
    let Some(status) = leash.wait(Duration::MAX, stop)? else { return Ok(None) };
    let whole = |reader: Option<JoinHandle<Vec<u8>>>| reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
    Ok(Some(Output { status, stdout: whole(stdout), stderr: whole(stderr) }))
}

fn read_beside(mut pipe: impl Read + Send + 'static) -> std::io::Result<JoinHandle<Vec<u8>>> {
    std::thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Called in a new child: asks the kernel to kill the child when the thread that started the child ends.
fn die_with(parent: Option<Pid>) -> std::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before the request took effect.
    if getppid() == parent { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn a_child_that_runs_too_long_is_killed() {
        let begun = Instant::now();
        let ended = run(Command::new("sleep").arg("600"), Duration::from_millis(20), &|| false).unwrap();
        assert_eq!(ended, ChildEnd::Limit);
        assert!(begun.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn a_child_is_asked_to_end_when_the_user_stops() {
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 2;
        let ended = run(Command::new("sleep").arg("600"), Duration::from_secs(500), &stop).unwrap();
        assert_eq!(ended, ChildEnd::Stopped);
    }

    #[test]
    fn a_child_that_ends_tells_its_status() {
        let ended = run(Command::new("false").args(["x"]), Duration::from_secs(60), &|| false).unwrap();
        assert!(matches!(ended, ChildEnd::Itself(status) if status.code() == Some(1)));
    }

    #[test]
    fn what_a_program_says_is_read_whole_and_one_that_is_stopped_is_gone_with_what_it_started() {
        let script = "head -c 300000 /dev/zero; echo why >&2; exit 3";
        let said = output(Command::new("sh").args(["-c", script]), &|| false).unwrap().unwrap();
        assert_eq!((said.status.code(), said.stdout.len(), &said.stderr[..]), (Some(3), 300_000, &b"why\n"[..]));
        let top = tempfile::tempdir().unwrap();
        let begun = top.path().join("begun");
        let script = format!("sleep 600 & echo $! >{0}.part; mv {0}.part {0}; wait", begun.display());
        assert!(output(Command::new("sh").args(["-c", &script]), &|| begun.exists()).unwrap().is_none());
        gone(std::fs::read_to_string(&begun).unwrap().trim());
    }

    #[test]
    fn the_whole_group_goes_with_the_leash() {
        let mut command = Command::new("sh");
        let mut leash = Leash::start(command.args(["-c", "sleep 600 & echo $!; wait"]).stdout(Stdio::piped())).unwrap();
        let mut line = String::new();
        BufReader::new(leash.stdout().unwrap()).read_line(&mut line).unwrap();
        drop(leash);
        gone(line.trim());
    }

    fn gone(process: &str) {
        let status = format!("/proc/{process}/status");
        let lives = || std::fs::read_to_string(&status).is_ok_and(|text| !text.contains("State:\tZ"));
        let begun = Instant::now();
        while lives() {
            assert!(begun.elapsed() < Duration::from_secs(300), "{process} still runs");
            std::thread::sleep(LOOK_EVERY);
        }
    }
}
