// SPDX-License-Identifier: MIT OR Apache-2.0
//! Source lines by address, from the debug information of an ELF file.
use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, Error, RunTimeEndian, SectionId};
use object::{Object, ObjectSection};
use std::collections::HashMap;
use std::path::Path;

/// The lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    files: Vec<String>,
    rows: Vec<Row>, // sorted by address
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    from: u64,
    to: u64,
    file: usize,
    line: u32,
}

impl Lines {
    /// Reads the source lines from an ELF file; `None` without readable debug information.
    pub fn from_elf(bytes: &[u8]) -> Option<Lines> {
        let file = object::File::parse(bytes).ok()?;
        file.section_by_name(SectionId::DebugLine.name())?;
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let section = |id: SectionId| {
            let data = file.section_by_name(id.name()).and_then(|section| section.data().ok());
            Ok::<_, Error>(EndianSlice::new(data.unwrap_or_default(), endian))
        };
        Lines::of_dwarf(Dwarf::load(section).ok()?).filter(|lines| !lines.rows.is_empty())
    }

    fn of_dwarf(dwarf: Dwarf<EndianSlice<'_, RunTimeEndian>>) -> Option<Lines> {
        let context = Context::from_dwarf(dwarf).ok()?;
        let (mut lines, mut numbers) = (Lines::default(), HashMap::new());
        for (from, bytes, found) in context.find_location_range(0, u64::MAX).ok()? {
            let (Some(file), Some(line)) = (found.file, found.line) else { continue };
            let name =
                Path::new(file).file_name().map_or_else(|| file.to_string(), |name| name.to_string_lossy().into());
            let file = *numbers.entry(name.clone()).or_insert_with(|| {
                lines.files.push(name);
                lines.files.len() - 1
            });
            lines.rows.push(Row { from, to: from.saturating_add(bytes), file, line });
        }
        lines.rows.sort_by_key(|row| row.from);
        Some(lines)
    }

    /// `FILE:LINE` of an instruction, without the folders of the file.
    pub fn of(&self, address: u64) -> Option<String> {
        let after = self.rows.partition_point(|row| row.from <= address);
        let row = &self.rows[after.checked_sub(1)?];
        (address < row.to).then(|| format!("{}:{}", self.files[row.file], row.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_without_debug_information_has_no_lines() {
        assert!(Lines::from_elf(b"\x7fELF").is_none());
    }

    proptest! {
        #[test]
        fn no_bytes_do_more_than_give_no_line(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let section = |id: SectionId| {
                let known = id == SectionId::DebugLine || id == SectionId::DebugInfo;
                Ok::<_, Error>(EndianSlice::new(if known { bytes.as_slice() } else { &[] }, RunTimeEndian::Little))
            };
            let lines = Lines::of_dwarf(Dwarf::load(section).unwrap());
            prop_assert!(lines.is_none_or(|lines| lines.rows.iter().all(|row| row.from <= row.to)));
        }
    }
}
