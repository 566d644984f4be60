// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that is killed at one of its system calls, before the kernel has carried it out or after (ptrace(2)).
//!
//! An instant that a clock chooses falls where a program waits; what a kill can spoil lies between two calls that it makes one after the other.
use std::io::{Error, Result};
use std::os::unix::process::CommandExt;
use std::process::Command;

#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub name: &'static str,
    pub numbers: &'static [i64],
    pub is_done: bool,
    pub number: u64,
}

// Starts a program and kills it at a call; calls are counted only while `counts`. `true` if it was killed, `false` if it ended by
// itself before.
pub fn killed_at(command: &mut Command, call: Call, counts: &dyn Fn() -> bool) -> Result<bool> {
    // SAFETY: between fork and exec only ptrace is called, which is async-signal-safe.
    unsafe {
        command.process_group(0).pre_exec(|| {
            let asked = libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
            if asked == 0 { Ok(()) } else { Err(Error::last_os_error()) }
        });
    }
    let child = command.spawn()?;
    let group = child.id() as i32;
    let mut traced = Traced { group, call, seen: 0, at: None };
    traced.wait()?;
    let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
    request(libc::PTRACE_SETOPTIONS, group, 0, options as usize)?;
    request(libc::PTRACE_SYSCALL, group, 0, 0)?;
    traced.until_it_ends(counts)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Entry(i64),
    Exit,
    Other,
}

struct Traced {
    group: i32,
    call: Call,
    seen: u64,
    at: Option<i32>,
}

impl Traced {
    fn wait(&self) -> Result<(i32, i32)> {
        let mut status = 0;
        // SAFETY: the kernel writes to an integer of ours. Other tests' children are of other groups.
        match unsafe { libc::waitpid(-self.group, &mut status, libc::__WALL) } {
            -1 => Err(Error::last_os_error()),
            thread => Ok((thread, status)),
        }
    }

    fn until_it_ends(&mut self, counts: &dyn Fn() -> bool) -> Result<bool> {
        loop {
            let (thread, status) = self.wait()?;
            if !libc::WIFSTOPPED(status) {
                if thread == self.group {
                    return Ok(false);
                }
                continue;
            }
            let signal = libc::WSTOPSIG(status);
            let is_call = signal == libc::SIGTRAP | 0x80;
            if is_call && self.is_it(thread, stop(thread)?, counts) {
                return self.kill().map(|()| true);
            }
            // Stops of the tracing itself are no signals of the program's.
            let is_own = !is_call && ![libc::SIGTRAP, libc::SIGSTOP].contains(&signal);
            // A thread that has ended meanwhile needs no word.
            let _ = request(libc::PTRACE_SYSCALL, thread, 0, if is_own { signal as usize } else { 0 });
        }
    }

    fn is_it(&mut self, thread: i32, stop: Stop, counts: &dyn Fn() -> bool) -> bool {
        match stop {
            Stop::Entry(number) if self.call.numbers.contains(&number) && counts() => {
                self.seen += 1;
                let is_it = self.seen == self.call.number;
                self.at = is_it.then_some(thread);
                is_it && !self.call.is_done
            }
            Stop::Exit => self.at == Some(thread),
            Stop::Entry(_) | Stop::Other => false,
        }
    }

    fn kill(&self) -> Result<()> {
        // SAFETY: a signal to a group of ours, of which nothing was waited for to its end yet.
        unsafe { libc::kill(-self.group, libc::SIGKILL) };
        loop {
            let (thread, status) = self.wait()?;
            if thread == self.group && !libc::WIFSTOPPED(status) {
                return Ok(());
            }
        }
    }
}

fn stop(thread: i32) -> Result<Stop> {
    let mut info = std::mem::MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    let size = std::mem::size_of_val(&info);
    request(libc::PTRACE_GET_SYSCALL_INFO, thread, size, info.as_mut_ptr() as usize)?;
    // SAFETY: it was zeroed, the kernel has written to it, and every pattern is one of its numbers.
    let info = unsafe { info.assume_init() };
    Ok(match info.op {
        // SAFETY: that is the union's field at such a stop.
        libc::PTRACE_SYSCALL_INFO_ENTRY => Stop::Entry(unsafe { info.u.entry.nr } as i64),
        libc::PTRACE_SYSCALL_INFO_EXIT => Stop::Exit,
        _ => Stop::Other,
    })
}

fn request(what: libc::c_uint, thread: i32, address: usize, data: usize) -> Result<()> {
    // SAFETY: anyone who calls gives what the request takes.
    match unsafe { libc::ptrace(what, thread, address, data) } {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}
