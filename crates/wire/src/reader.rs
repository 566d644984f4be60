// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a stream record by record and checks the rules between records.
use super::decode::{self, Layout};
use super::{
    EndReason, Fault, LoadHead, MissedStimuli, NamedValue, PAYLOAD_BYTES_MAX, Record, Row, Samples, SeriesHead, Totals,
    WireError,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{ErrorKind, Read};

const DECLARED_MAX: usize = 256;
const HEAD_BYTES: usize = 8;
const HELLO: u16 = 1;
/// The byte order mark of 16-bit text files, found in place of a record's type.
const BYTE_ORDER_MARK: u16 = 0xFEFF;

/// The identity of a figure: name, CPU, fields.
type Figure = (String, Option<u32>, BTreeMap<String, String>);

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Unfinished or truncated: there was no END.
    Truncated,
    /// END was read.
    Whole(EndReason),
}

/// Counts of a series. `due = done + missed + unseen` holds by construction.
#[derive(Debug)]
struct Account {
    points: usize,
    next_seq: u64,
    done: u64,
    lost: u64,
}

impl Account {
    /// Counts `count` stimuli from `first_seq` on. `first_seq` must be the number of the next stimulus.
    fn take(&mut self, series: u32, first_seq: u64, count: u64) -> Result<(), Fault> {
        if first_seq != self.next_seq {
            return Err(Fault::Gap { series, expected: self.next_seq, found: first_seq });
        }
        let next = first_seq.checked_add(count).ok_or(Fault::Value { field: "count", value: count })?;
        self.next_seq = next;
        Ok(())
    }

    fn agree(&self, said: &Totals) -> Result<(), Fault> {
        if (said.due, said.done, said.lost) == (self.next_seq, self.done, self.lost) {
            return Ok(());
        }
        let show = |due: u64, done: u64, lost: u64| format!("due {due} = done {done} + lost {lost}");
        Err(Fault::Account {
            series: said.series,
            said: show(said.due, said.done, said.lost),
            counted: show(self.next_seq, self.done, self.lost),
        })
    }
}

/// Reads a probe's stream from `input`, one record at a time.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    payload: Vec<u8>,
    record: u64,
    offset: u64,
    layout: Option<Layout>,
    figures: HashSet<Figure>,
    accounts: HashMap<u32, Account>,
    loads: HashSet<u32>,
    ending: Ending,
    unknown: u64,
}

impl<R: Read> Reader<R> {
    /// A reader at the start of a stream.
    pub fn new(input: R) -> Self {
        Self {
            input,
            payload: Vec::new(),
            record: 0,
            offset: 0,
            layout: None,
            figures: HashSet::new(),
            accounts: HashMap::new(),
            loads: HashSet::new(),
            ending: Ending::Truncated,
            unknown: 0,
        }
    }

    /// How the stream ended; [`Ending::Truncated`] until END is read.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Number of records of unknown types.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// The next record; `None` at the end of the stream, complete or truncated.
    ///
    /// After an error the rest of the stream is unreadable. What was read before it remains valid.
    pub fn read(&mut self) -> Result<Option<Record<'_>>, WireError> {
        let (record, offset) = (self.record, self.offset);
        self.advance().map_err(|fault| WireError { record, offset, fault })
    }

    /// Passes every record to `take`, until the stream ends, is truncated or has an error.
    pub fn follow(&mut self, mut take: impl FnMut(Record<'_>)) -> Result<(), WireError> {
        while let Some(record) = self.read()? {
            take(record);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<Record<'_>>, Fault> {
        if self.ending != Ending::Truncated {
            return if fill(&mut self.input, &mut [0])? { Err(Fault::AfterEnd) } else { Ok(None) };
        }
        let Some(kind) = self.fetch()? else { return Ok(None) };
        self.record += 1;
        self.offset += (HEAD_BYTES + self.payload.len()) as u64;
        self.interpret(kind).map(Some)
    }

    /// Reads header and payload. Returns the record's type, or `None` at the end of the input.
    fn fetch(&mut self) -> Result<Option<u16>, Fault> {
        let mut head = [0; HEAD_BYTES];
        if !fill(&mut self.input, &mut head)? {
            return Ok(None);
        }
        let kind = u16::from_le_bytes([head[0], head[1]]);
        if self.layout.is_some() == (kind == HELLO) {
            return Err(match self.layout {
                Some(_) => Fault::HelloAgain,
                None if kind == BYTE_ORDER_MARK => Fault::Rewritten,
                None => Fault::NotAStream,
            });
        }
        let (found, expected) = (u16::from_le_bytes([head[2], head[3]]), self.record as u16);
        let size = decode::u32_at(&head, 4);
        if size as usize > PAYLOAD_BYTES_MAX || size % 8 != 0 {
            return Err(Fault::PayloadSize(size));
        }
        if found != expected {
            return Err(Fault::Number { expected, found });
        }
        self.payload.resize(size as usize, 0);
        Ok(fill(&mut self.input, &mut self.payload)?.then_some(kind))
    }

    fn interpret(&mut self, kind: u16) -> Result<Record<'_>, Fault> {
        let payload = self.payload.as_slice();
        let Some(layout) = self.layout else {
            let (hello, layout) = decode::hello(payload)?;
            self.layout = Some(layout);
            return Ok(Record::Hello(hello));
        };
        Ok(match kind {
            2 => (layout.text)(payload).map(|(key, value)| Record::Text { key, value })?,
            3 => {
                let head = (layout.series)(payload)?;
                tell_apart(&head, &mut self.figures)?;
                Record::Series(declare_series(head, &mut self.accounts)?)
            }
            4 => Record::Samples(samples(payload, &mut self.accounts)?),
            5 => Record::Lost(lost(payload, &mut self.accounts)?),
            6 => Record::Load(declare_load((layout.load)(payload)?, &mut self.loads)?),
            7 => Record::Progress(progress(payload, &self.loads)?),
            8 => Record::Value(value((layout.value)(payload)?, &self.accounts)?),
            9 => (layout.note)(payload).map(|(severity, text)| Record::Note { severity, text })?,
            10 => Record::Totals(totals(payload, &self.accounts)?),
            11 => {
                let reason = end(payload, self.record - 1)?;
                self.ending = Ending::Whole(reason);
                Record::End(reason)
            }
            kind => {
                self.unknown += 1;
                Record::Unknown { kind, bytes: payload.len() }
            }
        })
    }
}

/// Fills `buffer`; `false` if the input ends first, because the stream is truncated there.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<bool, Fault> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(Fault::Read(error)),
    }
}

/// Checks that each response of the series is a new figure in the stream.
fn tell_apart(head: &SeriesHead, figures: &mut HashSet<Figure>) -> Result<(), Fault> {
    for figure in head.figures() {
        if !figures.insert((figure.to_string(), head.cpu, head.fields.clone())) {
            return Err(Fault::SameFigure { series: head.series, figure: figure.to_string() });
        }
    }
    Ok(())
}

fn value<'a>(value: NamedValue<'a>, accounts: &HashMap<u32, Account>) -> Result<NamedValue<'a>, Fault> {
    match value.series.filter(|series| !accounts.contains_key(series)) {
        None => Ok(value),
        Some(number) => Err(Fault::Undeclared { what: "series", number }),
    }
}

fn declare_series(head: SeriesHead, accounts: &mut HashMap<u32, Account>) -> Result<SeriesHead, Fault> {
    if accounts.len() == DECLARED_MAX {
        return Err(Fault::TooMany { what: "series", max: DECLARED_MAX });
    }
    let account = Account { points: head.points.len(), next_seq: 0, done: 0, lost: 0 };
    match accounts.insert(head.series, account) {
        None => Ok(head),
        Some(_) => Err(Fault::DeclaredAgain { what: "series", number: head.series }),
    }
}

fn samples<'a>(payload: &'a [u8], accounts: &mut HashMap<u32, Account>) -> Result<Samples<'a>, Fault> {
    let (series, count, first_seq, warmup) = decode::samples_head(payload)?;
    let account = accounts.get_mut(&series).ok_or(Fault::Undeclared { what: "series", number: series })?;
    let points = account.points;
    let counts = decode::samples_counts(payload, count, points)?;
    account.take(series, first_seq, count as u64)?;
    account.done += count as u64;
    let samples = Samples { series, first_seq, warmup, points, counts };
    let absent = |(_, row): &(u64, Row<'_>)| row.stimulus() == decode::ABSENT;
    match samples.rows().find(absent) {
        None => Ok(samples),
        Some((seq, _)) => Err(Fault::NoStimulus { series, seq }),
    }
}

fn lost(payload: &[u8], accounts: &mut HashMap<u32, Account>) -> Result<MissedStimuli, Fault> {
    let lost = decode::lost(payload)?;
    let undeclared = Fault::Undeclared { what: "series", number: lost.series };
    let account = accounts.get_mut(&lost.series).ok_or(undeclared)?;
    account.take(lost.series, lost.first_seq, lost.count)?;
    account.lost += lost.count;
    Ok(lost)
}

fn declare_load(head: LoadHead, loads: &mut HashSet<u32>) -> Result<LoadHead, Fault> {
    if loads.len() == DECLARED_MAX {
        return Err(Fault::TooMany { what: "loads", max: DECLARED_MAX });
    }
    if loads.insert(head.load) { Ok(head) } else { Err(Fault::DeclaredAgain { what: "load", number: head.load }) }
}

fn progress(payload: &[u8], loads: &HashSet<u32>) -> Result<super::Progress, Fault> {
    let progress = decode::progress(payload)?;
    if loads.contains(&progress.load) {
        Ok(progress)
    } else {
        Err(Fault::Undeclared { what: "load", number: progress.load })
    }
}

fn totals(payload: &[u8], accounts: &HashMap<u32, Account>) -> Result<Totals, Fault> {
    let totals = decode::totals(payload)?;
    let undeclared = Fault::Undeclared { what: "series", number: totals.series };
    accounts.get(&totals.series).ok_or(undeclared)?.agree(&totals)?;
    Ok(totals)
}

fn end(payload: &[u8], counted: u64) -> Result<EndReason, Fault> {
    let (reason, said) = decode::end(payload)?;
    if said == counted { Ok(reason) } else { Err(Fault::Records { said, counted }) }
}
