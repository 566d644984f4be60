// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds edges in samples: where a sample differs from the previous one, lines have edges.
//!
//! Lines rarely change, so many samples are compared at once with copies of the last sample: eight bytes in a register if samples
//! of 1, 2, 4 or 8 bytes fill them, otherwise [`AT_ONCE`] samples in memory.
use super::metadata::Metadata;
use super::{BadSession, EDGES_MAX};
use crate::edges::{Edge, Line};
use crate::tick::Tick;
use std::io::{self, Read};

/// Number of samples that are compared at once with copies of the last one.
const AT_ONCE: usize = 64;
/// Number of samples to read at once; they fit into the CPU's cache.
const CHUNK_SAMPLES: usize = 1 << 16;
const WORD_BYTES: usize = size_of::<u64>();

pub(super) struct Samples {
    unit: usize,
    lines: Vec<Line>,
    line_of: Vec<Option<usize>>,
    /// The last sample, repeated [`AT_ONCE`] times; empty before the first one.
    last: Vec<u8>,
    /// Bytes read so far. An incomplete sample moves to the front.
    buffer: Vec<u8>,
    kept: usize,
    count: u64,
    edges: usize,
}

impl Samples {
    pub(super) fn new(metadata: &Metadata) -> Self {
        let unit = metadata.unit_bytes;
        let mut line_of = vec![None; unit * 8];
        metadata.lines.iter().enumerate().for_each(|(index, (bit, _))| line_of[*bit] = Some(index));
        let lines = metadata.lines.iter().map(|(_, name)| Line::new(name.clone())).collect();
        let buffer = vec![0; CHUNK_SAMPLES * unit];
        Self { unit, lines, line_of, last: Vec::new(), buffer, kept: 0, count: 0, edges: 0 }
    }

    /// Reads the next file to its end. A sample may span two files.
    pub(super) fn take(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.take_by(&mut buffer, reader);
        self.buffer = buffer;
        result
    }

    fn take_by(&mut self, buffer: &mut [u8], reader: &mut dyn Read) -> io::Result<()> {
        loop {
            let read = match reader.read(&mut buffer[self.kept..]) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let filled = self.kept + read;
            let whole = filled / self.unit * self.unit;
            self.whole(&buffer[..whole]);
            buffer.copy_within(whole..filled, 0);
            self.kept = filled - whole;
            if self.edges > EDGES_MAX {
                return Ok(());
            }
        }
    }

    pub(super) fn finish(self) -> Result<(Vec<Line>, Tick), BadSession> {
        if self.edges > EDGES_MAX {
            return Err(BadSession::TooMany(EDGES_MAX));
        }
        if self.kept > 0 {
            return Err(BadSession::Ragged(self.kept));
        }
        Ok((self.lines, Tick(self.count)))
    }

    fn whole(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return; // the first sample is not complete yet
        }
        if self.last.is_empty() {
            self.last = bytes[..self.unit].repeat(AT_ONCE);
        }
        match self.unit {
            1 => self.words::<1>(bytes),
            2 => self.words::<2>(bytes),
            4 => self.words::<4>(bytes),
            8 => self.words::<8>(bytes),
            _ => self.blocks(bytes),
        }
    }

    /// Compares samples of `UNIT` bytes, word by word. If a word differs, its lowest differing byte belongs to the earliest
    /// changed sample.
    fn words<const UNIT: usize>(&mut self, bytes: &[u8]) {
        let (bits, mask) = (8 * UNIT as u32, u64::MAX >> (64 - 8 * UNIT));
        let repeated = |sample: u64| sample * (u64::MAX / mask);
        let words = bytes.chunks_exact(WORD_BYTES);
        let rest = words.remainder();
        let mut last = of_bytes(&self.last[..WORD_BYTES]);
        for word in words.map(of_bytes) {
            let mut differs = word ^ last;
            while differs != 0 {
                let number = differs.trailing_zeros() / bits;
                let sample = word >> (number * bits) & mask;
                self.changed(Tick(self.count + u64::from(number)), 0, sample ^ (last & mask), sample);
                last = repeated(sample);
                differs = (word ^ last) & u64::MAX << (number * bits);
            }
            self.count += (WORD_BYTES / UNIT) as u64;
        }
        self.last.chunks_exact_mut(WORD_BYTES).for_each(|chunk| chunk.copy_from_slice(&last.to_le_bytes()));
        self.blocks(rest);
    }

    /// Compares samples of any width in blocks with copies of the last one.
    fn blocks(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(self.unit * AT_ONCE) {
            if *block != self.last[..block.len()] {
                self.block(block);
            }
            self.count += (block.len() / self.unit) as u64;
        }
    }

    #[cold]
    fn block(&mut self, block: &[u8]) {
        let mut last = self.last[..self.unit].to_vec();
        for (index, sample) in block.chunks_exact(self.unit).enumerate() {
            for (byte, (now, before)) in sample.iter().zip(&mut last).enumerate() {
                self.changed(Tick(self.count + index as u64), byte * 8, u64::from(now ^ *before), u64::from(*now));
                *before = *now;
            }
        }
        self.last = last.repeat(AT_ONCE);
    }

    /// Adds edges for the lines whose bits differ. Bit 0 of `sample` belongs to line `first_bit`.
    #[inline]
    fn changed(&mut self, at: Tick, first_bit: usize, differs: u64, sample: u64) {
        let mut left = differs;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            let Some(line) = self.line_of[first_bit + bit] else { continue };
            self.lines[line].edges.push(Edge::new(at, sample >> bit & 1 == 1));
            self.edges += 1;
        }
    }
}

fn of_bytes(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("the bytes of a word"))
}
