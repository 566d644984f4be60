// SPDX-License-Identifier: MIT OR Apache-2.0
//! Damages seeds without a fuzzing engine, reproducibly.

/// Values that often cause errors with lengths, counts and signs.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    1 << 20,
];
const TEXTS: [&str; 12] = [
    "-1",
    "0",
    "18446744073709551615",
    "99999999999999999999",
    "1e400",
    "-1e-400",
    "NaN",
    "0x",
    "\u{1f6d1}",
    "\0",
    "null",
    "[[[[[[[[",
];

/// Damages seeds, each time differently. The same start number gives the same sequence.
pub struct Damage(u64);

impl Damage {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`, which must not be 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// One of the seeds with some damage, sometimes with a piece of another seed.
    pub fn of(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(4) {
            self.once(&mut bytes, seeds);
        }
        bytes
    }

    fn once(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        if bytes.is_empty() {
            return bytes.push(self.below(256) as u8);
        }
        let at = self.below(bytes.len());
        let end = at + 1 + self.below(32).min(bytes.len() - at - 1);
        match self.below(8) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.below(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                let _ = bytes.splice(at..at, piece);
            }
            5 => {
                let (number, width) = (NUMBERS[self.below(NUMBERS.len())].to_le_bytes(), 1 << self.below(4));
                let width = width.min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&number[..width]);
            }
            6 => self.number(bytes, at),
            _ => {
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len().max(1)).min(other.len());
                let piece = &other[from..other.len().min(from + 64)];
                let _ = bytes.splice(at..end, piece.iter().copied());
            }
        }
    }

    /// Replaces the next number in a text, or inserts text if there is none.
    fn number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let text = TEXTS[self.below(TEXTS.len())];
        let digit = |byte: &u8| byte.is_ascii_digit();
        let begin = bytes[at..].iter().position(digit).map_or(at, |found| at + found);
        let end = bytes[begin..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |found| begin + found);
        let _ = bytes.splice(begin..end, text.bytes());
    }
}
