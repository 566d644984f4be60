// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that frees its space while it is read, so that a copy of it fits on a full disk.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};

/// Space that is freed at once; the copy needs hardly more than this.
const STEP: u64 = 1 << 20;
/// Space that is reserved for the copy, so that it can begin on a full disk.
const ASIDE: u64 = 4 * STEP;

/// Reads a file once, from its first byte. If the file system cannot free parts of a file, all space is freed at the end.
#[derive(Debug)]
pub struct Released {
    file: File,
    length: u64,
    at: u64,
    given: u64,
}

impl Released {
    /// Takes a file that is not needed after this.
    pub(super) fn new(mut file: File) -> Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Self { file, length, at: 0, given: 0 })
    }

    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for Released {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let read = self.file.read(into)?;
        self.at += read as u64;
        if self.at - self.given >= STEP {
            let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            // If the file system refuses, the space is freed when the file closes.
            let _ = fallocate(&self.file, hole, self.given, self.at - self.given);
            self.given = self.at;
        }
        Ok(read)
    }
}

/// Reserves space until the file is dropped; reserves none if the file system does not support it.
pub(super) fn set_aside(file: &File) -> Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, ASIDE) {
        Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
        done => Ok(done?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_is_read_whole_and_its_room_comes_back_on_the_way() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..5 * STEP as usize + 77).map(|at| (at % 251) as u8).collect();
        file.write_all(&bytes).unwrap();
        let watched = file.try_clone().unwrap();
        let mut released = Released::new(file).unwrap();
        assert_eq!(released.length(), bytes.len() as u64);
        let mut read = Vec::new();
        released.read_to_end(&mut read).unwrap();
        assert!(read == bytes);
        let left = watched.metadata().unwrap().blocks() * 512;
        if left >= bytes.len() as u64 {
            #[expect(clippy::disallowed_methods, reason = "a test that cannot be tried says so past the capture")]
            let _ = writeln!(std::io::stderr(), "SKIP a file's room: this file system gives no part back");
            return;
        }
        assert!(left <= 2 * STEP, "{left}");
    }
}
