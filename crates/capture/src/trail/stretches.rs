// SPDX-License-Identifier: MIT OR Apache-2.0
//! The irqs-off sections of a run, grouped by the function that began each and the one that ended it. `lab/instrument/FORMAT.md`
//! describes the instrument's file.
use super::Names;
use super::recorded::number;
use super::visits::NAMELESS;
use backwall_model::units::grouped;
use serde::Serialize;
use std::collections::BTreeMap;

const HEADER_BYTES: usize = 16;
const RECORD_BYTES: usize = 40;
const NAME: &[u8] = b"BWMASKS\0";
const VERSION: u64 = 1;
const BEGAN_IN_USER: u64 = 1;
const FOOTER: u64 = 2;

/// One section with disabled interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When interrupts were disabled.
    pub from: u64,
    /// When interrupts were enabled again.
    pub to: u64,
    /// Address of the instruction that disabled interrupts, or of the first one after it.
    pub began: u64,
    /// Whether that instruction ran in user mode.
    pub began_in_user: bool,
    /// Address of the last instruction before interrupts were enabled.
    pub ended: u64,
}

/// The irqs-off sections of a run that are long enough to be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// The sections, in order of time.
    pub told: Vec<Stretch>,
    /// Number of all sections, of any length.
    pub all: u64,
}

/// Why a file is not a list of irqs-off sections.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStretches {
    /// The header is too short, or its name or version differs.
    #[error(
        "not a list of irqs-off sections: expected a header of {HEADER_BYTES} bytes, the name BWMASKS and version \
            {VERSION}"
    )]
    NotStretches,
    /// The emulator ended while it wrote the file.
    #[error("irqs-off sections: truncated at byte {0}")]
    Cut(usize),
    /// An invalid record.
    #[error("irqs-off section at byte {at} {fault}")]
    Record {
        /// Where the record begins.
        at: usize,
        /// What is wrong with the record.
        fault: &'static str,
    },
}

/// Reads a complete file.
///
/// # Errors
/// At the first invalid byte.
pub fn read(bytes: &[u8]) -> Result<Stretches, BadStretches> {
    let header = bytes.get(..HEADER_BYTES).ok_or(BadStretches::NotStretches)?;
    if !header.starts_with(NAME) || number(&header[8..10]) != VERSION {
        return Err(BadStretches::NotStretches);
    }
    let (mut found, mut at, mut before) = (Stretches::default(), HEADER_BYTES, 0);
    loop {
        let record = bytes.get(at..at + RECORD_BYTES).ok_or(BadStretches::Cut(bytes.len()))?;
        let [from, to, began, ended, flags] = [0, 8, 16, 24, 32].map(|field| number(&record[field..field + 8]));
        let bad = |fault| BadStretches::Record { at, fault };
        let after = at + RECORD_BYTES;
        if flags & FOOTER != 0 {
            (after == bytes.len()).then_some(()).ok_or(bad("ends the list before the file ends"))?;
            (to == found.told.len() as u64).then_some(()).ok_or(bad("has a wrong total"))?;
            found.all = from;
            return Ok(found);
        }
        (before <= from && from <= to)
            .then_some(())
            .ok_or(bad("begins before the previous one, or ends before it begins"))?;
        before = to;
        found.told.push(Stretch { from, to, began, began_in_user: flags & BEGAN_IN_USER != 0, ended });
        at = after;
    }
}

/// All sections that the same function began and the same function ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Masked {
    /// The function that began the sections: it contains the instruction that disabled interrupts, or the first one after it.
    pub began: String,
    /// The function that ended the sections.
    pub ended: String,
    /// Number of sections.
    pub count: u64,
    /// Length of the longest section, in instructions.
    pub longest: u64,
    /// When the longest section began (the first of several), in instructions since the machine started.
    pub at: u64,
    /// Sum of the sections' lengths.
    pub sum: u64,
}

/// The sections in groups, the one with the longest section first.
pub fn gathered(stretches: &Stretches, names: &Names) -> Vec<Masked> {
    let mut all: BTreeMap<(&str, &str), Masked> = BTreeMap::new();
    for stretch in &stretches.told {
        let began = names.of(stretch.began, stretch.began_in_user).unwrap_or(NAMELESS);
        let ended = names.of(stretch.ended, false).unwrap_or(NAMELESS);
        let length = stretch.to - stretch.from;
        let masked = all.entry((began, ended)).or_insert_with(|| Masked {
            began: began.to_string(),
            ended: ended.to_string(),
            count: 0,
            longest: 0,
            at: stretch.from,
            sum: 0,
        });
        masked.count += 1;
        masked.sum += length;
        if length > masked.longest {
            (masked.longest, masked.at) = (length, stretch.from);
        }
    }
    let mut rows: Vec<Masked> = all.into_values().collect();
    rows.sort_by(|a, b| (b.longest, b.sum, &a.began, &a.ended).cmp(&(a.longest, a.sum, &b.began, &b.ended)));
    rows
}

impl Stretches {
    /// The number of listed sections and of all, in words.
    pub fn counted(&self) -> String {
        format!("{} of {} irqs-off sections", grouped(self.told.len() as u64), grouped(self.all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::Symbols;
    use proptest::prelude::*;

    fn record(numbers: [u64; 5]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn file(rows: &[[u64; 5]]) -> Vec<u8> {
        let mut bytes = b"BWMASKS\0\x01\0\0\0\0\0\0\0".to_vec();
        rows.iter().for_each(|row| bytes.extend(record(*row)));
        bytes.extend(record([9, rows.len() as u64, 0, 0, FOOTER]));
        bytes
    }

    #[test]
    fn stretches_are_gathered_by_who_began_and_who_ended_them() {
        let kernel = Symbols::from_map("100 T lock\n200 T unlock\n300 T entry\n").unwrap();
        let names = Names { kernel, programs: Symbols::default(), lines: None };
        let rows = [
            [10, 20, 0x104, 0x208, 0],
            [30, 90, 0x100, 0x200, 0],
            [95, 100, 0x300, 0x200, 0],
            [100, 107, 0x40, 0x200, 1],
        ];
        let found = read(&file(&rows)).unwrap();
        let gathered: Vec<_> = gathered(&found, &names)
            .into_iter()
            .map(|row| (row.began, row.ended, row.count, row.longest, row.at, row.sum))
            .collect();
        let row =
            |began: &str, count, longest, at, sum| (began.to_string(), "unlock".to_string(), count, longest, at, sum);
        assert_eq!(gathered, [row("lock", 2, 60, 30, 70), row(NAMELESS, 1, 7, 100, 7), row("entry", 1, 5, 95, 5)]);
        assert_eq!(found.counted(), "4 of 9 irqs-off sections");
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        let whole = file(&[[10, 20, 1, 2, 0]]);
        assert_eq!(read(&whole[..60]), Err(BadStretches::Cut(60)));
        assert_eq!(read(b"BWTRAIL"), Err(BadStretches::NotStretches));
        assert!(read(&file(&[[20, 10, 1, 2, 0]])).is_err());
        assert!(read(&file(&[[10, 20, 1, 2, 0], [15, 30, 1, 2, 0]])).is_err());
        assert!(read(&[whole, vec![0]].concat()).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_do_more_than_be_refused(at in 0usize..140, with in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = file(&[[10, 20, 1, 2, 0], [25, 30, 1, 2, 1]]);
            let at = at.min(bytes.len());
            bytes.splice(at..(at + with.len()).min(bytes.len()), with);
            let _ = read(&bytes);
        }
    }
}
