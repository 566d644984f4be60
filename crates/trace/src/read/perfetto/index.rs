// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the events of each CPU are in a trace of Perfetto. One pass finds them, so that they can be played in order of time.
//!
//! The recorder writes the events of one CPU in a bundle, and the bundles of different CPUs in any order.
#![expect(clippy::disallowed_types, reason = "reads files")]
use super::events::{NUMBERS, Record};
use super::wire::{Fields, Value, varint};
use crate::read::about::About;
use crate::read::error::ReadError;
use crate::read::tracked::CPUS_MAX;
use flate2::read::ZlibDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// A longer packet is refused. If a recorder writes all switches of a CPU as one packet, that packet has some 6 million bytes.
pub(super) const PACKET_BYTES_MAX: u64 = 64 << 20;
/// Limit of the unpacked size of one field of compressed packets. Perfetto writes some 0.5 MB.
const UNPACKED_BYTES_MAX: u64 = 16 << 20;
const PARTS_MAX: usize = 1 << 19;
const DEPTH_MAX: usize = 1;

const PACKET: u64 = 1;
const FTRACE_EVENTS: u64 = 1;
const PROCESS_TREE: u64 = 2;
const SYSTEM: u64 = 45;
const COMPRESSED: u64 = 50;
const TRACK: u64 = 60;
const CPU: u64 = 1;
pub(super) const EVENT: u64 = 2;
const LOST: u64 = 3;
pub(super) const COMPACT: u64 = 4;
const CLOCK: u64 = 5;
const SWITCH_AT: u64 = 1;
const WAKING_AT: u64 = 7;
const WAKING_FLAGS: u64 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Events,
    Wakings,
    Switches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// File offset of the bundle, or of the compressed packets that contain it.
    pub(super) at: u64,
    pub(super) bytes: u32,
    pub(super) within: Option<(u32, u32)>,
}

/// Events of one CPU and kind, in order of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) cpu: u32,
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Loss {
    pub(super) cpu: u32,
    /// The start of the loss. Unknown for a CPU's first loss, and if the bundle overlaps the one before.
    pub(super) begin_ns: Option<u64>,
    pub(super) end_ns: u64,
}

#[derive(Debug)]
pub(super) struct Index {
    pub(super) parts: Vec<Part>,
    pub(super) losses: Vec<Loss>,
    pub(super) counts: Box<[u64]>,
    pub(super) unread: u64,
    pub(super) about: About,
    /// All wakeups are on CPU 0 without flags, although other CPUs have switches.
    pub(super) wakers_unknown: bool,
    pub(super) tracks: u64,
    latest: BTreeMap<u32, u64>,
    clocks: u32,
    wakings_elsewhere: bool,
    waking_flags: u64,
    system: Option<String>,
}

/// Whether a file begins like a trace of Perfetto: with a packet, and after that another one or the end.
pub(super) fn begins(bytes: &[u8], file_bytes: u64) -> bool {
    let mut at = 0;
    let Some(key) = varint(bytes, &mut at).filter(|key| *key == PACKET << 3 | 2) else { return false };
    let Some(length) = varint(bytes, &mut at).filter(|length| *length > 0) else { return false };
    let end = (at as u64).saturating_add(length);
    let inner = bytes.get(at..(end.min(bytes.len() as u64)) as usize).unwrap_or_default();
    let mut place = 0;
    let first = varint(inner, &mut place)
        .is_some_and(|key| (1..=2_000).contains(&(key >> 3)) && matches!(key & 7, 0 | 1 | 2 | 5));
    let next = usize::try_from(end).ok().and_then(|end| bytes.get(end));
    first
        && (next == Some(&(key as u8))
            || end == file_bytes
            || (next.is_none() && end > bytes.len() as u64 && !inner.is_ascii()))
}

impl Index {
    pub(super) fn of(file: &File) -> Result<Self, ReadError> {
        let mut index = Self {
            parts: Vec::new(),
            losses: Vec::new(),
            counts: vec![0; NUMBERS].into(),
            unread: 0,
            about: About::default(),
            wakers_unknown: false,
            tracks: 0,
            latest: BTreeMap::new(),
            clocks: 0,
            wakings_elsewhere: false,
            waking_flags: 0,
            system: None,
        };
        let bytes = file.metadata()?.len();
        let mut input = file;
        input.seek(SeekFrom::Start(0))?;
        let mut input = BufReader::with_capacity(1 << 18, input);
        let (mut at, mut packet) = (0, Vec::new());
        while at < bytes {
            let (key, key_bytes) = head(&mut input, at, bytes)?;
            let bad = |what: String| ReadError::Bad { at, what };
            let (length, length_bytes) = match key & 7 {
                2 => head(&mut input, at + key_bytes, bytes)?,
                _ => return Err(bad("expected a Perfetto packet here".to_string())),
            };
            let begin = at + key_bytes + length_bytes;
            if length > bytes - begin {
                let (wanted, left) = (length, bytes - begin);
                return Err(ReadError::Cut { at, what: "a packet of Perfetto", wanted, left });
            }
            if length > PACKET_BYTES_MAX {
                return Err(bad(format!("a packet of {length} bytes; the limit is 64 MiB")));
            }
            packet.resize(length as usize, 0);
            input.read_exact(&mut packet)?;
            if key >> 3 == PACKET {
                let place = Place { at: begin, bytes: length as u32, within: None };
                index.packet(&packet, place, 0, 0)?;
            }
            at = begin + length;
        }
        index.finish();
        Ok(index)
    }

    fn finish(&mut self) {
        let switching = self.parts.iter().filter(|part| part.kind == Kind::Switches).map(|part| part.cpu);
        let on_others = switching.clone().any(|cpu| cpu != 0);
        let has_wakings = self.parts.iter().any(|part| part.kind == Kind::Wakings);
        self.wakers_unknown = has_wakings && on_others && !self.wakings_elsewhere && self.waking_flags <= 1;
        let clock = ["boot", "unknown", "global", "local", "mono_raw"];
        self.about.clock = clock.get(self.clocks.trailing_zeros() as usize).map(|clock| clock.to_string());
        if self.clocks.count_ones() > 1 {
            self.about
                .notes
                .push("bundles of several clocks; events of different CPUs may be out of order".to_string());
        }
        self.about.system = self.system.take();
        self.about.form = "trace of Perfetto".to_string();
        self.about.cpus = self.parts.iter().map(|part| part.cpu + 1).max().unwrap_or(0);
    }

    fn packet(&mut self, bytes: &[u8], place: Place, offset: usize, depth: usize) -> Result<(), ReadError> {
        let bad = |what: &str| ReadError::Bad { at: place.at, what: format!("a packet of Perfetto: {what}") };
        let mut fields = Fields::of(bytes);
        while let Some((number, value)) = fields.next() {
            let Value::Bytes(inner) = value else { continue };
            match number {
                FTRACE_EVENTS => {
                    let begin = offset + fields.at - inner.len();
                    let part = match place.within {
                        None => Place { at: place.at + begin as u64, bytes: inner.len() as u32, within: None },
                        Some(_) => Place { within: Some((begin as u32, inner.len() as u32)), ..place },
                    };
                    self.bundle(inner, part)?;
                }
                PROCESS_TREE => self.process_tree(inner),
                SYSTEM => self.system(inner),
                TRACK => {
                    self.tracks += 1;
                    self.track(inner);
                }
                COMPRESSED if depth < DEPTH_MAX => {
                    let begin = place.at + (fields.at - inner.len()) as u64;
                    let all = unpacked(inner).map_err(|what| bad(&what))?;
                    let place = Place { at: begin, bytes: inner.len() as u32, within: Some((0, 0)) };
                    let mut packets = Fields::of(&all);
                    while let Some((number, value)) = packets.next() {
                        let packet = value.bytes();
                        if number == PACKET {
                            self.packet(packet, place, packets.at - packet.len(), depth + 1)?;
                        }
                    }
                    if packets.broken {
                        return Err(bad("compressed packets exceed their bounds"));
                    }
                }
                COMPRESSED => return Err(bad("packets are compressed twice")),
                _ => {}
            }
        }
        if fields.broken { Err(bad("a field exceeds its bounds")) } else { Ok(()) }
    }

    fn bundle(&mut self, bytes: &[u8], place: Place) -> Result<(), ReadError> {
        let (mut cpu, mut lost, mut clock) = (0, false, 0);
        let (mut events, mut switches, mut wakings) = (Extent::default(), Extent::default(), Extent::default());
        let mut fields = Fields::of(bytes);
        for (number, value) in fields.by_ref() {
            match (number, value) {
                (EVENT, Value::Bytes(event)) => match Record::of(event) {
                    Some(record) => {
                        self.counts[record.number] += 1;
                        events.take(record.at_ns);
                    }
                    None => self.unread += 1,
                },
                (CPU, value) => cpu = value.number(),
                (LOST, value) => lost = value.number() != 0,
                (CLOCK, value) => clock = value.number(),
                (COMPACT, Value::Bytes(compact)) => {
                    let bad = |what: &str| ReadError::Bad { at: place.at, what: format!("compact switches: {what}") };
                    let mut inner = Fields::of(compact);
                    for (number, value) in inner.by_ref() {
                        match (number, value) {
                            (SWITCH_AT, Value::Bytes(deltas)) => {
                                switches.take_all(deltas).ok_or_else(|| bad("a packed time is cut off or too long"))?
                            }
                            (WAKING_AT, Value::Bytes(deltas)) => {
                                wakings.take_all(deltas).ok_or_else(|| bad("a packed time is cut off or too long"))?
                            }
                            (WAKING_FLAGS, Value::Bytes(flags)) => {
                                let mut at = 0;
                                while let Some(flags) = varint(flags, &mut at) {
                                    self.waking_flags |= flags;
                                }
                            }
                            (6 | 8..=11 | 2..=4, Value::Number(_)) | (SWITCH_AT | WAKING_AT, _) => {
                                return Err(bad("expected packed times"));
                            }
                            _ => {}
                        }
                    }
                    if inner.broken {
                        return Err(bad("a field exceeds its bounds"));
                    }
                }
                _ => {}
            }
        }
        if fields.broken {
            return Err(ReadError::Bad {
                at: place.at,
                what: "a bundle of Perfetto: a field exceeds its bounds".to_string(),
            });
        }
        let fits = u32::try_from(cpu).ok().filter(|cpu| *cpu < CPUS_MAX);
        let cpu = fits.ok_or_else(|| ReadError::Bad { at: place.at, what: format!("CPU {cpu} is out of range") })?;
        self.clocks |= 1 << clock.min(31);
        (self.counts[4], self.counts[20]) = (self.counts[4] + switches.count, self.counts[20] + wakings.count);
        self.wakings_elsewhere |= cpu != 0 && wakings.count > 0;
        let (mut begin_ns, mut end_ns) = (u64::MAX, 0);
        for (kind, extent) in [(Kind::Events, events), (Kind::Wakings, wakings), (Kind::Switches, switches)] {
            if extent.count > 0 {
                (begin_ns, end_ns) = (begin_ns.min(extent.begin_ns), end_ns.max(extent.end_ns));
                self.parts.push(Part { cpu, kind, place, begin_ns: extent.begin_ns, end_ns: extent.end_ns });
            }
        }
        if self.parts.len() > PARTS_MAX {
            return Err(ReadError::NotRead(format!("more than {PARTS_MAX} bundles of events")));
        }
        let latest = self.latest.entry(cpu).or_default();
        if lost {
            let end_ns = if begin_ns == u64::MAX { *latest } else { begin_ns };
            let begin_ns = Some(*latest).filter(|latest| (1..end_ns).contains(latest));
            self.losses.push(Loss { cpu, begin_ns, end_ns });
        }
        *latest = end_ns.max(*latest);
        Ok(())
    }

    fn process_tree(&mut self, bytes: &[u8]) {
        for (number, value) in Fields::of(bytes) {
            let (mut id, mut process, mut name) = (0, 0, String::new());
            for (field, value) in Fields::of(value.bytes()) {
                match (number, field) {
                    (1 | 2, 1) => id = value.number() as i32,
                    (1, 3) if name.is_empty() => name = command(value.bytes()),
                    (2, 2) => name = String::from_utf8_lossy(value.bytes()).into_owned(),
                    (2, 3) => process = value.number() as i32,
                    _ => {}
                }
            }
            match number {
                1 => self.about.name_thread(id, id, &name),
                2 => self.about.name_thread(id, process, &name),
                _ => {}
            }
        }
    }

    fn track(&mut self, bytes: &[u8]) {
        for (number, value) in Fields::of(bytes).filter(|(number, _)| *number == 4) {
            let (mut process, mut thread, mut name) = (0, 0, String::new());
            for (field, value) in Fields::of(value.bytes()) {
                match (number, field) {
                    (4, 1) => process = value.number() as i32,
                    (4, 2) => thread = value.number() as i32,
                    (4, 5) => name = String::from_utf8_lossy(value.bytes()).into_owned(),
                    _ => {}
                }
            }
            if thread != 0 && !name.is_empty() {
                self.about.name_thread(thread, process, &name);
            }
        }
    }

    fn system(&mut self, bytes: &[u8]) {
        let names = Fields::of(bytes).find(|(number, _)| *number == 1).map(|(_, value)| value.bytes());
        let mut parts = BTreeMap::new();
        for (number, value) in Fields::of(names.unwrap_or_default()) {
            parts.insert(number, String::from_utf8_lossy(value.bytes()).into_owned());
        }
        let words = [1, 3, 2, 4].iter().filter_map(|number| parts.get(number).cloned());
        let words: Vec<String> = words.collect();
        self.system = (!words.is_empty()).then(|| words.join(" "));
    }
}

fn command(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.rsplit('/').next().unwrap_or_default().to_string()
}

#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    begin_ns: u64,
    end_ns: u64,
    count: u64,
}

impl Extent {
    fn take(&mut self, at_ns: u64) {
        self.begin_ns = if self.count == 0 { at_ns } else { self.begin_ns };
        self.end_ns = at_ns.max(self.end_ns);
        self.count += 1;
    }

    /// Times, each stored as the difference to the one before.
    fn take_all(&mut self, deltas: &[u8]) -> Option<()> {
        let (mut at, mut now) = (0, self.end_ns);
        while at < deltas.len() {
            now = now.wrapping_add(varint(deltas, &mut at)?);
            self.take(now);
        }
        Some(())
    }
}

fn head(input: &mut impl Read, at: u64, bytes: u64) -> Result<(u64, u64), ReadError> {
    let (mut value, mut count) = (0u64, 0);
    loop {
        let wanted = count + 1;
        if at + count >= bytes {
            return Err(ReadError::Cut { at, what: "a packet of Perfetto", wanted, left: count });
        }
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        value |= u64::from(byte[0] & 0x7f) << (7 * count).min(63);
        count += 1;
        if byte[0] & 0x80 == 0 {
            return Ok((value, count));
        }
        if count == 10 {
            return Err(ReadError::Bad { at, what: "expected a Perfetto packet here".to_string() });
        }
    }
}

pub(super) fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    let read = ZlibDecoder::new(bytes).take(UNPACKED_BYTES_MAX + 1).read_to_end(&mut all);
    match read {
        Ok(_) if all.len() as u64 > UNPACKED_BYTES_MAX => Err("compressed packets of more than 16 MiB".to_string()),
        Ok(_) => Ok(all),
        Err(error) => Err(format!("compressed packets: {error}")),
    }
}
