// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the kernel's audit is enabled. It is queried and set over a netlink socket, like `auditctl -e`.
//!
//! A request is a header of 16 bytes and the status struct, of which only the first two words are used here: a mask of the
//! affected members, and whether the audit is enabled. The kernel acknowledges every request and answers a query in another
//! message.
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Message types: acknowledgement, query of the status, new status.
const ACKNOWLEDGED: u16 = 2;
const GET: u16 = 1000;
const SET: u16 = 1001;
/// Flags of a request with acknowledgement (`NLM_F_REQUEST | NLM_F_ACK`).
const FLAGS: u16 = 5;
const ENABLED: u32 = 1;
/// Size of the header and of the status struct in the oldest kernels. Later kernels have more members, which a request may omit.
const HEAD: usize = 16;
const STATUS: usize = 32;
/// Longest wait for an answer. The kernel normally answers at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// 0 is off, 1 is on, 2 is on until the machine restarts.
///
/// # Errors
/// If the kernel has no audit, or this process lacks CAP_AUDIT_CONTROL or runs in a container.
pub fn enabled() -> Result<u32> {
    let socket = asked(GET, [0; STATUS])?;
    let (mut acknowledged, mut found) = (false, None);
    while !acknowledged || found.is_none() {
        match answer(&received(&socket)?)? {
            Answer::Acknowledged => acknowledged = true,
            Answer::Enabled(value) => found = Some(value),
            Answer::Other => {}
        }
    }
    found.ok_or_else(|| Error::from(ErrorKind::InvalidData))
}

/// Turns the audit on or off.
///
/// # Errors
/// The errors of [`enabled`]. Also if the audit is locked on until the machine restarts.
pub fn set_enabled(value: u32) -> Result<()> {
    let mut status = [0; STATUS];
    status[..4].copy_from_slice(&ENABLED.to_ne_bytes());
    status[4..8].copy_from_slice(&value.to_ne_bytes());
    let socket = asked(SET, status)?;
    while !matches!(answer(&received(&socket)?)?, Answer::Acknowledged) {}
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Acknowledged,
    Enabled(u32),
    Other,
}

fn asked(kind: u16, status: [u8; STATUS]) -> Result<OwnedFd> {
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(netlink::AUDIT))?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    send(&socket, &request(kind, status), SendFlags::empty())?;
    Ok(socket)
}

fn request(kind: u16, status: [u8; STATUS]) -> Vec<u8> {
    let length = (HEAD + STATUS) as u32;
    let mut message = length.to_ne_bytes().to_vec();
    message.extend([kind, FLAGS].iter().flat_map(|word| word.to_ne_bytes()));
    message.extend([1_u32, 0].iter().flat_map(|word| word.to_ne_bytes()));
    message.extend(status);
    message
}

fn received(socket: &OwnedFd) -> Result<Vec<u8>> {
    let mut bytes = vec![0; 8192];
    let (length, _) = recv(socket, &mut bytes[..], RecvFlags::empty())?;
    bytes.truncate(length);
    Ok(bytes)
}

fn answer(message: &[u8]) -> Result<Answer> {
    let word = |at: usize| Some(u32::from_ne_bytes(message.get(at..at + 4)?.try_into().ok()?));
    let kind = message.get(4..6).and_then(|kind| Some(u16::from_ne_bytes(kind.try_into().ok()?)));
    let cut = || Error::new(ErrorKind::InvalidData, "the kernel's answer is cut off");
    match kind.ok_or_else(cut)? {
        ACKNOWLEDGED => match word(HEAD).ok_or_else(cut)? as i32 {
            0 => Ok(Answer::Acknowledged),
            refused => Err(Error::from_raw_os_error(refused.saturating_neg())),
        },
        GET => word(HEAD + 4).map(Answer::Enabled).ok_or_else(cut),
        _ => Ok(Answer::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u16, words: &[u32]) -> Vec<u8> {
        let mut message = request(kind, [0; STATUS])[..HEAD].to_vec();
        message.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
        message
    }

    #[test]
    fn the_kernels_answers_are_read_and_what_is_cut_off_is_refused() {
        assert_eq!(answer(&message(GET, &[0, 1, 0])).unwrap(), Answer::Enabled(1));
        assert_eq!(answer(&message(ACKNOWLEDGED, &[0])).unwrap(), Answer::Acknowledged);
        assert_eq!(answer(&message(1305, &[])).unwrap(), Answer::Other);
        let refused = answer(&message(ACKNOWLEDGED, &[(-1_i32) as u32])).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        for cut in [&[][..], &message(GET, &[])[..], &message(GET, &[1])[..], &message(ACKNOWLEDGED, &[])[..4]] {
            assert_eq!(answer(cut).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }

    // The test writes the value that it read, so the machine does not change.
    #[test]
    fn where_the_kernel_may_be_asked_it_takes_back_what_it_has() {
        let Ok(now) = enabled() else { return };
        if set_enabled(now).is_ok() {
            assert_eq!(enabled().unwrap(), now);
        }
    }
}
