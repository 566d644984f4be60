// SPDX-License-Identifier: MIT OR Apache-2.0
//! The latest events, kept in memory while a recorder continues, and written as an ordinary recording on request.
//!
//! A recorder that reads its rings all the time keeps what it has read as long as there is room. A flight recorder reads its
//! rings on request, and keeps those events for the next snapshot. Neither stops recording.
use super::TraceError;
use crate::buffer::{Buffer, Ring, Texts};
use crate::quotas::Quotas;
use crate::tracker::{Names, system};
use crate::{functions, mentioned};
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::{Page, PageLayout, begins_with, follows_a_gap};
use backwall_trace::write::trace_dat::{self, Head};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Cursor;
use std::ops::RangeInclusive;
use std::sync::Arc;

const MOST_BYTES: usize = 16 << 20;
/// At most this many sub-buffers are kept. In a recording each has its full size, although a quiet CPU fills none.
const MOST_PAGES: usize = 16 << 10;
/// The row with the number of events that a ring overwrote unread. These events were too old, so they are no loss.
const OVERWRITTEN: &str = "overrun:";

/// Sub-buffers in the order of reading. If there is no room, the oldest are dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pages: VecDeque<(u32, Box<[u8]>)>,
    bytes: usize,
    given_up: BTreeSet<u32>,
}

impl Memory {
    pub(super) fn add(&mut self, cpu: u32, page: &[u8], layout: &PageLayout) {
        let length = Page::new(page, layout).map_or(page.len(), |read| read.length().min(page.len()));
        self.bytes += length;
        self.pages.push_back((cpu, page[..length].into()));
        while self.bytes > MOST_BYTES || self.pages.len() > MOST_PAGES {
            let Some((cpu, oldest)) = self.pages.pop_front() else { return };
            self.bytes -= oldest.len();
            self.given_up.insert(cpu);
        }
    }

    /// Appends sub-buffers after a gap: the first one of each CPU that has older ones is marked as following a loss.
    pub(super) fn append(&mut self, later: &Self, layout: &PageLayout) {
        let mut before: BTreeSet<u32> = self.pages.iter().map(|(cpu, _)| *cpu).collect();
        for (cpu, page) in &later.pages {
            match before.remove(cpu) {
                true => {
                    let mut first = page.to_vec();
                    follows_a_gap(&mut first, layout);
                    self.add(*cpu, &first, layout);
                }
                false => self.add(*cpu, page, layout),
            }
        }
    }

    pub(super) fn since(&self, from_ns: u64, layout: &PageLayout) -> BTreeMap<u32, Vec<Vec<u8>>> {
        let mut by_cpu: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
        for (cpu, page) in &self.pages {
            by_cpu.entry(*cpu).or_default().push(page.to_vec());
        }
        by_cpu
            .into_iter()
            .map(|(cpu, pages)| (cpu, within(&pages, from_ns..=u64::MAX, layout).cloned().collect()))
            .collect()
    }

    pub(super) fn forget_before(&mut self, from_ns: u64, layout: &PageLayout) {
        let kept = self.since(from_ns, layout);
        (self.pages, self.bytes) = (VecDeque::new(), 0);
        for (cpu, pages) in kept {
            pages.iter().for_each(|page| self.add(cpu, page, layout));
        }
    }

    pub(super) fn take(&mut self) -> BTreeMap<u32, Vec<Vec<u8>>> {
        self.bytes = 0;
        let mut by_cpu: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
        self.pages.drain(..).for_each(|(cpu, page)| by_cpu.entry(cpu).or_default().push(page.into_vec()));
        by_cpu
    }
}

/// The sub-buffers of one CPU that overlap this time; each lasts until the next one begins.
pub(super) fn within<'a>(
    pages: &'a [Vec<u8>],
    time: RangeInclusive<u64>,
    layout: &PageLayout,
) -> impl Iterator<Item = &'a Vec<u8>> {
    let begin = |page: &Vec<u8>| Page::new(page, layout).map_or(0, |page| page.first_ns());
    let begins: Vec<u64> = pages.iter().map(begin).collect();
    let ends: Vec<u64> = begins.iter().skip(1).copied().chain([u64::MAX]).collect();
    let inside = move |at: usize| ends[at] >= *time.start() && begins[at] <= *time.end();
    pages.iter().enumerate().filter(move |(at, _)| inside(*at)).map(|(_, page)| page)
}

#[derive(Clone, Debug)]
pub(super) struct Form {
    texts: Arc<Texts>,
    decoder: Decoder,
    layout: PageLayout,
    /// The quotas of all threads' control groups when the recorder began.
    quotas: Arc<Quotas>,
}

impl Form {
    pub(super) fn of(buffer: &Buffer, layout: PageLayout) -> Result<Self, TraceError> {
        let (texts, quotas) = (Arc::new(buffer.texts()?), Arc::new(Quotas::of_now()));
        Ok(Self { texts, decoder: buffer.decoder(), layout, quotas })
    }

    pub(super) fn lately<'a>(&self, memory: &Memory, rings: impl Iterator<Item = &'a Ring>) -> Lately {
        let told = |ring: &Ring| -> String {
            let rows = ring.statistics();
            rows.lines().filter(|row| !row.starts_with(OVERWRITTEN)).map(|row| format!("{row}\n")).collect()
        };
        Lately { form: self.clone(), memory: memory.clone(), statistics: rings.map(told).collect() }
    }
}

#[derive(Debug)]
pub struct Lately {
    form: Form,
    memory: Memory,
    statistics: Vec<String>,
}

impl Lately {
    /// The recording as the bytes of a `trace.dat`. The recording thread does none of this work.
    ///
    /// # Errors
    /// If no event was recorded yet.
    pub fn into_recording(mut self) -> Result<Vec<u8>, TraceError> {
        let Form { texts, decoder, layout, quotas } = self.form;
        let by_cpu = self.memory.take();
        let highest = by_cpu.keys().max().ok_or_else(|| cut("no event was recorded yet"))?;
        let mut cpus: Vec<Option<Cursor<Vec<u8>>>> = (0..=*highest).map(|_| None).collect();
        let mut addresses = BTreeSet::new();
        for (cpu, pages) in by_cpu {
            let mut whole = Cursor::new(whole(&pages, self.memory.given_up.contains(&cpu), &layout));
            mentioned::add(&mut whole, &layout, &decoder, &mut addresses).map_err(cut)?;
            whole.set_position(0);
            cpus[cpu as usize] = Some(whole);
        }
        let names = Names::of_now();
        let head = Head {
            header_page: texts.header_page.clone(),
            formats: texts.formats.clone(),
            clock: texts.clock.clone(),
            names: names.named(),
            processes: names.processes(),
            functions: functions::of_this_kernel().listed(&addresses),
            system: system(),
            statistics: self.statistics,
            smi: String::new(),
            quotas: quotas.used_up(),
        };
        let cpus = cpus.into_iter().map(|pages| pages.map(|pages| (pages.get_ref().len() as u64, pages))).collect();
        let mut bytes = Vec::new();
        trace_dat::write(&mut bytes, &head, layout.bytes(), cpus).map_err(cut)?;
        Ok(bytes)
    }
}

/// One CPU's sub-buffers in order, each padded to full size. If older ones of this CPU were given up or lost, the first is
/// marked as following a gap. The mark is needed because the events of other CPUs may reach further back, for example to the
/// wakeup of a thread that then came to this CPU.
fn whole(pages: &[Vec<u8>], given_up: bool, layout: &PageLayout) -> Vec<u8> {
    let mut whole = Vec::with_capacity(pages.len() * layout.bytes());
    for (number, page) in pages.iter().enumerate() {
        let begin = whole.len();
        whole.extend_from_slice(page);
        whole.resize(begin + layout.bytes(), 0);
        if number == 0 {
            let misses = Page::new(&whole[begin..], layout).is_ok_and(|page| page.missed().is_some());
            // The number of lost events comes after the records, and is not kept.
            begins_with(&mut whole[begin..], layout);
            if given_up || misses {
                follows_a_gap(&mut whole[begin..], layout);
            }
        }
    }
    whole
}

fn cut(error: impl ToString) -> TraceError {
    TraceError::Cut { reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

    fn page(number: u8, used: usize, flags: u64) -> Vec<u8> {
        let mut page = vec![0; 4_096];
        page[8..16].copy_from_slice(&(used as u64 | flags).to_le_bytes());
        page[16..16 + used].fill(number);
        page
    }

    #[test]
    fn the_newest_are_kept_in_their_order_and_of_a_quiet_processor_no_more_than_they_hold() {
        let layout = PageLayout::parse(HEADER).unwrap();
        let mut memory = Memory::default();
        for number in 0..=MOST_PAGES {
            memory.add(u32::from(number % 2 == 1), &page(number as u8, 8, 0), &layout);
        }
        assert_eq!((memory.pages.len(), memory.bytes), (MOST_PAGES, MOST_PAGES * 24));
        let by_cpu = memory.take();
        assert_eq!((memory.bytes, memory.pages.len()), (0, 0));
        assert_eq!((by_cpu[&0].len(), by_cpu[&1].len()), (MOST_PAGES / 2, MOST_PAGES / 2));
        assert_eq!((by_cpu[&0][0][16], by_cpu[&1][0][16]), (2, 1), "the very first was given up");

        for _ in 0..5_000 {
            memory.add(0, &page(1, 4_080, 0), &layout);
        }
        assert!(memory.bytes <= MOST_BYTES && memory.pages.len() == MOST_BYTES / 4_096);
    }

    #[test]
    fn what_came_behind_a_snapshot_says_once_a_processor_that_nothing_was_recorded_before_it() {
        let layout = PageLayout::parse(HEADER).unwrap();
        let (mut memory, mut later) = (Memory::default(), Memory::default());
        memory.add(0, &page(1, 8, 0), &layout);
        for (cpu, number) in [(0, 2), (1, 3), (0, 4)] {
            later.add(cpu, &page(number, 8, 0), &layout);
        }
        memory.append(&later, &layout);
        let told = |page: &Vec<u8>| (page[16], Page::new(page, &layout).unwrap().missed().is_some());
        let told: Vec<Vec<(u8, bool)>> = memory.take().values().map(|pages| pages.iter().map(told).collect()).collect();
        assert_eq!(told, [vec![(1, false), (2, true), (4, false)], vec![(3, false)]]);
        assert_eq!(later.pages.len(), 3, "and is kept for the next snapshot as it was");
    }

    #[test]
    fn a_recording_has_whole_sub_buffers_and_says_whether_anything_was_before_its_first() {
        let layout = PageLayout::parse(HEADER).unwrap();
        let missed = 1 << 31;
        let read = |flags, given_up| {
            let pages = [page(1, 8, flags), page(2, 8, missed)].map(|page| page[..24].to_vec());
            let whole = whole(&pages, given_up, &layout);
            let (first, second) = whole.split_at(4_096);
            let read = |bytes| Page::new(bytes, &layout).map(|page| (page.used(), page.missed().is_some())).unwrap();
            assert_eq!((whole.len(), read(second)), (8_192, (8, true)));
            read(first)
        };
        assert_eq!((read(0, false), read(missed | 1 << 30, false), read(0, true)), ((8, false), (8, true), (8, true)));
    }

    #[test]
    fn of_whom_something_was_given_up_is_known() {
        let layout = PageLayout::parse(HEADER).unwrap();
        let mut memory = Memory::default();
        memory.add(1, &page(1, 8, 0), &layout);
        (0..MOST_PAGES - 1).for_each(|_| memory.add(0, &page(1, 8, 0), &layout));
        assert!(memory.given_up.is_empty());
        memory.add(0, &page(1, 8, 0), &layout);
        assert_eq!(memory.given_up, [1].into());
        memory.take();
        assert_eq!(memory.given_up, [1].into(), "what is read next is later too");
    }
}
