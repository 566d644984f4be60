// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detent's trail, as the kernel prints it on its console: a row for each switch, each interrupt, and each value that an ISR
//! returns: its answer (`docs/internals/detent.md`).
//!
//! `trail 1042231 runs 10041 ist_main 10`. In the lab the counter counts executed instructions. The trail shows neither which
//! thread was woken nor whether a thread was preempted; a note states what backwall assumes.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::about::About;
use super::error::ReadError;
use super::played::Played;
use super::receiver::Receiver;
use super::rows::Rows;
use crate::event::{Event, Name, Section, Stamped, Thread};
use backwall_model::units::Unit;
use std::collections::BTreeMap;
use std::fs::File;

const ENTRIES_MAX: usize = 1 << 20;
const CONSOLE_BYTES_MAX: u64 = 1 << 30;
/// The tick's line, after the sixteen interrupt lines (`kernel/limits.h`).
const TICK: u32 = 16;
/// The lowest value by which an ISR may wake an interrupt's thread; lower values wake no thread (`kernel/detent.h`).
const FIRST_WITH_THREAD: u32 = 24;
/// backwall maps Detent's 256 priorities to numbers below all of Linux's, so that they differ from every Linux priority.
const PRIORITIES: std::ops::RangeInclusive<i32> = -1_256..=-1_001;

/// Counts per second of the lab's counter, which counts executed instructions.
const LAB_HZ: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Runs(u32),
    Interrupt(u32),
    Answers(u32),
    Priority,
    Starts,
    Ends,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            Self::Runs(_) => "runs",
            Self::Interrupt(_) => "interrupt",
            Self::Answers(_) => "ISR answers",
            Self::Priority => "moves to",
            Self::Starts => "starts",
            Self::Ends => "ends",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: u64,
    what: What,
}

/// A whole trail; the kernel keeps a few thousand entries.
#[derive(Debug)]
pub(super) struct Trail {
    entries: Vec<Entry>,
    threads: BTreeMap<u32, Thread>,
    counter_hz: u64,
    lost: Option<u64>,
}

impl Trail {
    pub(super) fn of(file: &File) -> Result<Self, ReadError> {
        let mut trail = Self { entries: Vec::new(), threads: BTreeMap::new(), counter_hz: 0, lost: None };
        let mut rows = Rows::of(file, CONSOLE_BYTES_MAX);
        let mut line = 0;
        while let Some(row) = rows.next()? {
            line += 1;
            trail.take(row, line)?;
        }
        match (trail.entries.is_empty(), trail.counter_hz) {
            (true, _) => Err(ReadError::Unknown),
            (false, 0) => Err(ReadError::NotRead(
                "Detent's trail lacks the kernel's first line with its counter's frequency; give the whole console output"
                    .into(),
            )),
            (false, _) => Ok(trail),
        }
    }

    fn take(&mut self, row: &str, line: u64) -> Result<(), ReadError> {
        if let Some(rest) = row.strip_prefix("Detent, profile ") {
            let hz = rest.rsplit_once("counter ").and_then(|(_, rest)| rest.strip_suffix(" Hz"));
            self.counter_hz = hz.and_then(|hz| hz.parse().ok()).unwrap_or(0);
        } else if let Some(rest) = row.strip_prefix("trail: ") {
            self.lost = not_shown(rest);
        } else if let Some(rest) = row.strip_prefix("trail ") {
            // A row after the end of a trail begins another trail, which contains the entries of the one before.
            if self.lost.take().is_some() {
                self.entries.clear();
            }
            let bad = |what: &str| ReadError::BadLine { line, what: what.to_string() };
            let entry = self.entry(rest).ok_or_else(|| bad("begins like an entry of Detent's trail, but is none"))?;
            if self.entries.last().is_some_and(|last| last.at > entry.at) {
                return Err(bad("earlier than the entry before it"));
            }
            if self.entries.len() == ENTRIES_MAX {
                return Err(bad("too many entries"));
            }
            self.entries.push(entry);
        }
        Ok(())
    }

    /// `1042231 runs 10041 ist_main 10`: count, words, value in hexadecimal, and the name and priority of a thread.
    fn entry(&mut self, row: &str) -> Option<Entry> {
        let (at, rest) = row.split_once(' ')?;
        let at = at.parse().ok()?;
        let of = |words: &str| {
            let mut rest = rest.strip_prefix(words)?.strip_prefix(' ')?.splitn(2, ' ');
            Some((u32::from_str_radix(rest.next()?, 16).ok()?, rest.next().unwrap_or_default()))
        };
        let what = if let Some((handle, who)) = of("runs") {
            self.threads.insert(handle, thread(handle, who)?);
            What::Runs(handle)
        } else if let Some((line, _)) = of("interrupt") {
            What::Interrupt(line)
        } else if let Some((answer, _)) = of("ISR answers") {
            What::Answers(answer)
        } else {
            let others = [("moves to", What::Priority), ("starts", What::Starts), ("ends", What::Ends)];
            others.into_iter().find(|(words, _)| of(words).is_some())?.1
        };
        Some(Entry { at, what })
    }

    fn unit(&self) -> Unit {
        if self.counter_hz == LAB_HZ { Unit::Instructions } else { Unit::Ns }
    }

    fn value(&self, count: u64) -> u64 {
        match self.unit() {
            Unit::Instructions => count,
            Unit::Ns => (u128::from(count) * 1_000_000_000 / u128::from(self.counter_hz)) as u64,
        }
    }

    pub(super) fn about(&self) -> About {
        About {
            form: "Detent's trail".into(),
            system: Some("Detent".into()),
            clock: Some(if self.unit() == Unit::Instructions { "instructions" } else { "counter" }.into()),
            unit: self.unit(),
            cpus: 1,
            lost: self.lost,
            ..About::default()
        }
    }

    pub(super) fn play(&self, receiver: &mut impl Receiver) -> Played {
        let woken = self.woken();
        let mut player = Player { receiver, trail: self, woken: &woken, current: None, open: Vec::new(), waking: None };
        self.entries.iter().for_each(|entry| player.entry(entry));
        let mut played = Played::default();
        for entry in &self.entries {
            *played.by_name.entry(entry.what.name().to_string()).or_insert(0) += 1;
        }
        played.notes = self.notes(&woken);
        played
    }

    /// Maps each ISR return value to the thread that it presumably wakes: more than half of the time, this thread ran next.
    fn woken(&self) -> BTreeMap<u32, u32> {
        let mut next: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
        let mut answers: Vec<u32> = Vec::new();
        for entry in &self.entries {
            match entry.what {
                What::Answers(answer) if answer >= FIRST_WITH_THREAD => answers.push(answer),
                What::Runs(handle) => {
                    // If there are several answers before a switch, nobody knows which of them woke the thread.
                    if let [answer] = answers[..] {
                        *next.entry(answer).or_default().entry(handle).or_insert(0) += 1;
                    }
                    answers.clear();
                }
                _ => {}
            }
        }
        let most = |(answer, counts): (u32, BTreeMap<u32, u64>)| {
            let all: u64 = counts.values().sum();
            let (handle, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
            (count * 2 > all).then_some((answer, handle))
        };
        next.into_iter().filter_map(most).collect()
    }

    fn notes(&self, woken: &BTreeMap<u32, u32>) -> Vec<String> {
        let name = |handle: &u32| self.threads.get(handle).map_or(String::new(), |thread| thread.name.to_string());
        let each = woken.iter().map(|(answer, handle)| {
            format!(
                "the trail does not record which thread an ISR wakes: backwall assumes that an ISR answering {answer} \
                wakes {} ({handle:x}), because this thread usually ran next; the thread's latency counts from the ISR's answer",
                name(handle)
            )
        });
        let unit =
            (self.unit() == Unit::Instructions).then(|| "times are instructions of the lab's emulated CPU".to_string());
        unit.into_iter().chain(each).collect()
    }
}

/// The first number minus the second of `52 entries, the last 40 shown`.
fn not_shown(told: &str) -> Option<u64> {
    let (all, rest) = told.split_once(" entries, the last ")?;
    let (shown, _) = rest.split_once(" shown")?;
    all.parse::<u64>().ok()?.checked_sub(shown.parse().ok()?)
}

/// `ist_main 10`, `idle`, or nothing for a thread that has ended.
fn thread(handle: u32, who: &str) -> Option<Thread> {
    if who == "idle" {
        return Some(Thread { id: 0, priority: *PRIORITIES.end(), name: Name::new(b"idle") });
    }
    let id = i32::try_from(handle).ok()?;
    let Some((name, priority)) = who.rsplit_once(' ') else { return Some(Thread::numbered(id)) };
    let priority = priority.parse::<u8>().ok()?;
    Some(Thread {
        id,
        priority: PRIORITIES.start() + i32::from(priority),
        name: Name::new(name.as_bytes().get(..16).unwrap_or(name.as_bytes())),
    })
}

struct Player<'a, R> {
    receiver: &'a mut R,
    trail: &'a Trail,
    woken: &'a BTreeMap<u32, u32>,
    /// The thread on the CPU; `None` before the first switch.
    current: Option<Thread>,
    open: Vec<Section>,
    /// The thread that an ISR has presumably woken since the last switch.
    waking: Option<u32>,
}

impl<R: Receiver> Player<'_, R> {
    fn entry(&mut self, entry: &Entry) {
        match entry.what {
            What::Runs(handle) => self.runs(entry.at, handle),
            What::Interrupt(line) => {
                let section = Section::Interrupt(line_name(line));
                self.tell(entry.at, Event::Enter(section));
                self.open.push(section);
            }
            What::Answers(answer) => self.answers(entry.at, answer),
            What::Priority | What::Starts | What::Ends => {}
        }
    }

    fn runs(&mut self, at: u64, handle: u32) {
        let to = self.trail.threads[&handle];
        let preempted = self.waking.take() == Some(handle);
        self.open.clear();
        let from = self.current.unwrap_or(to);
        self.tell_as(at, from.id, Event::Switch { from, preempted: preempted && from.id != 0, to });
        self.current = Some(to);
    }

    fn answers(&mut self, at: u64, answer: u32) {
        let woken = self.woken.get(&answer).copied();
        if let Some(thread) = woken.and_then(|handle| self.trail.threads.get(&handle)) {
            self.tell(at, Event::Waking { thread: thread.id });
        }
        self.waking = woken.or(self.waking);
        let section = self.open.pop();
        section.into_iter().for_each(|section| self.tell(at, Event::Leave(section)));
    }

    /// Leaves out the time before the first switch, because the thread is unknown.
    fn tell(&mut self, at: u64, event: Event) {
        if let Some(current) = self.current {
            self.tell_as(at, current.id, event);
        }
    }

    fn tell_as(&mut self, at: u64, thread: i32, event: Event) {
        let in_thread = matches!(event, Event::Switch { .. });
        let at_ns = self.trail.value(at);
        self.receiver.event(0, &Stamped { at_ns, thread, in_thread, to_switch: false, event });
    }
}

fn line_name(line: u32) -> Name {
    let name = if line == TICK { "tick".to_string() } else { format!("line {line}") };
    Name::new(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{Seek, Write};

    // Two interrupts of line 7 that run its thread, and one tick. After the second interrupt, the application's thread runs
    // too.
    const CONSOLE: &str = "Detent, profile detent, 1 ms tick, counter 1000000000 Hz\nhello\n\
        trail 90 interrupt 10\ntrail 95 ISR answers 0\ntrail 100 runs 1 idle\n\
        trail 200 interrupt 7\ntrail 215 ISR answers 1f\ntrail 260 runs 10041 ist_main 10\ntrail 300 runs 1 idle\n\
        trail 400 interrupt 7\ntrail 415 ISR answers 1f\ntrail 460 runs 10041 ist_main 10\ntrail 480 moves to 3\n\
        trail 500 runs 10042 answer_thread 0\ntrail 700 runs 1 idle\n\
        trail: 20 entries, the last 14 shown\n";

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        file
    }

    #[derive(Default)]
    struct Heard(Vec<Stamped>);

    impl Receiver for Heard {
        fn event(&mut self, cpu: u32, stamped: &Stamped) {
            assert_eq!(cpu, 0);
            self.0.push(*stamped);
        }
        fn gap(&mut self, _: u32, _: u64) {}
    }

    #[test]
    fn switches_interrupts_and_who_is_taken_to_be_woken_are_played_in_instructions() {
        let trail = Trail::of(&file(CONSOLE)).unwrap();
        let about = trail.about();
        assert_eq!((about.unit, about.lost, about.cpus), (Unit::Instructions, Some(6), 1));
        let mut heard = Heard::default();
        let played = trail.play(&mut heard);
        assert_eq!((played.by_name["runs"], played.by_name["interrupt"], played.events()), (6, 3, 13));
        let wakings: Vec<(u64, Event)> = heard
            .0
            .iter()
            .filter(|one| matches!(one.event, Event::Waking { .. }))
            .map(|one| (one.at_ns, one.event))
            .collect();
        assert_eq!(wakings, [215, 415].map(|at| (at, Event::Waking { thread: 0x10041 })));
        let switches: Vec<(u64, i32, i32, i32)> = heard
            .0
            .iter()
            .filter_map(|one| match one.event {
                Event::Switch { from, to, .. } => Some((one.at_ns, from.id, to.id, to.priority)),
                _ => None,
            })
            .collect();
        assert_eq!(switches[1], (260, 0, 0x10041, -1_246));
        assert_eq!(switches[4], (500, 0x10041, 0x10042, -1_256));
        assert!(heard.0[0].at_ns == 100, "before the first switch nobody knows who ran");
        assert!(
            played.notes.iter().any(|note| note.contains("answering 31 wakes ist_main (10041)")),
            "{:?}",
            played.notes
        );
    }

    #[test]
    fn what_cannot_be_a_trail_is_refused_with_its_line() {
        let refused = |text: &str| Trail::of(&file(text)).unwrap_err().to_string();
        assert!(refused("trail 5 runs 1 idle\n").contains("lacks the kernel's first line"));
        let head = "Detent, profile detent, 1 ms tick, counter 1000000000 Hz\n";
        for (row, said) in [
            ("trail x runs 1 idle", "line 2: begins like an entry of Detent's trail"),
            ("trail 5 flies 1", "line 2: begins like an entry of Detent's trail"),
            ("trail 5 runs ffffffff x 1", "line 2: begins like an entry of Detent's trail"),
            ("trail 5 runs 10041 x 256", "line 2: begins like an entry of Detent's trail"),
            ("trail 5 runs 1 idle\ntrail 4 runs 1 idle", "line 3: earlier than"),
            ("no trail", "not a recording of kernel events"),
        ] {
            let text = refused(&format!("{head}{row}\n"));
            assert!(text.contains(said), "{row}: {text}");
        }
    }

    #[test]
    fn a_counter_of_another_frequency_is_time() {
        let text = CONSOLE.replace("1000000000", "2000000000");
        let trail = Trail::of(&file(&text)).unwrap();
        assert_eq!((trail.unit(), trail.value(500)), (Unit::Ns, 250));
    }

    proptest! {
        #[test]
        fn no_damage_panics(at in 0usize..CONSOLE.len(), with in ".{0,20}") {
            let mut text = CONSOLE.to_string();
            if text.is_char_boundary(at) {
                text.insert_str(at, &with);
            }
            if let Ok(trail) = Trail::of(&file(&text)) {
                trail.play(&mut Heard::default());
            }
        }
    }
}
