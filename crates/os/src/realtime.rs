// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority and locked memory: requests them, and checks whether they would be granted.
use std::io;

/// Locks all memory that is mapped now or later, until the process ends.
pub fn lock_memory() -> io::Result<()> {
    // SAFETY: the call takes flags only.
    done(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
}

/// Gives the calling thread SCHED_FIFO with this priority; 0 leaves it unchanged.
pub fn set_priority(priority: u8) -> io::Result<()> {
    if priority == 0 {
        return Ok(());
    }
    set_scheduling(0, libc::SCHED_FIFO, i32::from(priority))
}

/// The kernel's `struct sched_param`. The C library's struct may be longer.
#[repr(C)]
#[derive(Default)]
struct Parameters {
    priority: libc::c_int,
}

/// The policy (with flags) and the priority of a thread; 0 is the calling one. It uses system calls directly, because musl always
/// answers ENOSYS.
///
/// # Errors
/// The kernel's error.
pub fn scheduling(thread: i32) -> io::Result<(i32, i32)> {
    let mut now = Parameters::default();
    // SAFETY: the call takes a number only.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, thread) };
    if policy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call writes the struct, which has the kernel's layout and outlives the call.
    let read = unsafe { libc::syscall(libc::SYS_sched_getparam, thread, &raw mut now) };
    if read < 0 { Err(io::Error::last_os_error()) } else { Ok((policy as i32, now.priority)) }
}

/// Sets the policy (with flags) and the priority of a thread; 0 is the calling one.
///
/// # Errors
/// The kernel's error.
pub fn set_scheduling(thread: i32, policy: i32, priority: i32) -> io::Result<()> {
    let chosen = Parameters { priority };
    // SAFETY: the call reads the struct, which has the kernel's layout and outlives the call.
    let set = unsafe { libc::syscall(libc::SYS_sched_setscheduler, thread, policy, &raw const chosen) };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Whether the kernel grants real-time `priority` to this process. A temporary thread requests it.
///
/// # Errors
/// The kernel's error if it refuses. If the thread cannot be started, nothing was refused.
pub fn granted(priority: u8) -> io::Result<()> {
    let asked = std::thread::Builder::new().name("bw-rights".to_string()).spawn(move || set_priority(priority));
    asked.map_or(Ok(()), |thread| thread.join().unwrap_or(Ok(())))
}

fn done(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // This needs no rights: an ordinary thread may switch to SCHED_BATCH, and a thread that does not exist has no policy.
    #[test]
    fn a_policy_is_what_was_set_whatever_the_c_library() {
        let own = || {
            set_scheduling(0, libc::SCHED_BATCH | libc::SCHED_RESET_ON_FORK, 0).unwrap();
            scheduling(0).unwrap()
        };
        assert_eq!(std::thread::spawn(own).join().unwrap(), (libc::SCHED_BATCH | libc::SCHED_RESET_ON_FORK, 0));
        assert_eq!(scheduling(i32::MAX).unwrap_err().raw_os_error(), Some(libc::ESRCH));
        assert_eq!(set_scheduling(0, 77, 0).unwrap_err().raw_os_error(), Some(libc::EINVAL));
    }
}
