// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time priority and memory that is there when it is needed: asked for, and whether they would be granted.
use std::io;

/// Locks what is mapped and what will be; ends with the process.
pub fn lock_memory() -> io::Result<()> {
    // SAFETY: the call takes flags only.
    done(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
}

/// The calling thread is of SCHED_FIFO from now on; 0 leaves it as it is.
pub fn set_priority(priority: u8) -> io::Result<()> {
    if priority == 0 {
        return Ok(());
    }
    // SAFETY: all of the structure is a number, and zero is one; the call reads it.
    let mut chosen: libc::sched_param = unsafe { std::mem::zeroed() };
    chosen.sched_priority = i32::from(priority);
    // SAFETY: it is of the calling thread (0), and the structure lives as long as the call.
    done(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &chosen) })
}

/// Whether the kernel gives a program with the rights of this process real-time `priority`: a thread of its own asks, and ends.
///
/// # Errors
/// What the kernel answers where it refuses. Where no thread can be started, nothing was refused.
pub fn granted(priority: u8) -> io::Result<()> {
    let asked = std::thread::Builder::new().name("bw-rights".to_string()).spawn(move || set_priority(priority));
    asked.map_or(Ok(()), |thread| thread.join().unwrap_or(Ok(())))
}

fn done(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
