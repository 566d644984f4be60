// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sub-buffers of several CPUs, read from a file piece by piece and played in order of time.
//!
//! Each CPU's records are in order. The CPU whose next record is the earliest is played up to the next record of any other CPU,
//! so nothing is copied and nothing is sorted.
use super::error::ReadError;
use super::receiver::Receiver;
use crate::event::Stamped;
use crate::ring::decoder::{Decoder, Sink};
use crate::ring::page::{Extent, Mark, OverwrittenRecords, Page, PageLayout};

/// At most this many bytes of a CPU's records are in memory at once, but at least one sub-buffer.
const CHUNK_BYTES: usize = 256 << 10;
const ALL_BYTES: usize = 512 << 20;
/// A longer packed piece is refused; trace-cmd packs ten sub-buffers at once.
const PIECE_BYTES_MAX: usize = 16 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    page_bytes: usize,
    chunk: usize,
    pub(super) piece: usize,
}

impl Share {
    /// Divides the memory among the CPUs; `None` if it is too small for a sub-buffer of each.
    pub(super) fn among(processors: usize, page_bytes: usize) -> Option<Self> {
        let each = ALL_BYTES / processors.max(1);
        let chunk = each.min(CHUNK_BYTES.next_multiple_of(page_bytes)) / page_bytes * page_bytes;
        (chunk > 0).then_some(Self { page_bytes, chunk, piece: each.min(PIECE_BYTES_MAX) })
    }
}

pub(super) trait Chunks {
    /// Fills `chunk` with the next whole sub-buffers; returns their file offset, or `None` at the end.
    fn next(&mut self, chunk: &mut Vec<u8>, bytes: usize) -> Result<Option<u64>, ReadError>;
}

pub(super) struct Cursor<C> {
    pub(super) cpu: u32,
    chunks: C,
    chunk: Vec<u8>,
    chunk_at: u64,
    page_at: usize,
    share: Share,
    layout: PageLayout,
    extent: Extent,
    place: Option<Mark>,
    next_ns: u64,
    /// Records are missing before the next one, or after the last.
    gap: bool,
    gap_told: bool,
    last_ns: u64,
    broken: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) by_type: Box<[u64; 1 << 16]>,
    pub(super) too_short: u64,
    pub(super) gaps: u64,
    /// How many of `gaps` are before a CPU's first record, because the ring overwrote older events.
    pub(super) wrapped: u64,
    pub(super) missed: u64,
    /// Number of sub-buffers that could not be read to their end, and why the first one could not.
    pub(super) bad_pages: u64,
    pub(super) first_bad: Option<String>,
    last_ns: u64,
}

impl Default for Tally {
    fn default() -> Self {
        let by_type = vec![0; 1 << 16].into_boxed_slice().try_into();
        let by_type = by_type.unwrap_or_else(|_| unreachable!("the vector has exactly 65,536 elements"));
        Self { by_type, too_short: 0, gaps: 0, wrapped: 0, missed: 0, bad_pages: 0, first_bad: None, last_ns: 0 }
    }
}

impl<C: Chunks> Cursor<C> {
    pub(super) fn new(cpu: u32, chunks: C, layout: PageLayout, share: Share) -> Self {
        Self {
            cpu,
            chunks,
            chunk: Vec::new(),
            chunk_at: 0,
            page_at: 0,
            share,
            layout,
            extent: Extent::default(),
            place: None,
            next_ns: 0,
            gap: false,
            gap_told: false,
            last_ns: 0,
            broken: false,
        }
    }

    /// Steps into the next sub-buffer that has a record; `false` at the end.
    fn step(&mut self, tally: &mut Tally) -> Result<bool, ReadError> {
        loop {
            self.page_at += self.share.page_bytes;
            if self.page_at >= self.chunk.len() {
                let Some(at) = self.chunks.next(&mut self.chunk, self.share.chunk)? else {
                    (self.place, self.chunk) = (None, Vec::new());
                    return Ok(false);
                };
                (self.chunk_at, self.page_at) = (at, 0);
            }
            match Page::new(self.bytes(), &self.layout).map(|page| (page.missed(), page.first(), page.extent())) {
                Ok((missed, first, extent)) => {
                    self.extent = extent;
                    self.gap |= missed.is_some();
                    tally.missed = tally.missed.saturating_add(missed.map_or(0, OverwrittenRecords::count));
                    if let Some((place, at_ns)) = first {
                        (self.place, self.next_ns) = (Some(place), at_ns);
                        return Ok(true);
                    }
                }
                Err(error) => self.broken(&error.to_string(), tally),
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.chunk[self.page_at..(self.page_at + self.share.page_bytes).min(self.chunk.len())]
    }

    fn broken(&mut self, error: &str, tally: &mut Tally) {
        (self.gap, self.broken) = (true, true);
        tally.bad_pages += 1;
        tally.first_bad.get_or_insert_with(|| {
            format!("CPU {}, sub-buffer at byte {}: {error}", self.cpu, self.chunk_at + self.page_at as u64)
        });
    }

    /// Plays the records up to `until_ns`, inclusive, but only of this sub-buffer; `true` if none is left in it.
    fn play(&mut self, until_ns: u64, decoder: &Decoder, tally: &mut Tally, receiver: &mut impl Receiver) -> bool {
        self.tell_gap(self.next_ns, tally, receiver);
        let Some(place) = self.place else { return true };
        let bytes = &self.chunk[self.page_at..(self.page_at + self.share.page_bytes).min(self.chunk.len())];
        let mut records = self.extent.records_from(bytes, place);
        let mut sink = Through { cpu: self.cpu, receiver };
        let mut last_ns = 0;
        let (is_through, error) = loop {
            let before = records.mark();
            match records.next() {
                None => break (true, None),
                Some(Err(error)) => break (true, Some(error.to_string())),
                Some(Ok(record)) if record.at_ns > until_ns => {
                    (self.place, self.next_ns) = (Some(before), record.at_ns);
                    break (false, None);
                }
                Some(Ok(record)) => {
                    last_ns = record.at_ns;
                    let kind = record.data.first_chunk().map_or(0, |id| u16::from_le_bytes(*id));
                    tally.by_type[kind as usize] += 1;
                    if !decoder.give(record.at_ns, record.data, record.ahead, &mut sink) && decoder.knows(kind) {
                        // The record's event counts as lost.
                        tally.too_short += 1;
                        tally.gaps += 1;
                        sink.receiver.gap(self.cpu, record.at_ns);
                    }
                }
            }
        };
        self.last_ns = self.last_ns.max(last_ns);
        tally.last_ns = tally.last_ns.max(last_ns);
        error.iter().for_each(|error| self.broken(error, tally));
        is_through
    }

    /// Reports, once per gap, that this CPU's records are missing from its last one on. To be called before later events of other
    /// CPUs are delivered.
    fn tell_gap_begins(&mut self, receiver: &mut impl Receiver) {
        if self.gap && !std::mem::replace(&mut self.gap_told, true) {
            receiver.gap_begins(self.cpu, self.last_ns);
        }
    }

    fn tell_gap(&mut self, at_ns: u64, tally: &mut Tally, receiver: &mut impl Receiver) {
        self.gap_told = false;
        if std::mem::take(&mut self.gap) {
            tally.gaps += 1;
            tally.wrapped += u64::from(self.last_ns == 0 && !self.broken);
            receiver.gap(self.cpu, at_ns);
        }
    }
}

struct Through<'a, R> {
    cpu: u32,
    receiver: &'a mut R,
}

impl<R: Receiver> Sink for Through<'_, R> {
    #[inline(always)]
    fn take(&mut self, stamped: &Stamped) {
        self.receiver.event(self.cpu, stamped);
    }
}

/// Plays all CPUs in order of time; at equal times the lower CPU first. A loss after a CPU's last record lasts to the end of the
/// recording.
pub(super) fn play<C: Chunks>(
    mut cursors: Vec<Cursor<C>>,
    decoder: &Decoder,
    receiver: &mut impl Receiver,
) -> Result<Tally, ReadError> {
    let mut tally = Tally::default();
    cursors.sort_by_key(|cursor| cursor.cpu);
    let mut order = Vec::new();
    for (place, cursor) in cursors.iter_mut().enumerate() {
        if cursor.step(&mut tally)? {
            order.push((cursor.next_ns, place));
        }
        cursor.tell_gap_begins(receiver);
    }
    order.sort_unstable();
    while let Some(&(first_ns, first)) = order.first() {
        if receiver.is_done() {
            return Ok(tally);
        }
        let until_ns = until(first, order.get(1)).max(first_ns);
        let cursor = &mut cursors[first];
        let has_ended = cursor.play(until_ns, decoder, &mut tally, receiver) && !cursor.step(&mut tally)?;
        cursor.tell_gap_begins(receiver);
        if has_ended {
            order.remove(0);
        } else {
            put_back(&mut order, (cursor.next_ns, first));
        }
    }
    for cursor in &mut cursors {
        cursor.tell_gap(tally.last_ns, &mut tally, receiver);
    }
    Ok(tally)
}

/// Up to this time, the CPU at place `first` comes before the CPU `second`. At equal times, the lower place comes first.
fn until(first: usize, second: Option<&(u64, usize)>) -> u64 {
    match second {
        None => u64::MAX,
        Some((next_ns, place)) if *place < first => next_ns.saturating_sub(1),
        Some((next_ns, _)) => *next_ns,
    }
}

fn put_back(order: &mut [(u64, usize)], key: (u64, usize)) {
    let before = order[1..].partition_point(|other| *other < key);
    order.copy_within(1..=before, 0);
    order[before] = key;
}

#[cfg(test)]
mod tests;
