// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a file without trusting it: compares every length with the bytes that are left.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::error::ReadError;
use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// At most this many bytes for all parts of a head, packed and unpacked together. The layouts of the kernel's events are the
/// largest part, with some five million bytes.
const HEAD_BYTES_MAX: u64 = 128 << 20;
const NAME_BYTES_MAX: u64 = 4_096;

#[derive(Clone, Copy, Debug)]
enum Backing<'a> {
    File(&'a File),
    Bytes(&'a [u8]),
}

/// A position in a file for reading little-endian numbers, texts and pieces.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    backing: Backing<'a>,
    /// Offset of the unpacked part in the file; 0 if this is the file itself.
    base: u64,
    at: u64,
    end: u64,
    /// Bytes that may still be read, from all places of the file together.
    budget: Rc<Cell<u64>>,
}

impl<'a> Input<'a> {
    pub(super) fn new(file: &'a File) -> Result<Self, ReadError> {
        let budget = Rc::new(Cell::new(HEAD_BYTES_MAX));
        Ok(Self { backing: Backing::File(file), base: 0, at: 0, end: file.metadata()?.len(), budget })
    }

    pub(super) fn unpacked(bytes: &'a [u8], base: u64) -> Self {
        // These bytes were counted when they were read from the file, and no byte is read twice here.
        let budget = Rc::new(Cell::new(bytes.len() as u64));
        Self { backing: Backing::Bytes(bytes), base, at: 0, end: bytes.len() as u64, budget }
    }

    fn read(&self, piece: &mut [u8]) -> Result<(), ReadError> {
        match self.backing {
            Backing::File(file) => file.read_exact_at(piece, self.at)?,
            // The caller has checked the length.
            Backing::Bytes(bytes) => piece.copy_from_slice(&bytes[self.at as usize..self.at as usize + piece.len()]),
        }
        Ok(())
    }

    pub(super) fn at(&self, at: u64, what: &'static str) -> Result<Self, ReadError> {
        if at > self.end {
            return Err(ReadError::Cut { at: self.end, what, wanted: at - self.end, left: 0 });
        }
        Ok(Self { at, ..self.clone() })
    }

    pub(super) fn place(&self) -> u64 {
        self.base + self.at
    }

    pub(super) fn length(&self) -> u64 {
        self.end
    }

    pub(super) fn bad(&self, what: impl Into<String>) -> ReadError {
        ReadError::Bad { at: self.base + self.at, what: what.into() }
    }

    pub(super) fn skip(&mut self, bytes: u64, what: &'static str) -> Result<(), ReadError> {
        self.holds(bytes, what)?;
        self.at += bytes;
        Ok(())
    }

    pub(super) fn bytes(&mut self, bytes: u64, what: &'static str) -> Result<Vec<u8>, ReadError> {
        self.holds(bytes, what)?;
        self.charge(bytes, what)?;
        let mut piece = vec![0; bytes as usize];
        self.read(&mut piece)?;
        self.at += bytes;
        Ok(piece)
    }

    pub(super) fn charge(&self, bytes: u64, what: &'static str) -> Result<(), ReadError> {
        let Some(left) = self.budget.get().checked_sub(bytes) else {
            return Err(self.bad(format!("with {what} of {bytes} bytes the header is too long")));
        };
        self.budget.set(left);
        Ok(())
    }

    /// The next bytes as text; invalid UTF-8 is replaced.
    pub(super) fn text(&mut self, bytes: u64, what: &'static str) -> Result<String, ReadError> {
        Ok(String::from_utf8_lossy(&self.bytes(bytes, what)?).into_owned())
    }

    /// A text that a zero ends.
    pub(super) fn name(&mut self, what: &'static str) -> Result<String, ReadError> {
        let mut piece = vec![0; (self.end - self.at).min(NAME_BYTES_MAX) as usize];
        self.read(&mut piece)?;
        let Some(length) = piece.iter().position(|byte| *byte == 0) else {
            return Err(self.bad(format!("{what} has no end")));
        };
        self.at += length as u64 + 1;
        Ok(String::from_utf8_lossy(&piece[..length]).into_owned())
    }

    pub(super) fn byte(&mut self, what: &'static str) -> Result<u8, ReadError> {
        Ok(self.number::<1>(what)? as u8)
    }

    pub(super) fn short(&mut self, what: &'static str) -> Result<u16, ReadError> {
        Ok(self.number::<2>(what)? as u16)
    }

    pub(super) fn word(&mut self, what: &'static str) -> Result<u32, ReadError> {
        Ok(self.number::<4>(what)? as u32)
    }

    pub(super) fn long(&mut self, what: &'static str) -> Result<u64, ReadError> {
        self.number::<8>(what)
    }

    fn number<const BYTES: usize>(&mut self, what: &'static str) -> Result<u64, ReadError> {
        self.holds(BYTES as u64, what)?;
        let mut piece = [0; 8];
        self.read(&mut piece[..BYTES])?;
        self.at += BYTES as u64;
        Ok(u64::from_le_bytes(piece))
    }

    fn holds(&self, wanted: u64, what: &'static str) -> Result<(), ReadError> {
        let left = self.end - self.at;
        if wanted > left { Err(ReadError::Cut { at: self.base + self.at, what, wanted, left }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_bounded_as_a_whole_whatever_its_parts_say() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(2 * HEAD_BYTES_MAX).unwrap();
        let mut input = Input::new(&file).unwrap();
        let mut elsewhere = input.at(5, "a part").unwrap();
        assert!(input.bytes(HEAD_BYTES_MAX / 2, "a part").is_ok());
        assert!(elsewhere.charge(HEAD_BYTES_MAX / 2 - 9, "an unpacked part").is_ok());
        assert!(input.bytes(9, "a part").is_ok());
        let refused = elsewhere.bytes(1, "a part").unwrap_err().to_string();
        assert_eq!(refused, "byte 5: with a part of 1 bytes the header is too long");
    }
}
