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
}

/// Kills the child when the owner goes away.
struct Leash(Child);

impl Drop for Leash {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `command` to its end or for `limit`. The kernel kills it when the calling thread ends, for whatever reason.
pub fn run(command: &mut Command, limit: Duration) -> std::io::Result<Ended> {
    let parent = std::process::id();
    // SAFETY: between fork and exec only the async-signal-safe prctl, getppid and setpgid are called.
    unsafe {
        command.pre_exec(move || die_with_parent(parent));
    }
    let deadline = Instant::now() + limit;
    let mut leash = Leash(command.spawn()?);
    loop {
        if let Some(status) = leash.0.try_wait()? {
            return Ok(Ended::Itself(status));
        }
        if Instant::now() >= deadline {
            return Ok(Ended::Limit);
        }
        std::thread::sleep(LOOK_EVERY);
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
        let ended = run(Command::new("sleep").arg("600"), Duration::from_millis(20)).unwrap();
        assert_eq!(ended, Ended::Limit);
        assert!(begun.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn a_child_that_ends_tells_its_status() {
        let ended = run(Command::new("false").args(["x"]), Duration::from_secs(60)).unwrap();
        assert!(matches!(ended, Ended::Itself(status) if status.code() == Some(1)));
    }
}
