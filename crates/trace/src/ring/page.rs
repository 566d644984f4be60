// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of one sub-buffer ("page") of the kernel's ring, in binary.
//!
//! A page has a header (time stamp of its first record, bytes used, flags) and records. Each record begins with a word: 5 bits of
//! type or length, and 27 bits of time since the record before. The bytes are not trusted: they cannot make the iterator panic,
//! loop or leave the page. A record that exceeds the page ends the iteration with an error that says where. The byte order is
//! that of all supported machines, little-endian.
//! Source: the kernel's `ring-buffer-design` document and `events/header_page`.
use crate::ring::format::{FormatError, fields};
use std::ops::ControlFlow;

/// Types in a record's first word; values 1 to 28 are lengths in words.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// In a record's first word: bits of type or length, and above them the time.
const LENGTH_BITS: u32 = 5;
const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;
const DELTA_BITS: u32 = 27;
/// An absolute stamp has 59 bits; the upper five bits come from the page.
const STAMP_BITS: u32 = 59;
/// Flags in the word that states the bytes used: records were overwritten, and their count is stored.
const MISSED_EVENTS: u64 = 1 << 31;
const MISSED_STORED: u64 = 1 << 30;
const USED_MASK: u64 = (1 << 27) - 1;

/// Where the parts of a page are, from `events/header_page`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    stamp_offset: usize,
    used_offset: usize,
    used_size: usize,
    data_offset: usize,
    data_size: usize,
}

/// Records that the ring overwrote before a page could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwrittenRecords {
    /// The kernel overwrote this many records.
    Counted(u64),
    /// The kernel overwrote an unknown number of records.
    Uncounted,
}

impl OverwrittenRecords {
    /// Number of overwritten records, if the kernel counted them.
    pub fn count(self) -> u64 {
        match self {
            OverwrittenRecords::Counted(count) => count,
            OverwrittenRecords::Uncounted => 0,
        }
    }
}

/// A page that contradicts its layout, and the byte where it does.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PageError {
    /// Fewer bytes than the header has.
    #[error("a sub-buffer of {bytes} bytes is shorter than its header")]
    NoHeader {
        /// Number of bytes.
        bytes: usize,
    },
    /// The header states more used bytes than there are.
    #[error("a sub-buffer claims {used} used bytes of {bytes}")]
    Used {
        /// Number of used bytes in the header.
        used: usize,
        /// Number of bytes that there are.
        bytes: usize,
    },
    /// A record that exceeds the used bytes, or is shorter than its own head.
    #[error("the record at byte {at} of a sub-buffer exceeds it")]
    Record {
        /// Offset in the page.
        at: usize,
    },
}

impl PageLayout {
    /// Parses the text of `events/header_page`.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let fields = fields(text)?;
        let find = |name| fields.iter().find(|field| field.name == name).map(|field| field.place);
        let stamp = find("timestamp").ok_or(FormatError::Missing("timestamp"))?;
        let used = find("commit").filter(|place| [4, 8].contains(&place.size));
        let used = used.ok_or(FormatError::Missing("commit"))?;
        let data = find("data").ok_or(FormatError::Missing("data"))?;
        Ok(Self {
            stamp_offset: stamp.offset,
            used_offset: used.offset,
            used_size: used.size,
            data_offset: data.offset,
            data_size: data.size,
        })
    }

    /// Length of a whole page in bytes.
    pub fn bytes(&self) -> usize {
        self.data_offset + self.data_size
    }
}

/// One page, of which the header was read.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    bytes: &'a [u8],
    data_offset: usize,
    used: usize,
    first_ns: u64,
    missed: Option<OverwrittenRecords>,
}

/// A page without its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    end: usize,
    first_ns: u64,
}

impl Extent {
    /// The records from `mark` on, which [`Records::mark`] returned for the page with these bytes.
    #[inline(always)]
    pub fn records_from<'a>(&self, bytes: &'a [u8], mark: Mark) -> Records<'a> {
        let rest = bytes.get(mark.at..self.end).unwrap_or_default();
        Records { rest, end: self.end, at_ns: mark.at_ns, page_ns: self.first_ns }
    }
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Time of the record, on the ring's clock.
    pub at_ns: u64,
    /// What the event wrote, `common_type` first.
    pub data: &'a [u8],
    /// `data`, and the bytes of the page after it.
    pub ahead: &'a [u8],
}

impl<'a> Page<'a> {
    /// Reads the header of a page; a page that was read in part may be shorter than the layout states.
    pub fn new(bytes: &'a [u8], layout: &PageLayout) -> Result<Self, PageError> {
        let short = PageError::NoHeader { bytes: bytes.len() };
        let header = |offset, size| number(bytes, offset, size).ok_or(PageError::NoHeader { bytes: bytes.len() });
        let first_ns = header(layout.stamp_offset, 8)?;
        let commit = header(layout.used_offset, layout.used_size)?;
        let used = (commit & USED_MASK) as usize;
        let room = bytes.len().checked_sub(layout.data_offset).ok_or(short)?;
        if used > room {
            return Err(PageError::Used { used, bytes: room });
        }
        let data_offset = layout.data_offset;
        let missed = missed(commit, || number(bytes, data_offset + used, layout.used_size));
        Ok(Self { bytes: &bytes[..data_offset + used], data_offset, used, first_ns, missed })
    }

    /// Records lost between the previous page and this one.
    pub fn missed(&self) -> Option<OverwrittenRecords> {
        self.missed
    }

    /// Time of the page's first record.
    pub fn first_ns(&self) -> u64 {
        self.first_ns
    }

    /// Number of bytes that records use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Number of bytes with a meaning: header, records, and the count of losses after them, if any.
    pub fn length(&self) -> usize {
        self.bytes.len()
            + if matches!(self.missed, Some(OverwrittenRecords::Counted(_))) { size_of::<u64>() } else { 0 }
    }

    /// The page's records in order; the first error ends them.
    pub fn records(&self) -> Records<'a> {
        self.extent().records_from(self.bytes, Mark { at: self.data_offset, at_ns: self.first_ns })
    }

    /// What a reader needs to continue with the page's records later.
    pub fn extent(&self) -> Extent {
        Extent { end: self.bytes.len(), first_ns: self.first_ns }
    }

    /// Place and time of the page's first record. A record that exceeds the page counts too.
    pub fn first(&self) -> Option<(Mark, u64)> {
        let mut records = self.records();
        let mark = records.mark();
        records.next().map(|record| (mark, record.map_or(self.first_ns, |record| record.at_ns)))
    }
}

/// Removes a sub-buffer's note of earlier losses, for the start of a recording.
pub fn begins_with(bytes: &mut [u8], layout: &PageLayout) {
    change(bytes, layout, |used| used & !(MISSED_EVENTS | MISSED_STORED));
}

/// Marks that records before this sub-buffer were lost, in unknown number, unless the sub-buffer has such a mark.
pub fn follows_a_gap(bytes: &mut [u8], layout: &PageLayout) {
    change(bytes, layout, |used| used | MISSED_EVENTS);
}

fn change(bytes: &mut [u8], layout: &PageLayout, of: impl Fn(u64) -> u64) {
    let Some(field) = bytes.get_mut(layout.used_offset..layout.used_offset + layout.used_size) else { return };
    let mut wide = [0; 8];
    wide[..field.len()].copy_from_slice(field);
    let changed = of(u64::from_le_bytes(wide));
    field.copy_from_slice(&changed.to_le_bytes()[..field.len()]);
}

fn missed(commit: u64, count: impl FnOnce() -> Option<u64>) -> Option<OverwrittenRecords> {
    if commit & MISSED_EVENTS == 0 {
        return None;
    }
    let counted = (commit & MISSED_STORED != 0).then(count).flatten();
    Some(counted.map_or(OverwrittenRecords::Uncounted, OverwrittenRecords::Counted))
}

fn number(bytes: &[u8], offset: usize, size: usize) -> Option<u64> {
    let field = bytes.get(offset..offset.checked_add(size)?)?;
    let mut wide = [0; 8];
    wide[..size].copy_from_slice(field);
    Some(u64::from_le_bytes(wide))
}

/// Iterates over the records of one page.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    end: usize,
    at_ns: u64,
    page_ns: u64,
}

/// A place between two records of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    at: usize,
    /// The time of the previous record.
    at_ns: u64,
}

impl<'a> Records<'a> {
    /// The place of the next record.
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        Mark { at: self.end - self.rest.len(), at_ns: self.at_ns }
    }

    /// The record at the start of `record` exceeds the page, so the records after it cannot be found.
    #[inline(always)]
    fn end_with(&mut self, record: &'a [u8]) -> Result<Record<'a>, PageError> {
        self.rest = &[];
        Err(PageError::Record { at: self.end - record.len() })
    }

    /// An absolute stamp lacks the upper bits of the time. These are the page's upper bits, or one more after an overflow.
    fn absolute(&self, low: u64) -> u64 {
        let upper = self.page_ns & !((1 << STAMP_BITS) - 1);
        let whole = upper | (low & ((1 << STAMP_BITS) - 1));
        if whole < self.page_ns { whole.wrapping_add(1 << STAMP_BITS) } else { whole }
    }

    /// Like [`Self::of_two_words`], but by value: passing the iterator's address would keep it in memory for every record.
    #[inline(never)]
    fn past_two_words(
        mut self,
        record: &'a [u8],
        word: u32,
    ) -> (Self, ControlFlow<Option<Result<Record<'a>, PageError>>>) {
        let step = self.of_two_words(record, word);
        (self, step)
    }

    /// An entry with a head of two words: a stamp or padding, which is skipped, or a record whose second word is its length.
    #[inline(always)]
    fn of_two_words(&mut self, record: &'a [u8], word: u32) -> ControlFlow<Option<Result<Record<'a>, PageError>>> {
        let (kind, delta) = (word & LENGTH_MASK, (word >> LENGTH_BITS) as u64);
        if kind == PADDING && delta == 0 {
            self.rest = &[];
            return ControlFlow::Break(None);
        }
        let Some((second, after)) = record[4..].split_first_chunk() else {
            return ControlFlow::Break(Some(self.end_with(record)));
        };
        let second = u32::from_le_bytes(*second);
        let extended = ((second as u64) << DELTA_BITS) + delta;
        match kind {
            TIME_EXTEND => (self.rest, self.at_ns) = (after, self.at_ns.wrapping_add(extended)),
            TIME_STAMP => (self.rest, self.at_ns) = (after, self.absolute(extended)),
            _ => {
                // The length in the second word includes that word.
                let data = (second as usize).checked_sub(4).and_then(|bytes| after.get(..bytes));
                let Some(data) = data else { return ControlFlow::Break(Some(self.end_with(record))) };
                self.rest = after.get(data.len().next_multiple_of(4)..).unwrap_or_default();
                // The time of a discarded record is not added; the kernel does not count it for later records.
                if kind != PADDING {
                    self.at_ns = self.at_ns.wrapping_add(delta);
                    return ControlFlow::Break(Some(Ok(Record { at_ns: self.at_ns, data, ahead: after })));
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, PageError>;

    /// Nearly every record has its length in its first word.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = self.rest;
            let Some((word, after)) = record.split_first_chunk() else {
                return (!record.is_empty()).then(|| self.end_with(record));
            };
            let word = u32::from_le_bytes(*word);
            let words = word & LENGTH_MASK;
            if words == 0 || words >= PADDING {
                let step;
                (*self, step) = self.clone().past_two_words(record, word);
                match step {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(found) => return found,
                }
            }
            let Some((data, rest)) = after.split_at_checked(words as usize * 4) else {
                return Some(self.end_with(record));
            };
            (self.rest, self.at_ns) = (rest, self.at_ns.wrapping_add((word >> LENGTH_BITS) as u64));
            return Some(Ok(Record { at_ns: self.at_ns, data, ahead: after }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

    fn layout() -> PageLayout {
        PageLayout::parse(HEADER).unwrap()
    }

    fn page(first_ns: u64, flags: u64, words: &[u32]) -> Vec<u8> {
        let mut bytes = first_ns.to_le_bytes().to_vec();
        bytes.extend(((words.len() as u64 * 4) | flags).to_le_bytes());
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    fn word(kind: u32, delta: u32) -> u32 {
        kind | delta << 5
    }

    fn walked(bytes: &[u8]) -> Vec<Result<(u64, Vec<u8>), PageError>> {
        let page = Page::new(bytes, &layout()).unwrap();
        page.records().map(|record| record.map(|record| (record.at_ns, record.data.to_vec()))).collect()
    }

    #[test]
    fn a_record_is_its_length_its_time_and_its_words() {
        let bytes = page(1000, 0, &[word(1, 5), 7, word(2, 10), 8, 9]);
        assert_eq!(walked(&bytes), [Ok((1005, vec![7, 0, 0, 0])), Ok((1015, vec![8, 0, 0, 0, 9, 0, 0, 0]))]);
    }

    #[test]
    fn a_long_record_carries_its_length_in_its_second_word() {
        let mut words = vec![word(0, 3), 4 + 120];
        words.extend([0xabab_abab; 30]);
        words.extend([word(1, 1), 5]);
        let records = walked(&page(0, 0, &words));
        assert_eq!(records[0], Ok((3, vec![0xab; 120])));
        assert_eq!(records[1], Ok((4, vec![5, 0, 0, 0])));
    }

    #[test]
    fn a_long_gap_extends_the_time() {
        let bytes = page(10, 0, &[word(TIME_EXTEND, 1), 2, word(1, 0), 7]);
        assert_eq!(walked(&bytes), [Ok((10 + (2 << 27) + 1, vec![7, 0, 0, 0]))]);
    }

    #[test]
    fn an_absolute_stamp_takes_its_upper_bits_from_the_page() {
        let first = (3 << 59) + 100;
        let bytes = page(first, 0, &[word(TIME_STAMP, 200), 0, word(1, 1), 7]);
        assert_eq!(walked(&bytes)[0].as_ref().unwrap().0, (3 << 59) + 201);
        let wrapped = page(first, 0, &[word(TIME_STAMP, 50), 0, word(1, 0), 7]);
        assert_eq!(walked(&wrapped)[0].as_ref().unwrap().0, (4 << 59) + 50);
    }

    #[test]
    fn discarded_records_are_stepped_over_and_final_padding_ends_the_page() {
        let bytes = page(0, 0, &[word(PADDING, 9), 8, 0, word(1, 1), 7, word(PADDING, 0), 1, 2]);
        assert_eq!(walked(&bytes), [Ok((1, vec![7, 0, 0, 0]))]);
    }

    #[test]
    fn missed_records_are_told_with_their_count_where_the_kernel_stored_it() {
        let read = |bytes: &[u8]| Page::new(bytes, &layout()).unwrap().missed();
        assert_eq!(read(&page(0, 0, &[])), None);
        assert_eq!(read(&page(0, MISSED_EVENTS, &[])), Some(OverwrittenRecords::Uncounted));
        let mut counted = page(0, MISSED_EVENTS | MISSED_STORED, &[word(1, 0), 0]);
        counted.extend(77u64.to_le_bytes());
        assert_eq!(read(&counted), Some(OverwrittenRecords::Counted(77)));
    }

    #[test]
    fn what_does_not_fit_ends_the_walk_with_its_place() {
        assert_eq!(Page::new(&[0; 15], &layout()).unwrap_err(), PageError::NoHeader { bytes: 15 });
        assert_eq!(Page::new(&page(0, 4096, &[]), &layout()).unwrap_err(), PageError::Used { used: 4096, bytes: 0 });
        let over = page(0, 0, &[word(1, 0), 7, word(3, 0), 7]);
        assert_eq!(walked(&over), [Ok((0, vec![7, 0, 0, 0])), Err(PageError::Record { at: 24 })]);
        assert_eq!(walked(&page(0, 0, &[word(0, 0), 3])), [Err(PageError::Record { at: 16 })]);
        assert_eq!(walked(&page(0, 0, &[word(0, 0), u32::MAX])), [Err(PageError::Record { at: 16 })]);
    }

    #[test]
    fn a_32_bit_kernel_has_a_shorter_header() {
        let text = HEADER.replace("offset:8;\tsize:8", "offset:8;\tsize:4").replace("offset:16", "offset:12");
        let layout = PageLayout::parse(&text).unwrap();
        assert_eq!(layout.bytes(), 4092);
        let bytes = [&5u64.to_le_bytes()[..], &8u32.to_le_bytes(), &word(1, 2).to_le_bytes(), &[9, 0, 0, 0]].concat();
        let page = Page::new(&bytes, &layout).unwrap();
        let record = page.records().next().unwrap().unwrap();
        assert_eq!((record.at_ns, record.data), (7, &[9, 0, 0, 0][..]));
    }

    proptest! {
        #[test]
        fn any_bytes_end_within_as_many_records_as_words(bytes in proptest::collection::vec(any::<u8>(), 0..4200)) {
            if let Ok(page) = Page::new(&bytes, &layout()) {
                prop_assert!(page.records().count() <= bytes.len() / 4);
            }
        }

        #[test]
        fn any_words_end_and_nothing_lies_outside_the_page(words in proptest::collection::vec((0u32..32, 0u32..64).prop_map(|(kind, delta)| word(kind, delta)), 0..600)) {
            let bytes = page(0, 0, &words);
            let page = Page::new(&bytes, &layout()).unwrap();
            let total: usize = page.records().flatten().map(|record| record.data.len()).sum();
            prop_assert!(total <= page.used());
        }
    }
}
