// SPDX-License-Identifier: MIT OR Apache-2.0
//! A child process that cannot outlive this one, nor its time limit.
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often a running child is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself(ExitStatus),
    /// Killed, because its time was over.
    Limit,
    /// Asked to end, because the user asked us.
    Stopped,
}

/// How long a child that was asked to end may take to write what it has.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Kills the child when the owner goes away.
struct Leash(Child);

impl Drop for Leash {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Leash {
    /// Looks at the child until it ends; `None` when `deadline` or `stop` comes first.
    fn wait_until(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> std::io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline || stop() {
                return Ok(None);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn ask_to_end(&mut self) -> std::io::Result<()> {
        // SAFETY: a plain system call; the child has not been waited for, so its number is still its own.
        unsafe { libc::kill(self.0.id() as libc::pid_t, libc::SIGTERM) };
        self.wait_until(Instant::now() + LAST_WORDS, &|| false).map(|_| ())
    }
}

/// Runs `command` to its end, for `limit`, or until `stop`. The kernel kills it when the calling thread ends, for whatever
/// reason.
pub fn run(command: &mut Command, limit: Duration, stop: &dyn Fn() -> bool) -> std::io::Result<Ended> {
    let parent = std::process::id();
    // SAFETY: between fork and exec only the async-signal-safe prctl, getppid and setpgid are called.
    unsafe {
        command.pre_exec(move || die_with_parent(parent));
    }
    let deadline = Instant::now() + limit;
    let mut leash = Leash(command.spawn()?);
    match leash.wait_until(deadline, stop)? {
        Some(status) => Ok(Ended::Itself(status)),
        None if stop() => leash.ask_to_end().map(|()| Ended::Stopped),
        None => Ok(Ended::Limit),
    }
}

/// A group of its own, so that Ctrl-C reaches only the parent, whose end then is the child's.
fn die_with_parent(parent: u32) -> std::io::Result<()> {
    // SAFETY: plain system calls without pointers.
    let (prctl, group, now) =
        unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::setpgid(0, 0), libc::getppid()) };
    if prctl != 0 || group != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // The parent may have ended before prctl took effect.
    if now as u32 != parent { Err(std::io::Error::from_raw_os_error(libc::ESRCH)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_runs_too_long_is_killed() {
        let begun = Instant::now();
        let ended = run(Command::new("sleep").arg("600"), Duration::from_millis(20), &|| false).unwrap();
        assert_eq!(ended, Ended::Limit);
        assert!(begun.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn a_child_is_asked_to_end_when_the_user_stops() {
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 2;
        let ended = run(Command::new("sleep").arg("600"), Duration::from_secs(500), &stop).unwrap();
        assert_eq!(ended, Ended::Stopped);
    }

    #[test]
    fn a_child_that_ends_tells_its_status() {
        let ended = run(Command::new("false").args(["x"]), Duration::from_secs(60), &|| false).unwrap();
        assert!(matches!(ended, Ended::Itself(status) if status.code() == Some(1)));
    }
}
