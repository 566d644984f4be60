// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads an edge file record by record and checks each one.
use super::{BadRecording, HEADER_BYTES, RecordFault, Recording, RecordingEnd};
use crate::connector::{A, APP, B, ISR, IST, PROGRESS};
use crate::edges::{Edge, Edges, Interrupted, Line};
use crate::modes::{ModeCounts, Modes};
use crate::tick::{Tick, TickRate};
use std::io::{BufRead, BufReader, ErrorKind, Read};

const MAGIC: &[u8; 8] = b"BWEDGES\0";
const VERSION: u16 = 1;
const RECORD_BYTES: usize = 16;
const BUFFER_BYTES: usize = RECORD_BYTES << 14;
const INSTRUCTIONS_PER_SECOND: u64 = 1_000_000_000;

const FLAG_WARMUP: u8 = 1;
const FLAG_LATE: u8 = 2;

const LINES: usize = 50; // larger than the number of every line that can have edges
const GENERATORS: u16 = 2;
const LINE_ADDRESS: u16 = 256;
const LINE_USER: u16 = 258;
const LINE_WAITED: u16 = 259;
const LINE_TOTAL_PULSES: u16 = 0xFFFC;
const LINE_TOTAL_BYTES: u16 = 0xFFFE;
const LINE_END: u16 = 0xFFFF;

/// Lines that are in every capture even without edges, because a silent line is a result too.
const BENCH: [&str; 5] = [A.stimulus, A.lines[ISR], A.lines[IST], A.lines[APP], A.lines[PROGRESS]];

#[derive(Clone, Copy)]
struct Record {
    at: u64,
    rest: u64,
}

impl Record {
    #[inline]
    fn parse(bytes: &[u8]) -> Record {
        let at = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
        let rest = u64::from_le_bytes(bytes[8..].try_into().expect("8 bytes"));
        Record { at, rest }
    }

    fn line(self) -> u16 {
        self.rest as u16
    }

    fn level(self) -> u8 {
        (self.rest >> 16) as u8
    }

    fn flags(self) -> u8 {
        (self.rest >> 24) as u8
    }

    fn aux(self) -> u32 {
        (self.rest >> 32) as u32
    }

    fn kind(self) -> u32 {
        self.rest as u32
    }
}

fn plain(line: usize, level: u8) -> u32 {
    line as u32 | u32::from(level) << 16
}

/// Reads an edge file to its end. A missing footer is not an error; the result is [`RecordingEnd::Truncated`].
pub fn read(mut source: impl BufRead) -> Result<Recording, BadRecording> {
    read_header(&mut source)?;
    let mut state = State::new();
    let mut offset = HEADER_BYTES as u64;
    loop {
        let buffer = match source.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            found => found.map_err(|source| BadRecording::Io { offset, source })?,
        };
        let records = buffer.chunks_exact(RECORD_BYTES);
        let whole = records.len() * RECORD_BYTES;
        for bytes in records {
            state.take(Record::parse(bytes)).map_err(|fault| BadRecording::Record { offset, fault })?;
            offset += RECORD_BYTES as u64;
        }
        source.consume(whole);
        if whole > 0 {
            continue;
        }
        // A record that spans two buffers, or a partial record at the end of the file. The partial record may follow the end of
        // the recording.
        let mut bytes = [0; RECORD_BYTES];
        let filled = fill(&mut source, &mut bytes).map_err(|source| BadRecording::Io { offset, source })?;
        if filled < RECORD_BYTES && !(filled > 0 && state.ended.is_some()) {
            return Ok(state.finish());
        }
        state.take(Record::parse(&bytes)).map_err(|fault| BadRecording::Record { offset, fault })?;
        offset += RECORD_BYTES as u64;
    }
}

/// Like [`read`], but from a source without a buffer, such as an open file.
pub fn read_unbuffered(source: impl Read) -> Result<Recording, BadRecording> {
    read(BufReader::with_capacity(BUFFER_BYTES, source))
}

fn fill(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn read_header(source: &mut impl Read) -> Result<(), BadRecording> {
    let mut header = [0; HEADER_BYTES];
    let filled = fill(source, &mut header).map_err(|source| BadRecording::Io { offset: 0, source })?;
    if filled < HEADER_BYTES || header[..8] != *MAGIC {
        return Err(BadRecording::NotEdges);
    }
    let number = |from: usize, bytes: usize| header[from..from + bytes].iter().rev().fold(0, |n, b| n << 8 | *b as u64);
    let fields = [
        ("version", number(8, 2), VERSION as u64),
        ("header_bytes", number(10, 2), HEADER_BYTES as u64),
        ("record_bytes", number(12, 2), RECORD_BYTES as u64),
        ("reserved", number(14, 2), 0),
        ("instructions_per_second", number(16, 8), INSTRUCTIONS_PER_SECOND),
        ("reserved", number(24, 8), 0),
    ];
    match fields.into_iter().find(|(_, found, known)| found != known) {
        Some((field, found, known)) => Err(BadRecording::Header { field, found, known }),
        None => Ok(()),
    }
}

fn line_name(number: usize) -> Option<&'static str> {
    match number {
        0 => Some(A.stimulus),
        1 => Some(B.stimulus),
        16..24 => Some(A.lines[number - 16]),
        32..40 => Some(B.lines[number - 32]),
        48 => Some(A.armed),
        49 => Some(B.armed),
        _ => None,
    }
}

struct State {
    lines: [Line; LINES],
    /// For each line, the [`Record::kind`] that its next edge has if it is a plain record. For an unknown line, a value that
    /// occurs in no record.
    next: [u32; LINES],
    last_at: u64,
    interrupted: [Vec<Interrupted>; 2],
    modes: Modes,
    late_stimuli: u64,
    channel_bytes: u64,
    ended: Option<RecordingEnd>,
}

impl State {
    fn new() -> State {
        let next = |number| if line_name(number).is_some() { plain(number, 1) } else { u32::MAX };
        State {
            lines: std::array::from_fn(|number| Line::new(line_name(number).unwrap_or(""))),
            next: std::array::from_fn(next),
            last_at: 0,
            interrupted: [Vec::new(), Vec::new()],
            modes: Modes::default(),
            late_stimuli: 0,
            channel_bytes: 0,
            ended: None,
        }
    }

    /// Nearly every record is a plain edge, which two comparisons verify. In other records every field is checked.
    #[inline]
    fn take(&mut self, record: Record) -> Result<(), RecordFault> {
        if self.ended.is_some() {
            return Err(RecordFault::AfterEnd);
        }
        let number = record.line() as usize;
        if number >= LINES {
            return self.other(record);
        }
        let in_order = (record.at | record.at.wrapping_sub(self.last_at)) <= Tick::MAX.0;
        if record.kind() != self.next[number] || !in_order {
            self.check(record)?;
        }
        self.last_at = record.at;
        self.next[number] = plain(number, record.level() ^ 1);
        self.lines[number].edges.push(Edge::new(Tick(record.at), record.level() == 1));
        Ok(())
    }

    /// Finds the error in an edge record, and reads its flags.
    fn check(&mut self, record: Record) -> Result<(), RecordFault> {
        let number = record.line() as usize;
        if self.lines[number].name.is_empty() {
            return Err(RecordFault::Line(record.line()));
        }
        if record.level() > 1 {
            return Err(RecordFault::Level(record.level()));
        }
        if self.next[number] != plain(number, record.level()) {
            return Err(RecordFault::NoChange(record.line()));
        }
        self.advance(record.at)?;
        self.flagged(record)
    }

    fn advance(&mut self, at: u64) -> Result<(), RecordFault> {
        if at < self.last_at {
            return Err(RecordFault::Order { at, before: self.last_at });
        }
        if at > Tick::MAX.0 {
            return Err(RecordFault::TooLate(at));
        }
        self.last_at = at;
        Ok(())
    }

    fn flagged(&mut self, record: Record) -> Result<(), RecordFault> {
        let line = &mut self.lines[record.line() as usize];
        if record.flags() & FLAG_WARMUP != 0 && record.level() == 1 {
            let rises = line.edges.len().div_ceil(2) as u64;
            if line.warmup != rises {
                return Err(RecordFault::Warmup);
            }
            line.warmup += 1;
        }
        if record.flags() & FLAG_LATE != 0 {
            self.late_stimuli += 1;
        }
        Ok(())
    }

    fn other(&mut self, record: Record) -> Result<(), RecordFault> {
        let generator =
            |first: u16| (record.line().wrapping_sub(first) < GENERATORS).then(|| (record.line() - first) as usize);
        if let Some(generator) = generator(LINE_ADDRESS) {
            let interrupts_on = record.level() == 1;
            self.interrupted[generator].push(Interrupted { seq: record.aux(), address: record.at, interrupts_on });
        } else if let Some(generator) = generator(LINE_TOTAL_PULSES) {
            let counted = self.lines[generator].rises().count() as u64;
            if counted != record.at {
                return Err(RecordFault::Pulses { said: record.at, counted });
            }
        } else {
            match record.line() {
                LINE_USER => self.count(|counted| &mut counted.user, record.at)?,
                LINE_WAITED => self.count(|counted| &mut counted.waited, record.at)?,
                LINE_TOTAL_BYTES => self.channel_bytes = record.at,
                LINE_END => self.end(record)?,
                line => return Err(RecordFault::Line(line)),
            }
        }
        Ok(())
    }

    /// Adds a count for the time up to the previous edge. A count never decreases, and the sum never exceeds the elapsed time.
    fn count(&mut self, of: fn(&mut ModeCounts) -> &mut u64, value: u64) -> Result<(), RecordFault> {
        let at = Tick(self.last_at);
        let mut last = self.modes.0.last().copied().unwrap_or_default();
        if value < *of(&mut last) || value > self.last_at {
            return Err(RecordFault::Count(value));
        }
        *of(&mut last) = value;
        match self.modes.0.last_mut() {
            Some(counted) if counted.at == at => *counted = ModeCounts { at, ..last },
            _ => self.modes.0.push(ModeCounts { at, ..last }),
        }
        Ok(())
    }

    fn end(&mut self, record: Record) -> Result<(), RecordFault> {
        self.advance(record.at)?;
        self.ended = Some(match record.level() {
            1 => RecordingEnd::Complete,
            2 => RecordingEnd::Limit,
            3 => RecordingEnd::Guest(record.aux()),
            4 => RecordingEnd::Emulator,
            5 => RecordingEnd::Channel,
            reason => return Err(RecordFault::Reason(reason)),
        });
        Ok(())
    }

    fn finish(self) -> Recording {
        let lines = self
            .lines
            .into_iter()
            .filter(|line| !line.edges.is_empty() || BENCH.contains(&line.name.as_str()))
            .collect();
        let end_at = Tick(self.last_at);
        Recording {
            edges: Edges { rate: TickRate::Instructions, lines, end_at, gaps: Vec::new() },
            interrupted: self.interrupted,
            modes: self.modes,
            late_stimuli: self.late_stimuli,
            channel_bytes: self.channel_bytes,
            ended: self.ended.unwrap_or(RecordingEnd::Truncated),
        }
    }
}
