// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of one CPU and one kind, part by part.
#![expect(clippy::disallowed_types, reason = "reads files")]
use super::events::{Record, is_ready};
use super::index::{COMPACT, EVENT, Kind, Loss, Part, Place, unpacked};
use super::wire::{Fields, Value, varint};
use crate::event::{Event, Name, Thread};
use crate::read::error::ReadError;
use crate::read::merged::Source;
use crate::read::receiver::Receiver;
use crate::read::tracked::{Circumstances, Tracked};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// Number of unpacked packets that are kept, because neighbouring bundles are needed together.
const KEPT: usize = 2;
const NAMES_MAX: usize = 1 << 16;
const ALL_BYTES: usize = 128 << 20;

/// The bytes of the bundles; keeps the last unpacked ones.
#[derive(Debug)]
pub(super) struct Bundles<'a> {
    file: &'a File,
    kept: RefCell<VecDeque<(u64, Rc<Vec<u8>>)>>,
    held: RefCell<usize>,
}

impl<'a> Bundles<'a> {
    pub(super) fn new(file: &'a File) -> Self {
        Self { file, kept: RefCell::default(), held: RefCell::new(0) }
    }

    fn load(&self, place: Place) -> Result<(Rc<Vec<u8>>, Range<usize>), ReadError> {
        let Some((begin, length)) = place.within else {
            let bytes = self.read(place)?;
            let all = 0..bytes.len();
            return Ok((Rc::new(bytes), all));
        };
        let range = begin as usize..begin as usize + length as usize;
        let mut kept = self.kept.borrow_mut();
        if let Some((_, bytes)) = kept.iter().find(|(at, _)| *at == place.at) {
            return Ok((bytes.clone(), range));
        }
        let bytes = unpacked(&self.read(place)?).map_err(|what| ReadError::Bad { at: place.at, what })?;
        if kept.len() == KEPT {
            kept.pop_front();
        }
        let bytes = Rc::new(bytes);
        kept.push_back((place.at, bytes.clone()));
        Ok((bytes, range))
    }

    fn read(&self, place: Place) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; place.bytes as usize];
        self.file.read_exact_at(&mut bytes, place.at)?;
        Ok(bytes)
    }

    fn hold(&self, before: usize, now: usize) -> Result<(), ReadError> {
        let mut held = self.held.borrow_mut();
        *held = *held - before + now;
        match *held > ALL_BYTES {
            true => Err(ReadError::NotRead(
                "event bundles are too long for 128 MiB of memory; record a shorter time".to_string(),
            )),
            false => Ok(()),
        }
    }
}

#[derive(Debug, Default)]
struct Column {
    pieces: VecDeque<Range<usize>>,
}

impl Column {
    fn next(&mut self, bytes: &[u8]) -> Option<u64> {
        loop {
            let piece = self.pieces.front_mut()?;
            if piece.start < piece.end {
                return varint(&bytes[..piece.end], &mut piece.start);
            }
            self.pieces.pop_front();
        }
    }
}

#[derive(Debug)]
enum Rest {
    Events {
        at: usize,
    },
    /// Columns of times and values; names are numbers of entries in a table.
    Compact {
        columns: Box<[Column; 6]>,
        names: Vec<Name>,
        now: u64,
    },
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Event(Circumstances, Event),
    /// A switch from the CPU's current thread.
    Switch {
        preempted: bool,
        to: Thread,
    },
}

#[derive(Debug)]
pub(super) struct Chain<'a> {
    bundles: &'a Bundles<'a>,
    parts: VecDeque<Part>,
    part: Part,
    bytes: Rc<Vec<u8>>,
    range: Range<usize>,
    rest: Rest,
    held: usize,
    next: Option<(u64, Item)>,
    wakers_unknown: bool,
    pub(super) unread: u64,
}

impl<'a> Chain<'a> {
    pub(super) fn new(bundles: &'a Bundles<'a>, parts: VecDeque<Part>, wakers_unknown: bool) -> Option<Self> {
        let part = *parts.front()?;
        Some(Self {
            bundles,
            parts,
            part,
            bytes: Rc::default(),
            range: 0..0,
            rest: Rest::Events { at: usize::MAX },
            held: 0,
            next: None,
            wakers_unknown,
            unread: 0,
        })
    }

    pub(super) fn fill(&mut self) -> Result<(), ReadError> {
        loop {
            self.next = match self.rest {
                Rest::Events { .. } => self.event(),
                Rest::Compact { .. } => self.compact(),
            };
            if self.next.is_some() {
                return Ok(());
            }
            let Some(part) = self.parts.pop_front() else {
                (self.bytes, self.held) = (Rc::default(), self.release()?);
                return Ok(());
            };
            self.load(part)?;
        }
    }

    fn release(&self) -> Result<usize, ReadError> {
        self.bundles.hold(self.held, 0)?;
        Ok(0)
    }

    fn load(&mut self, part: Part) -> Result<(), ReadError> {
        self.bytes = Rc::default();
        (self.bytes, self.range) = self.bundles.load(part.place)?;
        // A packet that several chains hold counts once for each chain.
        self.bundles.hold(self.held, self.bytes.len())?;
        (self.held, self.part) = (self.bytes.len(), part);
        self.rest = match part.kind {
            Kind::Events => Rest::Events { at: 0 },
            kind => columns(&self.bytes, self.range.clone(), kind).ok_or_else(|| ReadError::Bad {
                at: part.place.at,
                what: format!("more than {NAMES_MAX} names of threads"),
            })?,
        };
        Ok(())
    }

    fn event(&mut self) -> Option<(u64, Item)> {
        let Rest::Events { at } = &mut self.rest else { return None };
        let bundle = self.bytes.get(self.range.clone()).unwrap_or_default();
        let mut fields = Fields::from(bundle, *at);
        let mut found = None;
        for (number, value) in fields.by_ref() {
            let (EVENT, Value::Bytes(bytes)) = (number, value) else { continue };
            let Some(record) = Record::of(bytes) else { continue };
            match record.event() {
                Some(event) => {
                    found = Some((record.at_ns, Item::Event(record.told, event)));
                    break;
                }
                None => self.unread += u64::from(record.must_be_read()),
            }
        }
        *at = fields.at;
        found
    }

    fn compact(&mut self) -> Option<(u64, Item)> {
        let Rest::Compact { columns, names, now } = &mut self.rest else { return None };
        let bytes = &self.bytes;
        *now = now.wrapping_add(columns[0].next(bytes)?);
        let [_, a, b, c, d, e] = &mut **columns;
        let number = |column: &mut Column| column.next(bytes).unwrap_or(0);
        let item = match self.part.kind {
            Kind::Switches => {
                let (state, id, priority, name) = (number(a), number(b), number(c), number(d));
                let name = names.get(name as usize).copied().unwrap_or_default();
                let to = Thread { id: id as i32, priority: priority as i32, name };
                Item::Switch { preempted: is_ready(state), to }
            }
            _ => {
                let thread = number(a) as i32;
                let flags = e.next(bytes).map(|flags| flags as u32);
                // This flag says that an interrupt woke the thread, so the thread on the CPU does not count as the waker.
                let flags = if self.wakers_unknown { Some(0x08) } else { flags };
                Item::Event(Circumstances { thread: None, flags }, Event::Waking { thread })
            }
        };
        Some((*now, item))
    }
}

/// The columns of a kind, in the order time, state, thread, priority, name, flags; no kind has all of them.
fn columns(bytes: &[u8], range: Range<usize>, kind: Kind) -> Option<Rest> {
    let wanted: [u64; 6] = match kind {
        Kind::Switches => [1, 2, 3, 4, 6, 0],
        _ => [7, 8, 0, 0, 0, 12],
    };
    let (mut columns, mut names): (Box<[Column; 6]>, _) = (Default::default(), Vec::new());
    let bundle = &bytes[range.clone()];
    let mut fields = Fields::of(bundle);
    while let Some((number, value)) = fields.next() {
        let (COMPACT, Value::Bytes(compact)) = (number, value) else { continue };
        let begin = range.start + fields.at - compact.len();
        let mut inner = Fields::of(compact);
        while let Some((number, value)) = inner.next() {
            let Value::Bytes(field) = value else { continue };
            let end = begin + inner.at;
            if number == 5 {
                names.push(Name::new(&field[..field.len().min(16)]));
            } else if let Some(column) = wanted.iter().position(|wanted| *wanted == number) {
                columns[column].pieces.push_back(end - field.len()..end);
            }
            if names.len() > NAMES_MAX {
                return None;
            }
        }
    }
    Some(Rest::Compact { columns, names, now: 0 })
}

/// Begins or ends of losses, in order of time.
#[derive(Debug)]
pub(super) struct Losses {
    left: VecDeque<(u64, u32)>,
    end: bool,
}

impl Losses {
    pub(super) fn of(losses: &[Loss], end: bool) -> Self {
        let at = |loss: &Loss| if end { Some(loss.end_ns) } else { loss.begin_ns };
        let mut left: Vec<(u64, u32)> = losses.iter().filter_map(|loss| Some((at(loss)?, loss.cpu))).collect();
        left.sort_unstable();
        Self { left: left.into(), end }
    }
}

#[derive(Debug)]
pub(super) enum Played<'a> {
    Chain(Box<Chain<'a>>),
    Losses(Losses),
}

impl Source for Played<'_> {
    fn at_ns(&self) -> Option<u64> {
        match self {
            Self::Chain(chain) => chain.next.map(|(at_ns, _)| at_ns),
            Self::Losses(losses) => losses.left.front().map(|(at_ns, _)| *at_ns),
        }
    }

    fn give(&mut self, to: &mut Tracked<'_, impl Receiver>) -> Result<(), ReadError> {
        match self {
            Self::Chain(chain) => {
                let cpu = chain.part.cpu;
                match chain.next.take() {
                    Some((at_ns, Item::Event(told, event))) => to.event(cpu, at_ns, told, event),
                    Some((at_ns, Item::Switch { preempted, to: thread })) => to.switch(cpu, at_ns, preempted, thread),
                    None => {}
                }
                chain.fill()
            }
            Self::Losses(losses) => {
                match losses.left.pop_front() {
                    Some((at_ns, cpu)) if losses.end => to.gap(cpu, at_ns),
                    Some((at_ns, cpu)) => to.gap_begins(cpu, at_ns),
                    None => {}
                }
                Ok(())
            }
        }
    }
}
