// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that `perf record -z` packed: one stream of zstd. Each packed record holds some whole blocks of it.
//!
//! perf never ends that stream, and the decoder holds back a window of it. So backwall ends the stream at the end of the file.
use super::error::ReadError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::collections::VecDeque;

/// A last block without content.
const LAST_BLOCK: [u8; 3] = [1, 0, 0];
const RECORD_BYTES_MAX: usize = 1 << 16;

/// Packed records that the reader has not taken yet; a block is unpacked when it is needed.
#[derive(Default)]
pub(super) struct PackedRecords {
    decoder: Option<Decoder>,
    packed: Vec<u8>,
    packed_at: usize,
    whole: Vec<u8>,
    given: usize,
    given_all: u64,
    /// Where perf's rounds end, in bytes of the unpacked stream.
    rounds: VecDeque<u64>,
    ended: bool,
}

struct Decoder {
    frame: FrameDecoder,
    window: u64,
    collected: u64,
}

impl PackedRecords {
    pub(super) fn take(&mut self, packed: &[u8]) {
        self.packed.drain(..self.packed_at);
        self.packed_at = 0;
        self.packed.extend_from_slice(packed);
    }

    /// perf finished a round. Before the decoder's first output nobody knows where the round ends; ignoring a round only makes
    /// samples wait longer.
    pub(super) fn round(&mut self) {
        let Some(decoder) = self.decoder.as_ref().filter(|decoder| decoder.collected > 0) else { return };
        let at = decoder.collected + decoder.window;
        if self.rounds.back() != Some(&at) {
            self.rounds.push_back(at);
        }
    }

    pub(super) fn is_begun(&self) -> bool {
        self.decoder.is_some() || !self.packed.is_empty()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn end(&mut self) {
        if self.is_begun() && !self.ended {
            self.ended = true;
            self.packed.extend_from_slice(&LAST_BLOCK);
        }
    }

    pub(super) fn ends_round(&mut self) -> bool {
        let ends = self.rounds.front().is_some_and(|at| *at <= self.given_all);
        if ends {
            self.rounds.pop_front();
        }
        ends
    }

    /// The next record with its head; `None` if the blocks so far contain no further one.
    pub(super) fn next(&mut self, at: u64) -> Result<Option<&[u8]>, ReadError> {
        loop {
            let left = &self.whole[self.given..];
            if let Some(bytes) = left.get(6..8) {
                let length = usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
                if length < 8 {
                    return Err(bad(at, "a record shorter than its header"));
                }
                if length <= left.len() {
                    let begin = self.given;
                    self.given += length;
                    self.given_all += length as u64;
                    return Ok(Some(&self.whole[begin..begin + length]));
                }
            }
            if !self.unpack(at)? {
                let cut = self.ended && !self.whole[self.given..].is_empty();
                return if cut { Err(bad(at, "the last record is truncated")) } else { Ok(None) };
            }
        }
    }

    /// Unpacks one block; `false` if there is no whole one.
    fn unpack(&mut self, at: u64) -> Result<bool, ReadError> {
        if self.decoder.is_none() {
            let Some(head) = self.packed.get(..6) else { return Ok(false) };
            let window = window(head).ok_or_else(|| bad(at, "not a zstd stream of perf"))?;
            let mut frame = FrameDecoder::new();
            frame.init(&self.packed[..6]).map_err(|error| bad(at, error))?;
            self.packed_at = 6;
            self.decoder = Some(Decoder { frame, window, collected: 0 });
        }
        let Some(decoder) = self.decoder.as_mut() else { return Ok(false) };
        let block = &self.packed[self.packed_at..];
        let Some(bytes) = block_bytes(block).filter(|bytes| *bytes <= block.len()) else { return Ok(false) };
        if decoder.frame.is_finished() {
            return Err(bad(at, "data after the end of the stream"));
        }
        decoder
            .frame
            .decode_blocks(&block[..bytes], BlockDecodingStrategy::UptoBlocks(1))
            .map_err(|error| bad(at, error))?;
        self.packed_at += bytes;
        if self.given > RECORD_BYTES_MAX {
            self.whole.drain(..self.given);
            self.given = 0;
        }
        if let Some(more) = decoder.frame.collect() {
            decoder.collected += more.len() as u64;
            self.whole.extend_from_slice(&more);
        }
        Ok(true)
    }
}

fn bad(at: u64, what: impl std::fmt::Display) -> ReadError {
    ReadError::Bad { at, what: format!("compressed records of perf: {what}") }
}

/// How far back the stream refers to itself. The stream's first six bytes state this: magic number, descriptor, window.
fn window(head: &[u8]) -> Option<u64> {
    const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    const EXPONENT_MAX: u8 = 16;
    let (descriptor, window) = (head[4], head[5]);
    let exponent = window >> 3;
    if head[..4] != MAGIC || descriptor != 0 || exponent > EXPONENT_MAX {
        return None;
    }
    let base = 1u64 << (10 + exponent);
    Some(base + base / 8 * u64::from(window & 7))
}

/// Length of a block with its head. A block is raw, one repeated byte, or compressed.
fn block_bytes(block: &[u8]) -> Option<usize> {
    let head = block.get(..3)?;
    let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
    let length = (head >> 3) as usize;
    Some(3 + if head >> 1 & 3 == 1 { 1 } else { length })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(byte: u8, bytes: usize) -> Vec<u8> {
        let length = (8 + bytes) as u16;
        [&[9, 0, 0, 0, 0, 0][..], &length.to_le_bytes(), &vec![byte; bytes]].concat()
    }

    // A stream of raw blocks with a window of 1 KiB.
    fn stream(blocks: &[&[u8]]) -> Vec<u8> {
        let mut stream = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0];
        for block in blocks {
            stream.extend_from_slice(&((block.len() as u32) << 3).to_le_bytes()[..3]);
            stream.extend_from_slice(block);
        }
        stream
    }

    fn all(records: &mut PackedRecords) -> Result<Vec<u8>, ReadError> {
        let mut found = Vec::new();
        while let Some(record) = records.next(0)? {
            found.push(record[8]);
        }
        Ok(found)
    }

    #[test]
    fn records_come_in_order_however_the_stream_is_divided() {
        let whole: Vec<u8> = (0..9).flat_map(|byte| record(byte, 500)).collect();
        let packed = stream(&whole.chunks(700).collect::<Vec<_>>());
        for step in [1, 7, 706, packed.len()] {
            let (mut records, mut found) = (PackedRecords::default(), Vec::new());
            for part in packed.chunks(step) {
                records.take(part);
                records.round();
                found.extend(all(&mut records).unwrap());
            }
            records.end();
            found.extend(all(&mut records).unwrap());
            assert_eq!(found, (0..9).collect::<Vec<u8>>(), "in steps of {step}");
        }
    }

    #[test]
    fn what_is_no_stream_of_perf_is_refused() {
        let refused = |bytes: &[u8]| {
            let mut records = PackedRecords::default();
            records.take(bytes);
            records.end();
            all(&mut records).is_err()
        };
        assert!(refused(b"no zstd at all"));
        assert!(refused(&stream(&[&record(1, 40)[..30]])), "a cut record");
        assert!(refused(&stream(&[&[0; 16]])), "a record without a length");
        assert!(refused(&[0x28, 0xb5, 0x2f, 0xfd, 0, 0xff]), "a window of terabytes");
        let ended = [stream(&[]), LAST_BLOCK.to_vec(), LAST_BLOCK.to_vec()].concat();
        assert!(refused(&ended));
    }
}
