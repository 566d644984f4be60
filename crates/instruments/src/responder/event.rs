// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the first thread wakes the second. As with an auto-reset event, several wakeups before the second thread runs merge into
//! one.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use backwall_os::readable::readable;
use rustix::event::{EventfdFlags, eventfd};
use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

/// An eventfd: a counter in the kernel, which a read resets to 0.
pub(super) struct Event(File);

impl Event {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(File::from(eventfd(0, EventfdFlags::CLOEXEC)?)))
    }

    pub(super) fn share(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    pub(super) fn set(&mut self) -> io::Result<()> {
        self.0.write_all(&1_u64.to_ne_bytes())
    }

    /// How often the event was set since the last call; 0 after about `patience`.
    pub(super) fn wait(&mut self, patience: Duration) -> io::Result<u64> {
        if !readable(&self.0, patience)? {
            return Ok(0);
        }
        let mut count = [0; 8];
        self.0.read_exact(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}
