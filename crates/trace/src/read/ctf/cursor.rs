// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads one stream of a CTF trace packet by packet; only a part of the stream is in memory.
//!
//! A packet states how many events were discarded up to its end, but not whether they lie before its first event or after its
//! last one. So backwall marks a loss in both places.
#![expect(clippy::disallowed_types, reason = "reads files")]
use super::fields::{Bits, DecodedFields, Stop};
use super::layout::{Event as EventClass, Stream};
use super::meaning::Meaning;
use super::zephyr::Threads;
use crate::event::Event;
use crate::read::error::ReadError;
use crate::read::merged::Source;
use crate::read::receiver::Receiver;
use crate::read::tracked::{CPUS_MAX, Circumstances, Tracked};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

const MAGIC: u64 = 0xc1fc_1fc1;
/// Bytes of a stream that are in memory, unless an event is longer.
const WINDOW_BYTES: usize = 128 << 10;
const EVENT_BYTES_MAX: usize = 1 << 20;
const LOOKED_AHEAD_MAX: u64 = 1 << 20;
const NS_A_SECOND: i128 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct Class {
    pub(super) layout: Stream,
    pub(super) meanings: BTreeMap<u64, (Meaning, usize)>,
    pub(super) lttng: bool,
    /// Whether to add the clock's offset, which is necessary if the trace has several clocks.
    pub(super) with_offset: bool,
    pub(super) slots: usize,
    pub(super) has_switches: bool,
}

impl Class {
    fn ns(&self, cycles: u64) -> u64 {
        let clock = &self.layout.clock;
        if clock.frequency_hz == 1_000_000_000 && !self.with_offset {
            return cycles;
        }
        let offset = if self.with_offset { clock.offset_cycles } else { 0 };
        let all = i128::from(cycles) + i128::from(offset);
        let seconds = if self.with_offset { i128::from(clock.offset_s) } else { 0 };
        let ns = all * NS_A_SECOND / i128::from(clock.frequency_hz) + seconds * NS_A_SECOND;
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }
}

#[derive(Debug)]
pub(super) struct StreamFile {
    pub(super) name: String,
    pub(super) file: File,
    pub(super) bytes: u64,
}

#[derive(Clone, Debug)]
enum Item {
    Event { cpu: u32, told: Circumstances, event: Event },
    Name { thread: i32, process: i32, name: String },
    GapBegins,
    GapEnds,
}

#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    begin: u64,
    bits: u64,
    content: u64,
    /// The packet does not state its size, so it lasts to the end of the file.
    is_whole_file: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    pub(super) class: u64,
    pub(super) stream: Option<u64>,
    pub(super) cpu: Option<u64>,
    pub(super) cycles: u64,
}

#[derive(Debug)]
pub(super) struct Cursor {
    files: Rc<Vec<StreamFile>>,
    class: Rc<Class>,
    cpu: u32,
    number: usize,
    packet: Packet,
    /// Offset of the next event in the packet, in bits.
    at: u64,
    window: Vec<u8>,
    window_at: u64,
    window_bytes: usize,
    seen: DecodedFields,
    zephyr: Threads,
    discarded: Option<u64>,
    sequence: Option<u64>,
    items: VecDeque<(u64, Item)>,
    pub(super) counts: Vec<u64>,
    pub(super) missed: u64,
    pub(super) places: u64,
    last_ns: u64,
    lossy: bool,
    /// The packet's losses may also lie after its last event.
    lossy_end: bool,
    /// The thread that has the CPU now. The next switch names it.
    expected: Option<i32>,
}

impl Cursor {
    pub(super) fn new(files: Rc<Vec<StreamFile>>, class: Rc<Class>, cpu: u32, window_bytes: usize) -> Self {
        let counts = vec![0; class.meanings.len()];
        let seen = DecodedFields { slots: vec![0; class.slots], ..DecodedFields::default() };
        Self {
            files,
            class,
            cpu,
            number: 0,
            packet: Packet::default(),
            at: 0,
            window: Vec::new(),
            window_at: 0,
            window_bytes: window_bytes.min(WINDOW_BYTES),
            seen,
            zephyr: Threads::default(),
            discarded: None,
            sequence: None,
            items: VecDeque::new(),
            counts,
            missed: 0,
            places: 0,
            last_ns: 0,
            lossy: false,
            lossy_end: false,
            expected: None,
        }
    }

    pub(super) fn begin(&mut self) -> Result<(), ReadError> {
        self.look_ahead()?;
        self.fill()
    }

    pub(super) fn head(file: &StreamFile, classes: &BTreeMap<u64, Rc<Class>>) -> Result<Option<Head>, ReadError> {
        let any = classes.values().next().ok_or(ReadError::NotRead("the metadata describes no stream".to_string()))?;
        let header = any.layout.packet_header.as_ref();
        let slots = classes.values().map(|class| class.slots).max().unwrap_or(0);
        let mut seen = DecodedFields { slots: vec![0; slots], ..DecodedFields::default() };
        let mut window = vec![0; file.bytes.min(4_096) as usize];
        file.file.read_exact_at(&mut window, 0)?;
        let mut bits = Bits { bytes: &window, begin: 0, end: 8 * file.bytes, at: 0 };
        if window.is_empty() {
            return Ok(None);
        }
        let cut = |stop| of_head(stop, file, 0, window.len() as u64);
        header.iter().try_for_each(|header| seen.field(header, &mut bits)).map_err(cut)?;
        if seen.magic.is_some_and(|magic| magic != MAGIC) {
            return Err(ReadError::NotRead(format!(
                "{}: not a CTF packet; move this file out of the trace's folder",
                file.name
            )));
        }
        let only = classes.keys().next().copied().unwrap_or(0);
        let id = seen.stream_class.unwrap_or(only);
        let class = classes.get(&id);
        let class = class
            .ok_or_else(|| ReadError::NotRead(format!("{}: the metadata does not describe stream {id}", file.name)))?;
        class.layout.packet_context.iter().try_for_each(|context| seen.field(context, &mut bits)).map_err(cut)?;
        Ok(Some(Head { class: id, stream: seen.stream, cpu: seen.cpu, cycles: seen.cycles }))
    }

    fn file(&self) -> &StreamFile {
        &self.files[self.number]
    }

    fn bad(&self, what: String) -> ReadError {
        let at = self.packet.begin + self.at / 8;
        ReadError::NotRead(format!("{}: byte {at}: {what}", self.file().name))
    }

    /// Steps into the next packet; `false` at the end of the stream.
    fn next_packet(&mut self) -> Result<bool, ReadError> {
        let mut begin = self.packet.begin + self.packet.bits / 8;
        while begin >= self.file().bytes {
            if self.number + 1 == self.files.len() {
                return Ok(false);
            }
            (self.number, begin) = (self.number + 1, 0);
        }
        let left = 8 * (self.file().bytes - begin);
        self.packet = Packet { begin, bits: left, content: left, is_whole_file: true };
        (self.at, self.window_at, self.window) = (0, 0, Vec::new());
        let seen = &mut self.seen;
        (seen.packet_bits, seen.content_bits, seen.magic, seen.discarded) = (None, None, None, None);
        (seen.sequence, seen.packet_end) = (None, None);
        let class = self.class.clone();
        let heads = [class.layout.packet_header.as_ref(), class.layout.packet_context.as_ref()];
        self.decode(|seen, bits| heads.iter().flatten().try_for_each(|head| seen.field(head, bits)))?;
        if self.seen.magic.is_some_and(|magic| magic != MAGIC) {
            self.at = 0;
            return Err(self.bad("expected a CTF packet here".to_string()));
        }
        self.measure(left)?;
        self.losses();
        Ok(true)
    }

    fn measure(&mut self, left: u64) -> Result<(), ReadError> {
        let stated = (self.seen.packet_bits, self.seen.content_bits);
        let (packet, content) = match stated {
            (Some(packet), Some(content)) => (packet, content),
            (Some(both), None) | (None, Some(both)) => (both, both),
            (None, None) => return Ok(()),
        };
        if packet % 8 != 0 || content > packet || content < self.at {
            return Err(self.bad(format!("a packet of {packet} bits claims a content of {content} bits")));
        }
        if packet > left {
            return Err(ReadError::NotRead(format!(
                "{}: truncated: the packet at byte {} has {} bytes, but {} are left; `truncate -s {}` keeps the \
                    complete packets",
                self.file().name,
                self.packet.begin,
                packet / 8,
                left / 8,
                self.packet.begin
            )));
        }
        self.packet = Packet { bits: packet, content, is_whole_file: false, ..self.packet };
        Ok(())
    }

    /// Checks whether events were discarded or packets lost since the last packet.
    fn losses(&mut self) {
        let after = std::mem::take(&mut self.lossy_end);
        let mut lost = false;
        if let Some(now) = self.seen.discarded {
            let mask = u64::MAX >> (64 - self.seen.discarded_bits.clamp(1, 64));
            let missed = now.wrapping_sub(self.discarded.unwrap_or(0)) & mask;
            self.missed = self.missed.saturating_add(missed);
            self.lossy_end = missed > 0;
            lost |= missed > 0;
            self.discarded = Some(now);
        }
        if let Some(now) = self.seen.sequence {
            lost |= self.sequence.is_some_and(|before| before.wrapping_add(1) != now);
            self.sequence = Some(now);
        }
        self.places += u64::from(lost);
        self.lossy |= lost || after;
    }

    fn decode<T>(
        &mut self,
        mut work: impl FnMut(&mut DecodedFields, &mut Bits<'_>) -> Result<T, Stop>,
    ) -> Result<T, ReadError> {
        let cycles = self.seen.cycles;
        loop {
            let (window, begin) = (std::mem::take(&mut self.window), self.window_at);
            let mut bits = Bits { bytes: &window, begin, end: self.packet.content, at: self.at };
            let done = work(&mut self.seen, &mut bits);
            let at = bits.at;
            self.window = window;
            match done {
                Ok(done) => {
                    self.at = at;
                    return Ok(done);
                }
                Err(Stop::Bad(what)) => return Err(self.bad(what)),
                Err(Stop::More) => self.seen.cycles = cycles,
            }
            if !self.read_more()? {
                return Err(self.cut());
            }
        }
    }

    fn cut(&self) -> ReadError {
        let name = &self.file().name;
        let at = self.packet.begin + self.at / 8;
        let what = match self.packet.is_whole_file {
            true => {
                format!("{name}: truncated in the event at byte {at}; `truncate -s {at}` keeps the complete events")
            }
            false => format!("{name}: byte {at}: an event exceeds its packet"),
        };
        ReadError::NotRead(what)
    }

    /// Moves the window to the next event, or makes it longer; `false` at the end.
    fn read_more(&mut self) -> Result<bool, ReadError> {
        let begin = self.at / 8;
        let left = (self.packet.content.div_ceil(8)).saturating_sub(begin);
        let held = self.window.len();
        let moved = self.window_at != 8 * begin || held == 0;
        let length = if moved { self.window_bytes } else { held * 2 };
        let length = left.min(length as u64) as usize;
        if !moved && (length <= held || length > EVENT_BYTES_MAX) {
            return Ok(false);
        }
        if moved {
            self.window.truncate(length);
            self.window.shrink_to(self.window_bytes);
        }
        self.window.resize(length, 0);
        self.window_at = 8 * begin;
        let place = self.packet.begin + begin;
        let file = &self.files[self.number].file;
        file.read_exact_at(&mut self.window, place)?;
        Ok(length > 0)
    }

    /// Decodes the next event; `None` at the end of the packet.
    fn next_event(&mut self) -> Result<Option<(Meaning, usize)>, ReadError> {
        if self.at >= self.packet.content {
            return Ok(None);
        }
        let class = self.class.clone();
        let begin = self.at;
        let (meaning, number) = self.decode(|seen, bits| {
            (seen.event_class, seen.thread, seen.flags) = (None, None, None);
            let layout = &class.layout;
            layout.event_header.iter().try_for_each(|header| seen.field(header, bits))?;
            let id = seen.event_class.unwrap_or(0);
            let unknown = || Stop::Bad(format!("an event of the undescribed class {id}"));
            let event: &EventClass = match layout.events.len() {
                1 if seen.event_class.is_none() => layout.events.values().next(),
                _ => layout.events.get(&id),
            }
            .ok_or_else(unknown)?;
            let scopes = [layout.event_context.as_ref(), event.context.as_ref(), event.payload.as_ref()];
            scopes.into_iter().flatten().try_for_each(|scope| seen.field(scope, bits))?;
            let only = || class.meanings.values().next().copied();
            class.meanings.get(&id).copied().or_else(only).ok_or_else(unknown)
        })?;
        if self.at == begin {
            return Err(self.bad("an event of 0 bits".to_string()));
        }
        Ok(Some((meaning, number)))
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        while self.items.is_empty() {
            let Some((meaning, number)) = self.next_event()? else {
                if !self.next_packet()? {
                    return Ok(());
                }
                if self.lossy {
                    self.items.push_back((self.last_ns, Item::GapBegins));
                    self.look_ahead()?;
                }
                continue;
            };
            self.counts[number] += 1;
            let at_ns = self.class.ns(self.seen.cycles);
            if std::mem::take(&mut self.lossy) {
                self.items.push_back((at_ns, Item::GapEnds));
            }
            self.last_ns = at_ns;
            let bits = Bits { bytes: &self.window, begin: self.window_at, end: self.packet.content, at: self.at };
            let told = Circumstances { thread: self.seen.thread, flags: self.seen.flags };
            let event = match meaning {
                Meaning::Zephyr(step) => self.zephyr.step(step, &self.seen, &bits),
                other => other.event(&self.seen, &bits, self.class.lttng),
            };
            if let Some(event) = event {
                let cpu = self.seen.cpu.map_or(Ok(self.cpu), u32::try_from).ok().filter(|cpu| *cpu < CPUS_MAX);
                let Some(cpu) = cpu else { return Err(self.bad("CPU number out of range".to_string())) };
                self.items.push_back((at_ns, Item::Event { cpu, told, event }));
            } else if let Some((thread, process, name)) = meaning.name(&self.seen, &bits) {
                let name = String::from_utf8_lossy(name).into_owned();
                self.items.push_back((at_ns, Item::Name { thread, process, name }));
            }
        }
        Ok(())
    }

    /// Finds the next switch, which names the thread that has the CPU until then.
    fn look_ahead(&mut self) -> Result<(), ReadError> {
        if !self.class.has_switches {
            return Ok(());
        }
        let mut ahead = Self::new(self.files.clone(), self.class.clone(), self.cpu, self.window_bytes);
        (ahead.number, ahead.packet, ahead.at) = (self.number, self.packet, self.at);
        (ahead.seen, ahead.discarded, ahead.sequence) = (self.seen.clone(), self.discarded, self.sequence);
        self.expected = None;
        for _ in 0..LOOKED_AHEAD_MAX {
            match ahead.next_event()? {
                Some((meaning @ Meaning::Switch { .. }, _)) => {
                    let bits =
                        Bits { bytes: &ahead.window, begin: ahead.window_at, end: ahead.packet.content, at: ahead.at };
                    if let Some(Event::Switch { from, .. }) = meaning.event(&ahead.seen, &bits, ahead.class.lttng) {
                        self.expected = Some(from.id);
                    }
                    return Ok(());
                }
                Some(_) => {}
                None if !ahead.next_packet()? || ahead.lossy => return Ok(()),
                None => {}
            }
        }
        Ok(())
    }
}

fn of_head(stop: Stop, file: &StreamFile, at: u64, held: u64) -> ReadError {
    match stop {
        Stop::More if file.bytes > held => {
            ReadError::NotRead(format!("{}: the header of a packet has more than {held} bytes", file.name))
        }
        Stop::More => ReadError::NotRead(format!("{}: truncated in the packet at byte {at}", file.name)),
        Stop::Bad(what) => ReadError::NotRead(format!("{}: byte {at}: {what}", file.name)),
    }
}

#[derive(Debug)]
pub(super) struct NamedSource<'a> {
    pub(super) cursor: Cursor,
    pub(super) about: &'a std::cell::RefCell<&'a mut crate::read::about::About>,
}

impl Source for NamedSource<'_> {
    fn at_ns(&self) -> Option<u64> {
        self.cursor.items.front().map(|(at_ns, _)| *at_ns)
    }

    fn give(&mut self, to: &mut Tracked<'_, impl Receiver>) -> Result<(), ReadError> {
        let Some((at_ns, item)) = self.cursor.items.pop_front() else { return Ok(()) };
        let cpu = self.cursor.cpu;
        match item {
            Item::Event { cpu, told, event } => {
                if let Some(thread) = self.cursor.expected.take() {
                    to.expect(cpu, thread);
                }
                to.event(cpu, at_ns, told, event);
            }
            Item::Name { thread, process, name } => self.about.borrow_mut().name_thread(thread, process, &name),
            Item::GapBegins => to.gap_begins(cpu, at_ns),
            Item::GapEnds => to.gap(cpu, at_ns),
        }
        self.cursor.fill()?;
        if self.cursor.items.is_empty() && (self.cursor.lossy || self.cursor.lossy_end) {
            to.gap_begins(cpu, self.cursor.last_ns);
            to.gap(cpu, self.cursor.last_ns);
        }
        Ok(())
    }
}

/// The CPU that a stream names; a stream that names none counts as a CPU of its own.
pub(super) fn cpu_of(head: &Head, number: usize, name: &str) -> Result<u32, ReadError> {
    let cpu = head.cpu.unwrap_or(number as u64);
    let fits = u32::try_from(cpu).ok().filter(|cpu| *cpu < CPUS_MAX);
    fits.ok_or_else(|| ReadError::NotRead(format!("{name}: CPU {cpu} is out of range")))
}
