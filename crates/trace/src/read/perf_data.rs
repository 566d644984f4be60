// SPDX-License-Identifier: MIT OR Apache-2.0
//! perf.data with events of the scheduler, as `perf sched record` makes it: the kernel's records within perf's samples.
//! Source: perf.data-file-format.txt in the documentation of Linux's perf, and perf_event_open(2).
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::about::About;
use super::beginnings::{Beginnings, RecordingScan};
use super::error::ReadError;
use super::head;
use super::input::Input;
use super::layouts::Layouts;
use super::perf_order::SampleQueue;
use super::perf_packed::PackedRecords;
use super::perf_pipe;
use super::perf_sample::{SampleLayout, Written, lacks_events};
use super::played::Played;
use super::receiver::Receiver;
use super::understood;
use crate::ring::decoder::Decoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

pub(super) const MAGIC: &[u8] = b"PERFILE2";
const ATTRIBUTES_AT: u64 = 24;
const DATA_AT: u64 = 40;
const FEATURES_AT: u64 = 72;
const TRACING_DATA: u32 = 1;
pub(super) const LOST: u32 = 2;
const COMM: u32 = 3;
pub(super) const SAMPLE: u32 = 9;
const LOST_SAMPLES: u32 = 13;
const FINISHED_ROUND: u32 = 68;
const THREAD_MAP: u32 = 73;
/// Kinds of packed records; the second one states its packed length.
const PACKED: u32 = 81;
const PACKED_2: u32 = 83;
/// Minimum length of an attribute: it must hold its length and the kind of its samples.
const ATTRIBUTE_BYTES_MIN: u64 = 48;
pub(super) const ATTRIBUTES_MAX: u64 = 1 << 16;
/// More event numbers than any recording has: each event has one on each CPU.
pub(super) const NUMBERS_MAX: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct PerfData {
    file: File,
    layouts: Layouts,
    samples: Samples,
    data: (u64, u64),
    piped: bool,
}

impl PerfData {
    pub(super) fn of(file: File) -> Result<Self, ReadError> {
        let input = Input::new(&file)?;
        if perf_pipe::is_piped(&input)? {
            let perf_pipe::Piped { samples, layouts, data } = perf_pipe::head(&file, &input)?;
            return Ok(Self { layouts, samples, data, file, piped: true });
        }
        let data = part(&input, DATA_AT)?;
        if data.1 == 0 {
            return Err(ReadError::NotRead("perf did not finish this recording: it holds no data".to_string()));
        }
        let samples = samples(&input)?;
        let layouts = layouts(&input, data)?;
        Ok(Self { layouts, samples, data, file, piped: false })
    }

    pub(super) fn about(&self) -> About {
        let form = if self.piped { "perf.data of a pipe" } else { "perf.data" };
        About { form: form.to_string(), clock: Some("perf".to_string()), marks: true, ..About::default() }
    }

    /// Plays the samples in order of time; puts names into `about`.
    pub(super) fn play(&mut self, about: &mut About, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let mut tally = Tally::new(self.layouts.decoder()?, self.beginnings()?);
        let mut records = self.records()?;
        while let Some((kind, at, body)) = records.next()?.filter(|_| !receiver.is_done()) {
            match kind {
                SAMPLE => match self.samples.of(body) {
                    Some(layout) => tally.sample(&layout, at, body, receiver)?,
                    None => tally.others += 1,
                },
                FINISHED_ROUND => tally.ordered.round(receiver),
                LOST => tally.lost(number(body, 8), self.samples.written(body, 16), receiver),
                LOST_SAMPLES => tally.lost(number(body, 0), self.samples.written(body, 8), receiver),
                COMM => name(body, about),
                THREAD_MAP if is_of_some(body) => return Err(ReadError::NotRead(OF_SOME.to_string())),
                _ => {}
            }
        }
        about.lost = Some(tally.lost);
        tally.finish(&self.layouts, receiver)
    }
}

impl PerfData {
    /// Where losses begin; perf records only where a loss ended. Skips the search if the recording has no losses.
    fn beginnings(&self) -> Result<Beginnings, ReadError> {
        let mut seen = RecordingScan::default();
        if !self.tells_of_losses()? {
            return Ok(seen.beginnings());
        }
        let mut records = self.records()?;
        while let Some((kind, at, body)) = records.next()? {
            match kind {
                SAMPLE => {
                    let Some(layout) = self.samples.of(body) else { continue };
                    let found = layout.read(body).map_err(|what| ReadError::Bad { at, what: what.to_string() })?;
                    seen.event(found.cpu, found.at_ns);
                }
                LOST => seen.gap(self.samples.written(body, 16).map(|(_, cpu)| cpu)),
                LOST_SAMPLES => seen.gap(self.samples.written(body, 8).map(|(_, cpu)| cpu)),
                _ => {}
            }
        }
        Ok(seen.beginnings())
    }

    fn tells_of_losses(&self) -> Result<bool, ReadError> {
        let mut records = self.records()?;
        while let Some((kind, ..)) = records.next()? {
            if [LOST, LOST_SAMPLES].contains(&kind) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn records(&self) -> Result<Records<'_>, ReadError> {
        (&self.file).seek(SeekFrom::Start(self.data.0))?;
        Ok(Records::new(&self.file, self.data, self.piped))
    }
}

struct Tally {
    decoder: Decoder,
    ordered: SampleQueue,
    counts: Vec<u64>,
    others: u64,
    too_short: u64,
    /// Number of places with missing samples, and number of missing samples, if counted.
    gaps: u64,
    lost: u64,
}

impl Tally {
    fn new(decoder: Decoder, beginnings: Beginnings) -> Self {
        let counts = vec![0; 1 << 16];
        Self { decoder, ordered: SampleQueue::with(beginnings), counts, others: 0, too_short: 0, gaps: 0, lost: 0 }
    }

    fn sample(
        &mut self,
        layout: &SampleLayout,
        at: u64,
        body: &[u8],
        receiver: &mut impl Receiver,
    ) -> Result<(), ReadError> {
        let found = layout.read(body).map_err(|what| ReadError::Bad { at, what: what.to_string() })?;
        let Some(id) = found.record.first_chunk().map(|id| u16::from_le_bytes(*id)) else {
            self.too_short += 1;
            return Ok(());
        };
        self.counts[id as usize] += 1;
        match self.decoder.decode(found.at_ns, found.record) {
            Some(stamped) => self.ordered.push(found.cpu, stamped, receiver),
            // The record's event counts as lost.
            None if self.decoder.knows(id) => {
                self.too_short += 1;
                self.gaps += 1;
                self.ordered.gap(Some((found.at_ns, found.cpu)), receiver);
            }
            None => {}
        }
        Ok(())
    }

    fn lost(&mut self, samples: u64, written: Option<Written>, receiver: &mut impl Receiver) {
        self.gaps += 1;
        self.lost = self.lost.saturating_add(samples);
        self.ordered.gap(written, receiver);
    }

    fn finish(self, layouts: &Layouts, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let mut notes = self.ordered.finish(receiver)?;
        notes.extend(understood::records(self.too_short, self.counts.iter().sum())?);
        let mut by_name = layouts.by_name(&self.counts);
        if self.others > 0 {
            by_name.insert("events of perf's own".to_string(), self.others);
        }
        Ok(Played { by_name, gaps: self.gaps, wrapped: 0, missed: self.lost, notes })
    }
}

fn part(input: &Input<'_>, at: u64) -> Result<(u64, u64), ReadError> {
    let mut input = input.at(at, "the head of perf.data")?;
    let (begin, length) = (input.long("the position of a part")?, input.long("the length of a part")?);
    head::within(&input, begin, length)?;
    Ok((begin, length))
}

#[derive(Debug)]
pub(super) enum Samples {
    Alike(SampleLayout),
    ByNumber(BTreeMap<u64, SampleLayout>),
}

impl Samples {
    fn of(&self, body: &[u8]) -> Option<SampleLayout> {
        match self {
            Samples::Alike(layout) => Some(*layout),
            Samples::ByNumber(layouts) => layouts.get(&number(body, 0)).copied(),
        }
    }

    /// Time and CPU of a record that is no sample, if perf stored them after the record's own fields.
    fn written(&self, body: &[u8], own_bytes: usize) -> Option<Written> {
        let layout = match self {
            Samples::Alike(layout) => *layout,
            // The event number comes last.
            Samples::ByNumber(layouts) => *layouts.get(&number(body, body.len().checked_sub(8)?))?,
        };
        layout.written(body, own_bytes)
    }
}

/// The forms of the samples. Each kind of event has its own form; with several kinds, each sample must begin with its event
/// number.
fn samples(input: &Input<'_>) -> Result<Samples, ReadError> {
    let each = input.at(16, "the head of perf.data")?.long("the length of an attribute")?;
    let (begin, length) = part(input, ATTRIBUTES_AT)?;
    if each < ATTRIBUTE_BYTES_MIN || length / each > ATTRIBUTES_MAX {
        return Err(ReadError::Bad {
            at: 16,
            what: format!("the file has attributes of {each} bytes, a length that perf does not write"),
        });
    }
    let (mut kinds, mut by_number, mut numbers_left) = (Vec::new(), BTreeMap::new(), NUMBERS_MAX);
    for place in 0..length / each {
        let at = begin + place * each;
        let field = |offset: u64| input.at(at + offset, "an attribute")?.long("a field of an attribute");
        let (kind, all) = (field(24)?, lacks_events(field(0)?, field(16)?, field(40)?));
        all.map_err(|what| ReadError::NotRead(what.to_string()))?;
        kinds.push(kind);
        if let Ok(layout) = SampleLayout::of(kind) {
            by_number
                .extend(numbers(input, at + each - 16, &mut numbers_left)?.into_iter().map(|number| (number, layout)));
        }
    }
    of_kinds(kinds, by_number)
}

pub(super) fn of_kinds(mut kinds: Vec<u64>, by_number: BTreeMap<u64, SampleLayout>) -> Result<Samples, ReadError> {
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [] => Err(ReadError::NotRead("no event was recorded".to_string())),
        [kind] => SampleLayout::of(*kind).map(Samples::Alike).map_err(|what| ReadError::NotRead(what.to_string())),
        several if several.iter().all(|kind| SampleLayout::begins_with_number(*kind)) => {
            Ok(Samples::ByNumber(by_number))
        }
        _ => Err(ReadError::NotRead("samples of several formats; record the scheduler's events only".to_string())),
    }
}

/// The numbers of an event on all CPUs; `left` limits the numbers of all events together.
fn numbers(input: &Input<'_>, at: u64, left: &mut u64) -> Result<Vec<u64>, ReadError> {
    let (begin, length) = part(input, at)?;
    *left = left
        .checked_sub(length / 8)
        .ok_or_else(|| ReadError::Bad { at, what: format!("more than {NUMBERS_MAX} event numbers") })?;
    let mut input = input.at(begin, "the numbers of an event")?;
    (0..length / 8).map(|_| input.long("the number of an event")).collect()
}

fn layouts(input: &Input<'_>, data: (u64, u64)) -> Result<Layouts, ReadError> {
    let features = input.at(FEATURES_AT, "the features")?.long("the features")?;
    if features & 1 << TRACING_DATA == 0 {
        return Err(ReadError::NotRead("no kernel tracepoints; record with perf sched record".to_string()));
    }
    let before = u64::from((features & ((1 << TRACING_DATA) - 1)).count_ones());
    let (begin, _) = part(input, data.0 + data.1 + 16 * before)?;
    layouts_at(input, begin)
}

pub(super) fn layouts_at(input: &Input<'_>, begin: u64) -> Result<Layouts, ReadError> {
    let mut input = input.at(begin, "the kernel's layouts")?;
    input.skip(super::trace_dat::MAGIC.len() as u64, "the first bytes of the layouts")?;
    input.name("the version of the layouts")?;
    input.skip(1 + 1 + 4, "byte order and sizes")?;
    head::header_info(&mut input)?;
    let mut layouts = Layouts::default();
    head::ftrace_events(&mut input, &mut layouts)?;
    head::event_formats(&mut input, &mut layouts)?;
    Ok(layouts)
}

pub(super) fn number(body: &[u8], at: usize) -> u64 {
    body.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

const OF_SOME: &str = "perf recorded single processes or threads (-p, -t or -u), so who ran instead of them is missing; record \
    with perf sched record, or with perf record -a";

/// Whether perf's list of the recorded threads has any; of a whole system, the list is -1. Before it comes the list's length.
fn is_of_some(body: &[u8]) -> bool {
    body.len() >= 16 && number(body, 8) != u64::MAX
}

/// Process, thread, and the thread's name, which a zero ends.
fn name(body: &[u8], about: &mut About) {
    let (Some(ids), Some(text)) = (body.first_chunk::<8>(), body.get(8..)) else { return };
    let half = |at: usize| i32::from_le_bytes([ids[at], ids[at + 1], ids[at + 2], ids[at + 3]]);
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    about.name_thread(half(4), half(0), &String::from_utf8_lossy(text));
}

const SHORT: &str = "a compressed record of perf is too short";

/// A record's kind, offset and body.
pub(super) type Found<'a> = (u32, u64, &'a [u8]);

pub(super) struct Records<'a> {
    input: BufReader<std::io::Take<&'a File>>,
    at: u64,
    left: u64,
    body: Vec<u8>,
    packed: PackedRecords,
    /// In a pipe, some records have data after them that the record's length does not include.
    piped: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(file: &'a File, (at, left): (u64, u64), piped: bool) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 18, file.take(left)),
            at,
            left,
            body: Vec::new(),
            packed: PackedRecords::default(),
            piped,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Found<'_>>, ReadError> {
        loop {
            if self.packed.is_begun() {
                if self.packed.ends_round() {
                    return Ok(Some((FINISHED_ROUND, self.at, &[])));
                }
                if let Some(record) = self.packed.next(self.at)? {
                    self.body.clear();
                    self.body.extend_from_slice(record);
                    return Ok(self
                        .body
                        .split_first_chunk()
                        .map(|(kind, rest)| (u32::from_le_bytes(*kind), self.at, rest.get(4..).unwrap_or_default())));
                }
            }
            let Some((kind, at)) = self.read()? else {
                if !self.packed.is_begun() || self.packed.has_ended() {
                    return Ok(None);
                }
                self.packed.end();
                continue;
            };
            match kind {
                PACKED => self.packed.take(&self.body),
                PACKED_2 => {
                    let bytes = number(&self.body, 0).try_into().unwrap_or(usize::MAX);
                    let packed = self.body.get(8..).and_then(|rest| rest.get(..bytes));
                    self.packed.take(packed.ok_or_else(|| ReadError::Bad { at, what: SHORT.to_string() })?);
                }
                FINISHED_ROUND if self.packed.is_begun() => self.packed.round(),
                _ => return Ok(Some((kind, at, &self.body))),
            }
        }
    }

    /// Reads a record without unpacking it; returns its kind and its offset.
    fn read(&mut self) -> Result<Option<(u32, u64)>, ReadError> {
        const HEAD: u64 = 8;
        if self.left == 0 {
            return Ok(None);
        }
        let at = self.at;
        let cut = |wanted, left| ReadError::Cut { at, what: "a record of perf", wanted, left };
        if self.left < HEAD {
            return Err(cut(HEAD, self.left));
        }
        let mut head = [0; HEAD as usize];
        self.input.read_exact(&mut head)?;
        let kind = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let length = u64::from(u16::from_le_bytes([head[6], head[7]]));
        if length < HEAD || length > self.left {
            return Err(cut(length.max(HEAD), self.left));
        }
        self.body.resize((length - HEAD) as usize, 0);
        self.input.read_exact(&mut self.body)?;
        self.at += length;
        self.left -= length;
        if self.piped {
            self.skip_behind(kind, at)?;
        }
        Ok(Some((kind, at)))
    }

    #[cold]
    fn skip_behind(&mut self, kind: u32, at: u64) -> Result<(), ReadError> {
        let behind = match kind {
            perf_pipe::TRACING_DATA => self.body.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes))),
            perf_pipe::AUXTRACE => number(&self.body, 0),
            _ => return Ok(()),
        };
        if behind > self.left {
            return Err(ReadError::Cut {
                at,
                what: "the data after a record of perf",
                wanted: behind,
                left: self.left,
            });
        }
        std::io::copy(&mut (&mut self.input).take(behind), &mut std::io::sink())?;
        self.at += behind;
        self.left -= behind;
        Ok(())
    }
}

#[test]
fn a_recording_of_single_threads_is_known_by_perfs_list() {
    let map = |thread: u64| [1u64.to_le_bytes(), thread.to_le_bytes(), [0; 8], [0; 8]].concat();
    assert!(is_of_some(&map(20_655)) && !is_of_some(&map(u64::MAX)) && !is_of_some(&[0; 8]));
}
