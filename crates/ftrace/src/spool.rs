// SPDX-License-Identifier: MIT OR Apache-2.0
//! Moves a ring's sub-buffers to a file without copying them through this process.
//!
//! The kernel moves only whole sub-buffers; the last one, which is not full, is read at the end.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::TraceError;
use crate::buffer::Ring;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, pipe_with, splice};
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

/// Bytes that are moved at once: the default capacity of a pipe.
const AT_ONCE: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Spool {
    ring: Ring,
    file: File,
    way: (OwnedFd, OwnedFd),
    splices: bool,
}

impl Spool {
    pub(super) fn new(ring: Ring, file: File) -> std::io::Result<Self> {
        Ok(Self { ring, file, way: pipe_with(PipeFlags::CLOEXEC)?, splices: true })
    }

    pub(super) fn move_whole(&mut self) -> Result<u64, TraceError> {
        let mut moved = 0;
        while self.splices {
            match self.take() {
                Ok(0) => break,
                Ok(bytes) => {
                    self.give(bytes)?;
                    moved += bytes as u64;
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(_) => self.splices = false,
            }
        }
        if !self.splices {
            moved += self.read_rest()?;
        }
        Ok(moved)
    }

    pub(super) fn drain(&mut self) -> Result<(), TraceError> {
        self.move_whole()?;
        self.read_rest().map(|_| ())
    }

    /// The file, with whole sub-buffers only. If the file system took only a part of the last sub-buffer, cuts that part off.
    pub(super) fn finish(self) -> Result<(File, Ring), TraceError> {
        let page_bytes = self.ring.layout.bytes() as u64;
        let length = self.file.metadata().map_err(cut)?.len();
        self.file.set_len(length / page_bytes * page_bytes).map_err(cut)?;
        Ok((self.file, self.ring))
    }

    fn take(&self) -> Result<usize, Errno> {
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        splice(self.ring.pages(), None, &self.way.1, None, AT_ONCE, flags)
    }

    fn give(&self, bytes: usize) -> Result<(), TraceError> {
        let mut left = bytes;
        while left > 0 {
            match splice(&self.way.0, None, &self.file, None, left, SpliceFlags::MOVE) {
                Ok(0) => return Err(cut("the file is full")),
                Ok(moved) => left -= moved,
                Err(Errno::INTR) => {}
                Err(error) => return Err(cut(std::io::Error::from(error))),
            }
        }
        Ok(())
    }

    fn read_rest(&mut self) -> Result<u64, TraceError> {
        let page_bytes = self.ring.layout.bytes();
        let mut moved = 0;
        while let Some(bytes) = self.ring.read()? {
            let mut page = bytes.to_vec();
            page.resize(page_bytes, 0);
            self.file.write_all(&page).map_err(cut)?;
            moved += page_bytes as u64;
        }
        Ok(moved)
    }
}

fn cut(reason: impl ToString) -> TraceError {
    TraceError::Cut { reason: reason.to_string() }
}
