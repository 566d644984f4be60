// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the instrument's trail: which blocks of instructions began, and when. Format: `lab/instrument/FORMAT.md`.
use crate::tick::Tick;

const HEADER_BYTES: usize = 16;
const RECORD_BYTES: usize = 16;
const ALIGNMENT_BYTES: usize = 8;
const NAME: &[u8] = b"BWTRAIL\0";
const VERSION: u16 = 1;
const BLOCK: u8 = 1;
const BEGUN: u8 = 2;
const END: u8 = 3;
const REGISTER: u8 = 4;
const LENGTH_MASK: u8 = 0x1F;
const MASKS: u8 = 0x80;

/// A block of instructions that follow each other in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address of the block's first instruction.
    pub address: u64,
    /// Whether the block runs in user mode.
    pub user: bool,
    instructions: Vec<u8>,
}

impl Block {
    /// The first `count` instructions: each address, and whether interrupts are disabled after it.
    pub fn instructions(&self, count: usize) -> impl Iterator<Item = (u64, bool)> + '_ {
        let mut address = self.address;
        self.instructions.iter().take(count).map(move |instruction| {
            let at = address;
            address = address.wrapping_add(u64::from(instruction & LENGTH_MASK));
            (at, instruction & MASKS != 0)
        })
    }

    /// Number of instructions in the block.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Always `false`: a block has at least one instruction.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }
}

/// A block that began to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenBlock {
    /// When the block began.
    pub at: Tick,
    /// Index of the block.
    pub block: usize,
    /// Whether interrupts were enabled.
    pub interrupts_on: bool,
}

/// A whole trail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Every block that could run.
    pub blocks: Vec<Block>,
    /// The blocks, in order of time.
    pub begun: Vec<OpenBlock>,
    /// When the trail ends.
    pub end: Tick,
    /// The registers at the start and at the end of the trail, numbered as a debugger numbers them.
    pub registers: [Vec<u64>; 2],
}

/// Why a file is not a trail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTrail {
    /// The file is something else.
    #[error("not a trail: expected a header of {HEADER_BYTES} bytes, the name BWTRAIL and version {VERSION}")]
    NotTrail,
    /// The emulator ended while it wrote the file.
    #[error("trail: truncated at byte {0}")]
    Cut(usize),
    /// An invalid record.
    #[error("trail: the record at byte {at} {fault}")]
    Record {
        /// Where the record begins.
        at: usize,
        /// What is wrong with the record.
        fault: &'static str,
    },
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Reads a complete trail.
///
/// # Errors
/// At the first invalid byte.
pub fn read(bytes: &[u8]) -> Result<Trail, BadTrail> {
    let header = bytes.get(..HEADER_BYTES).ok_or(BadTrail::NotTrail)?;
    if !header.starts_with(NAME) || number(&header[8..10]) != u64::from(VERSION) {
        return Err(BadTrail::NotTrail);
    }
    let (mut trail, mut at) = (Trail::default(), HEADER_BYTES);
    loop {
        let record = bytes.get(at..at + RECORD_BYTES).ok_or(BadTrail::Cut(bytes.len()))?;
        let (flag, count) = (record[1] & 1 != 0, number(&record[2..4]) as usize);
        let (which, value) = (number(&record[4..8]) as usize, number(&record[8..]));
        let bad = |fault| BadTrail::Record { at, fault };
        let mut after = at + RECORD_BYTES;
        match record[0] {
            BLOCK => {
                let instructions = bytes.get(after..after + count).ok_or(BadTrail::Cut(bytes.len()))?;
                let sound = which == trail.blocks.len() && count > 0;
                sound.then_some(()).ok_or(bad("describes an impossible block"))?;
                trail.blocks.push(Block { address: value, user: flag, instructions: instructions.to_vec() });
                after += count.next_multiple_of(ALIGNMENT_BYTES);
            }
            BEGUN => {
                let known = which < trail.blocks.len();
                known.then_some(()).ok_or(bad("enters an undescribed block"))?;
                in_order(&trail, value).then_some(()).ok_or(bad("is earlier than the previous record"))?;
                trail.begun.push(OpenBlock { at: Tick(value), block: which, interrupts_on: flag });
            }
            REGISTER => trail.registers[usize::from(flag)].push(value),
            END => {
                in_order(&trail, value).then_some(()).ok_or(bad("is earlier than the previous record"))?;
                (after == bytes.len()).then_some(()).ok_or(bad("ends the trail before the file ends"))?;
                trail.end = Tick(value);
                return Ok(trail);
            }
            _ => return Err(bad("has an unknown kind")),
        }
        at = after;
    }
}

fn in_order(trail: &Trail, at: u64) -> bool {
    trail.begun.last().is_none_or(|before| before.at.0 <= at)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(kind: u8, flag: u8, count: u16, which: u32, value: u64) -> Vec<u8> {
        let mut record = vec![kind, flag];
        record.extend(count.to_le_bytes());
        record.extend(which.to_le_bytes());
        record.extend(value.to_le_bytes());
        record
    }

    /// A trail file with these blocks (address, user mode, instructions) and those that ran.
    pub fn file(blocks: &[(u64, bool, &[u8])], begun: &[(u64, u32, bool)], end: u64) -> Vec<u8> {
        let mut bytes = b"BWTRAIL\0\x01\0\0\0\0\0\0\0".to_vec();
        for (which, (address, user, instructions)) in blocks.iter().enumerate() {
            bytes.extend(record(BLOCK, u8::from(*user), instructions.len() as u16, which as u32, *address));
            bytes.extend(*instructions);
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT_BYTES), 0);
        }
        begun.iter().for_each(|(at, which, on)| bytes.extend(record(BEGUN, u8::from(*on), 0, *which, *at)));
        bytes.extend(record(END, 0, 0, 0, end));
        bytes
    }

    #[test]
    fn a_trail_says_what_was_begun_and_where_each_instruction_lies() {
        let trail = read(&file(&[(0x100, false, &[2, 1 | MASKS, 3])], &[(50, 0, true)], 53)).unwrap();
        assert_eq!(trail.begun, [OpenBlock { at: Tick(50), block: 0, interrupts_on: true }]);
        let found: Vec<_> = trail.blocks[0].instructions(9).collect();
        assert_eq!(found, [(0x100, false), (0x102, true), (0x103, false)]);
        assert_eq!((trail.end, trail.blocks[0].len()), (Tick(53), 3));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        let whole = file(&[(0x100, false, &[2])], &[(50, 0, true)], 51);
        let cut = whole.len() - 1;
        assert_eq!(read(&whole[..cut]), Err(BadTrail::Cut(cut)));
        assert_eq!(read(b"BWEDGES"), Err(BadTrail::NotTrail));
        let refused = |bytes: Vec<u8>| read(&bytes).unwrap_err().to_string();
        assert!(refused(file(&[(0, false, &[1])], &[(50, 1, true)], 51)).contains("undescribed block"));
        assert!(refused(file(&[(0, false, &[1])], &[(50, 0, true)], 49)).contains("earlier than the previous record"));
        assert!(refused(file(&[(0, false, &[])], &[], 1)).contains("an impossible block"));
        assert!(refused([whole, vec![0]].concat()).contains("before the file ends"));
    }

    proptest! {
        #[test]
        fn no_bytes_do_more_than_be_refused(at in 0usize..80, with in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = file(&[(0x100, true, &[2, 3, 1])], &[(50, 0, true), (52, 0, false)], 60);
            let at = at.min(bytes.len());
            bytes.splice(at..(at + with.len()).min(bytes.len()), with);
            if let Ok(trail) = read(&bytes) {
                prop_assert!(trail.begun.iter().all(|begun| begun.block < trail.blocks.len()));
            }
        }
    }
}
