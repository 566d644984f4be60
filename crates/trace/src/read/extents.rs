// SPDX-License-Identifier: MIT OR Apache-2.0
//! A CPU's sub-buffers in a file, a piece at a time.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::error::ReadError;
use super::head::Packed;
use super::packed::unpack;
use super::pages::Chunks;
use super::rings::Extent;
use std::fs::File;
use std::os::unix::fs::FileExt;

#[derive(Debug)]
pub(super) struct Unpacked<'a> {
    file: &'a File,
    packed: Packed,
    piece_bytes_max: usize,
    at: u64,
    end: u64,
    pieces: u32,
}

impl<'a> Unpacked<'a> {
    pub(super) fn new(
        file: &'a File,
        extent: Extent,
        packed: Packed,
        piece_bytes_max: usize,
    ) -> Result<Self, ReadError> {
        // Packed records begin with the number of pieces, which their length does not include.
        let count = if packed == Packed::Not || extent.bytes == 0 { 0 } else { 4 };
        let end = (extent.at + extent.bytes + count).min(file.metadata()?.len());
        let mut all = Self { file, packed, piece_bytes_max, at: extent.at, end, pieces: 0 };
        if packed != Packed::Not && extent.bytes > 0 {
            all.pieces = all.word("the number of packed pieces")?;
        }
        Ok(all)
    }

    fn word(&mut self, what: &'static str) -> Result<u32, ReadError> {
        let mut word = [0; 4];
        self.take(&mut word, what)?;
        Ok(u32::from_le_bytes(word))
    }

    fn take(&mut self, bytes: &mut [u8], what: &'static str) -> Result<(), ReadError> {
        let (wanted, left) = (bytes.len() as u64, self.end - self.at);
        if wanted > left {
            return Err(ReadError::Cut { at: self.at, what, wanted, left });
        }
        self.file.read_exact_at(bytes, self.at)?;
        self.at += wanted;
        Ok(())
    }

    fn next_piece(&mut self, chunk: &mut Vec<u8>) -> Result<Option<u64>, ReadError> {
        if self.pieces == 0 {
            return Ok(None);
        }
        self.pieces -= 1;
        let (length, bytes) = (self.word("a packed length")?, self.word("an unpacked length")?);
        let at = self.at;
        if bytes.max(length) as usize > self.piece_bytes_max {
            return Err(ReadError::Bad { at, what: format!("a piece of {} bytes is too long", bytes.max(length)) });
        }
        let mut piece = vec![0; length.min(u32::try_from(self.end - at).unwrap_or(u32::MAX)) as usize];
        self.take(&mut piece, "a packed piece")?;
        if piece.len() < length as usize {
            return Err(ReadError::Cut { at, what: "a packed piece", wanted: length.into(), left: piece.len() as u64 });
        }
        *chunk = unpack(self.packed, &piece, bytes, at)?;
        Ok(Some(at))
    }
}

impl Chunks for Unpacked<'_> {
    fn next(&mut self, chunk: &mut Vec<u8>, bytes: usize) -> Result<Option<u64>, ReadError> {
        if self.packed != Packed::Not {
            return self.next_piece(chunk);
        }
        let (at, bytes) = (self.at, (self.end - self.at).min(bytes as u64));
        if bytes == 0 {
            return Ok(None);
        }
        chunk.resize(bytes as usize, 0);
        self.file.read_exact_at(chunk, at)?;
        self.at += bytes;
        Ok(Some(at))
    }
}
