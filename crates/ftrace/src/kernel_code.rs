// SPDX-License-Identifier: MIT OR Apache-2.0
//! The code of the running kernel, which `/proc/kcore` shows to root: an ELF file with the parts of the kernel's memory.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use backwall_trace::processor::let_in::BEFORE_BYTES;
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;

/// Offsets in the header of a 64-bit ELF file: place of the program header table, length of a row, and number of rows.
const TABLE_AT: usize = 32;
const ROW_BYTES_AT: usize = 54;
const ROWS_AT: usize = 56;
const HEAD_BYTES: usize = 64;
/// Offsets in a row: place in the file, address, and length.
const IN_FILE_AT: usize = 8;
const ADDRESS_AT: usize = 16;
const LENGTH_AT: usize = 32;
const ROW_BYTES: usize = 56;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    address: u64,
    length: u64,
    in_file: u64,
}

#[derive(Debug)]
pub(super) struct KernelCode {
    file: File,
    parts: Vec<Part>,
}

impl KernelCode {
    pub(super) fn open() -> Result<Self> {
        let file = File::open("/proc/kcore")?;
        let parts = parts_of(&file)?;
        Ok(Self { file, parts })
    }

    pub(super) fn before(&self, address: u64) -> Option<[u8; BEFORE_BYTES]> {
        let from = address.checked_sub(BEFORE_BYTES as u64)?;
        let part = self.parts.iter().find(|part| from >= part.address && address - part.address <= part.length)?;
        let mut code = [0; BEFORE_BYTES];
        self.file.read_exact_at(&mut code, part.in_file.checked_add(from - part.address)?).ok()?;
        Some(code)
    }
}

fn parts_of(file: &File) -> Result<Vec<Part>> {
    let mut head = [0; HEAD_BYTES];
    file.read_exact_at(&mut head, 0)?;
    let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let (table, bytes, rows) = (word(&head, TABLE_AT), u64::from(half(ROW_BYTES_AT)), u64::from(half(ROWS_AT)));
    let row = |number: u64| {
        let mut row = [0; ROW_BYTES];
        file.read_exact_at(&mut row, table.saturating_add(number * bytes))?;
        let [in_file, address, length] = [IN_FILE_AT, ADDRESS_AT, LENGTH_AT].map(|at| word(&row, at));
        Ok(Part { address, length, in_file })
    };
    (0..rows).map(row).collect()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn code_is_read_where_its_part_lies_and_nowhere_else() {
        let mut bytes = vec![0u8; HEAD_BYTES + ROW_BYTES];
        bytes[TABLE_AT] = HEAD_BYTES as u8;
        bytes[ROW_BYTES_AT] = ROW_BYTES as u8;
        bytes[ROWS_AT] = 1;
        let code_at = bytes.len() as u64;
        for (at, number) in [(IN_FILE_AT, code_at), (ADDRESS_AT, 0xffff_ffff_8100_0000), (LENGTH_AT, 64)] {
            bytes[HEAD_BYTES + at..HEAD_BYTES + at + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes.extend(0..64);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let code = KernelCode { parts: parts_of(&file).unwrap(), file };
        let before = code.before(0xffff_ffff_8100_0020).unwrap();
        assert_eq!((before[0], before[BEFORE_BYTES - 1]), (16, 31));
        assert!(code.before(0xffff_ffff_8100_0040).is_some());
        for beyond in [0, 0xffff_ffff_8100_000f, 0xffff_ffff_8100_0041, u64::MAX] {
            assert_eq!(code.before(beyond), None, "{beyond:x}");
        }
        let mut short = tempfile::tempfile().unwrap();
        short.write_all(&bytes[..HEAD_BYTES]).unwrap();
        assert!(parts_of(&short).is_err());
    }
}
