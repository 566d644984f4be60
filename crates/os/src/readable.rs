// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether something can be read from an open file.
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

/// Waits for input for at most `patience`. A signal ends the wait too.
pub fn readable(file: &impl AsFd, patience: Duration) -> io::Result<bool> {
    let patience = Timespec::try_from(patience).map_err(|_| io::ErrorKind::InvalidInput)?;
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
