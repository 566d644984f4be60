// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's events as Perfetto writes them.
//! Source of the numbers: protos/perfetto/trace/ftrace/ftrace_event.proto and the files next to it.
use super::wire::{Fields, Value};
use crate::event::function::Function;
use crate::event::{CALL, Event, Name, Section, Signal, Thread, slows};
use crate::read::tracked::Circumstances;

const NAMES: &str = include_str!("events.txt");
/// All event numbers are far below this; higher ones are counted together.
pub(super) const NUMBERS: usize = 4_096;

const AT: u64 = 1;
const BY: u64 = 2;
const FLAGS: u64 = 5;

pub(super) fn name(number: usize) -> String {
    let known = NAMES.lines().filter_map(|line| line.split_once(' ')).find(|(found, _)| found.parse() == Ok(number));
    known.map_or_else(|| format!("ftrace event {number} of Perfetto"), |(_, name)| name.to_string())
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) at_ns: u64,
    pub(super) told: Circumstances,
    pub(super) number: usize,
    fields: &'a [u8],
}

impl<'a> Record<'a> {
    #[inline]
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut record = Self { at_ns: 0, told: Circumstances::default(), number: 0, fields: &[] };
        let mut fields = Fields::of(bytes);
        for (number, value) in fields.by_ref() {
            match (number, value) {
                (AT, Value::Number(at_ns)) => record.at_ns = at_ns,
                (BY, Value::Number(thread)) => record.told.thread = Some(thread as i32),
                (FLAGS, Value::Number(flags)) => record.told.flags = Some(flags as u32),
                (number, Value::Bytes(fields)) => {
                    (record.number, record.fields) = ((number as usize).min(NUMBERS - 1), fields)
                }
                _ => {}
            }
        }
        (!fields.broken).then_some(record)
    }

    pub(super) fn event(&self) -> Option<Event> {
        event(self.number, self.fields)
    }

    pub(super) fn must_be_read(&self) -> bool {
        [4, 17, 20, 114].contains(&self.number)
    }
}

#[derive(Default)]
struct EventFields<'a> {
    numbers: [u64; 8],
    texts: [&'a [u8]; 8],
    found: u8,
}

impl<'a> EventFields<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut told = Self::default();
        let mut fields = Fields::of(bytes);
        for (number, value) in fields.by_ref().filter(|(number, _)| *number < 8) {
            let place = number as usize;
            told.found |= 1 << place;
            match value {
                Value::Number(number) => told.numbers[place] = number,
                Value::Bytes(text) => told.texts[place] = text,
                Value::Fixed => {}
            }
        }
        (!fields.broken).then_some(told)
    }

    fn half(&self, field: usize) -> i32 {
        self.numbers[field] as i32
    }

    fn name(&self, field: usize) -> Name {
        let text = self.texts[field];
        Name::new(&text[..text.len().min(16)])
    }

    fn text(&self, field: usize) -> String {
        String::from_utf8_lossy(self.texts[field]).into_owned()
    }

    fn has(&self, field: usize) -> bool {
        self.found & 1 << field != 0
    }
}

fn event(number: usize, bytes: &[u8]) -> Option<Event> {
    // backwall ignores most events.
    if !matches!(
        number,
        4 | 11 | 12 | 17 | 20 | 21 | 22 | 24 | 25 | 36 | 37 | 57 | 58 | 114 | 325 | 341
            ..=343 | 345 | 353 | 491 | 551 | 553 | 557 | 559 | 560
    ) {
        return None;
    }
    let told = EventFields::of(bytes)?;
    let vector = |name: &[u8]| Section::Interrupt(Name::new(name));
    Some(match number {
        4 => {
            let thread =
                |name, id, priority| Thread { id: told.half(id), priority: told.half(priority), name: told.name(name) };
            if !told.has(2) && !told.has(6) {
                return None;
            }
            Event::Switch { from: thread(1, 2, 3), preempted: is_ready(told.numbers[4]), to: thread(5, 6, 7) }
        }
        20 if told.has(2) => Event::Waking { thread: told.half(2) },
        17 | 114 if told.has(2) => {
            let on = told.has(5).then(|| told.numbers[5] as u32);
            Event::Woken { thread: told.half(2), new: number == 114, on }
        }
        11 => Event::Frequency { khz: told.numbers[1] as u32, cpu: told.numbers[2] as u32 },
        12 => Event::FrequencyLimit { khz: told.numbers[2] as u32, cpu: told.numbers[3] as u32 },
        21 => Event::Enter(Section::Interrupt(CALL)),
        22 => Event::Leave(Section::Interrupt(CALL)),
        24 => Event::Enter(Section::Softirq(told.numbers[1] as u8)),
        25 => Event::Leave(Section::Softirq(told.numbers[1] as u8)),
        36 => Event::Enter(Section::Interrupt(told.name(2))),
        37 => Event::Leave(Section::Interrupt(Name::default())),
        57 => Event::WorkEnd,
        58 => Event::Work { function: None },
        325 => Event::Signalled { thread: told.half(4), signal: Signal::numbered(told.half(6)) },
        341 => Event::Cools { what: Function::named(&told.text(4)), on: false },
        342 => {
            let what = told.text(2);
            Event::Cools { on: slows(&what, told.numbers[1]), what: Function::named(&what) }
        }
        343 => Event::Plugs { cpu: told.numbers[1] as u32, down: None },
        345 => Event::Plugs { cpu: told.numbers[1] as u32, down: Some(told.numbers[4] == 0) },
        353 => Event::Inherit { thread: told.half(4), from: told.half(3), to: told.half(2) },
        491 => Event::Migrate { thread: told.half(2), to: told.numbers[5] as u32 },
        551 => {
            let (hard, soft) = (told.numbers[3], told.numbers[4]);
            Event::TimerStart { timer: told.numbers[1], expiry_ns: soft, slack_ns: hard.saturating_sub(soft) }
        }
        553 => Event::TimerExpire { timer: told.numbers[1], function: None },
        557 => Event::CoarseTimer { function: None },
        559 => Event::Enter(vector(b"local_timer")),
        560 => Event::Leave(vector(b"local_timer")),
        _ => return None,
    })
}

/// The lowest byte has all states but ready.
pub(super) fn is_ready(state: u64) -> bool {
    state & 0xff == 0
}
