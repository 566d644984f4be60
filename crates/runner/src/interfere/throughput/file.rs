// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes data to a file until the device has stored it, and reads data from a file whose cached pages were dropped.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, reads the clock")]
use super::{Direction, Moved, Path};
use crate::interfere::processor_time::Account;
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io::{Error, Read, Result, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Instant;

const AT_ONCE: usize = 1 << 20;

/// Files without a name in one folder; they disappear when the process ends, however it ends. Each transfer uses a new file, so
/// that its pages lie elsewhere in each round and the confidence limits include that variation.
pub(super) struct Files {
    folder: PathBuf,
    buffer: Vec<u8>,
}

impl Files {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, buffer: vec![0; AT_ONCE] }
    }

    fn out(&mut self, moved: &Moved<'_>, program: &Account) -> Result<u64> {
        let mut file = tempfile::tempfile_in(&self.folder)?;
        written(&mut file, moved)?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
        file.seek(SeekFrom::Start(0))?;
        let begun = Instant::now();
        let read = program.charge(|| all_of(&mut file, &mut self.buffer))?;
        let took = begun.elapsed().as_nanos() as u64;
        match read == moved.bytes {
            true => Ok(took),
            false => Err(Error::other(format!("{read} of {} bytes came back", moved.bytes))),
        }
    }
}

impl Path for Files {
    fn moved(&mut self, moved: &Moved<'_>, direction: Direction, program: &Account) -> Result<u64> {
        if direction == Direction::Out {
            return self.out(moved, program);
        }
        let mut file = tempfile::tempfile_in(&self.folder)?;
        let begun = Instant::now();
        program.charge(|| written(&mut file, moved))?;
        Ok(begun.elapsed().as_nanos() as u64)
    }
}

/// Writes the data and waits until fsync(2) reports that it is stored.
fn written(file: &mut File, moved: &Moved<'_>) -> Result<()> {
    moved.data.pieces(moved.bytes).try_for_each(|piece| file.write_all(piece))?;
    file.sync_all()
}

fn all_of(file: &mut File, buffer: &mut [u8]) -> Result<u64> {
    let mut read = 0;
    loop {
        match file.read(buffer)? {
            0 => return Ok(read),
            length => read += length as u64,
        }
    }
}
