// SPDX-License-Identifier: MIT OR Apache-2.0
//! The process at the other end of a local socket. The kernel provides it, so it cannot be forged.
#![cfg_attr(test, expect(clippy::disallowed_types, reason = "its tests read and write files"))]
use std::io::{Error, Result};
use std::os::fd::{AsFd, AsRawFd};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The peer's process number; `None` if the process is in a PID namespace that is not visible from here.
    pub process: Option<i32>,
    pub user: u32,
}

/// The process that has the socket now, or had it at the time of the connection.
///
/// # Errors
/// If the kernel does not provide it, as for a network socket.
pub fn of(socket: impl AsFd) -> Result<Peer> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    let (level, name) = (libc::SOL_SOCKET, libc::SO_PEERCRED);
    // SAFETY: the kernel writes at most `length` bytes into `found`, and any bytes are a valid value. rustix cannot be used: it
    // treats a process without a number here as an error.
    let said = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            name,
            (&raw mut found).cast::<libc::c_void>(),
            &raw mut length,
        )
    };
    match said {
        0 => Ok(Peer { process: (found.pid > 0).then_some(found.pid), user: found.uid }),
        _ => Err(Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    #[test]
    fn both_ends_of_a_pair_are_of_this_process() {
        let (one, other) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
        let own = Peer { process: Some(std::process::id() as i32), user: rustix::process::geteuid().as_raw() };
        assert_eq!([of(&one).unwrap(), of(&other).unwrap()], [own, own]);
        assert!(of(std::fs::File::open("/dev/null").unwrap()).is_err());
    }
}
