// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of ftrace: a row an event, as the kernel's `trace` file and trace-cmd report print them.
//!
//! `   sshd-1639  (1600) [001] d.h3. 76.211865: sched_switch: prev_comm=…`; the process in round brackets and the flags are not
//! always there. A row that is none of an event is passed over: headings, and what a tracer draws.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::about::About;
use super::beginnings::{Beginnings, Seen};
use super::error::ReadError;
use super::played::Played;
use super::receiver::Receiver;
use super::text_fields::{event, must_be_read};
use super::text_stack::Stack;
use crate::event::{Event, Stamped};
use backwall_model::units::Unit;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

/// No row of an event is longer.
const ROW_BYTES_MAX: u64 = 64 << 10;
/// A text that has no event by then is no recording.
const FIRST_WITHIN: u64 = 1 << 20;
/// More processors than any machine has.
const CPUS_MAX: u32 = 1 << 16;
/// Names of events that are counted; a text that makes up more has its last ones as one.
const NAMES_MAX: usize = 4_096;
/// No event has a longer name.
const EVENT_BYTES_MAX: usize = 128;
/// What stands before a row's processor is not longer: a thread's name and number, and its process.
const WHO_BYTES_MAX: usize = 128;
/// No processor's number has more digits.
const CPU_DIGITS_MAX: usize = 8;

/// A text that holds at least one event.
#[derive(Debug)]
pub(super) struct Text {
    file: File,
    cpus: u32,
    /// How a stamp is printed: in seconds, or as the bare count of a counter.
    stamp: fn(&str) -> Option<u64>,
    unit: Unit,
    /// Its rows have flags.
    flags: bool,
}

/// What a guest of the lab writes before the text: its kernel's stamps are counts of a counter that counts instructions.
const COUNTS_INSTRUCTIONS: &str = "# counter: instructions";

impl Text {
    /// Looks for the first event.
    pub(super) fn of(file: File) -> Result<Self, ReadError> {
        let mut text = Self { file, cpus: 0, stamp: seconds, unit: Unit::Ns, flags: false };
        let mut rows = Rows::of(&text.file, FIRST_WITHIN);
        while let Some(row) = rows.next()? {
            if let Some(cpus) = row.strip_prefix("cpus=") {
                text.cpus = cpus.trim().parse().unwrap_or(0).min(CPUS_MAX);
            }
            if row == COUNTS_INSTRUCTIONS {
                (text.stamp, text.unit) = (count, Unit::Instructions);
            }
            if let Some(row) = Row::parse(row, text.stamp) {
                text.flags = row.flags.is_some();
                return Ok(text);
            }
        }
        Err(ReadError::Unknown)
    }

    pub(super) fn about(&self) -> About {
        let clock = (self.unit == Unit::Instructions).then(|| "instructions".to_string());
        let (form, marks) = ("text of ftrace".to_string(), self.flags);
        About { form, cpus: self.cpus, unit: self.unit, clock, marks, ..About::default() }
    }

    pub(super) fn play(&mut self, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let mut beginnings = self.beginnings()?;
        self.file.seek(SeekFrom::Start(0))?;
        let mut rows = Rows::of(&self.file, u64::MAX);
        let (mut played, mut last_ns, mut backward, mut unreadable) = (Played::default(), 0, 0u64, 0u64);
        let (mut counts, mut stack) = (Counts::default(), None::<Stack>);
        while let Some(row) = rows.next()?.filter(|_| !receiver.is_done()) {
            if stack.as_mut().is_some_and(|stack| stack.takes(row)) {
                continue;
            }
            if let Some((cpu, stamped)) = stack.take().map(Stack::ended) {
                receiver.event(cpu, &stamped);
            }
            if let Some((cpu, lost)) = lost(row) {
                played.gaps += 1;
                played.missed = played.missed.saturating_add(lost);
                beginnings.tell(last_ns, true, receiver);
                receiver.gap(cpu, last_ns);
            }
            let Some(row) = Row::parse(row, self.stamp) else { continue };
            counts.add(row.event);
            backward += u64::from(row.at_ns < last_ns);
            last_ns = last_ns.max(row.at_ns);
            beginnings.tell(last_ns, false, receiver);
            stack = Stack::of(row.event, row.cpu, |event| row.with(event, last_ns));
            match row.stamped(last_ns) {
                Some(stamped) => receiver.event(row.cpu, &stamped),
                None if must_be_read(row.event) => {
                    unreadable += 1;
                    played.gaps += 1;
                    receiver.gap(row.cpu, last_ns);
                }
                None => {}
            }
        }
        if let Some((cpu, stamped)) = stack.map(Stack::ended) {
            receiver.event(cpu, &stamped);
        }
        beginnings.tell(u64::MAX, true, receiver);
        played.notes.extend(beginnings.note());
        played.by_name = counts.0;
        let order = format!("{backward} rows are earlier than the row before and are taken for as late as it");
        played.notes.extend((backward > 0).then_some(order));
        let lost =
            format!("{unreadable} rows of switches and wakings lack what they should say and are taken for losses");
        played.notes.extend((unreadable > 0).then_some(lost));
        Ok(played)
    }
}

impl Text {
    /// Where losses begin: a row tells of one only behind it. A text without such a row is not read for them.
    fn beginnings(&mut self) -> Result<Beginnings, ReadError> {
        if !self.tells_of_losses()? {
            return Ok(Beginnings::default());
        }
        self.file.seek(SeekFrom::Start(0))?;
        let (mut rows, mut seen, mut last_ns) = (Rows::of(&self.file, u64::MAX), Seen::default(), 0);
        while let Some(row) = rows.next()? {
            if let Some((cpu, _)) = lost(row) {
                seen.gap(Some(cpu));
            } else if let Some(row) = Row::parse(row, self.stamp) {
                last_ns = row.at_ns.max(last_ns);
                seen.event(row.cpu, last_ns);
            }
        }
        Ok(seen.beginnings())
    }

    fn tells_of_losses(&mut self) -> Result<bool, ReadError> {
        self.file.seek(SeekFrom::Start(0))?;
        let (mut input, mut row) = (BufReader::with_capacity(1 << 18, &self.file), Vec::new());
        while (&mut input).take(ROW_BYTES_MAX).read_until(b'\n', &mut row)? > 0 {
            if row.trim_ascii_start().starts_with(OF_LOSS.as_bytes()) {
                return Ok(true);
            }
            row.clear();
        }
        Ok(false)
    }
}

/// Rows by the names of their events.
#[derive(Default)]
struct Counts(BTreeMap<String, u64>);

impl Counts {
    fn add(&mut self, event: &str) {
        match self.0.get_mut(event) {
            Some(count) => *count += 1,
            None => {
                let event = if self.0.len() < NAMES_MAX { event } else { "other events" };
                *self.0.entry(event.to_string()).or_insert(0) += 1;
            }
        }
    }
}

/// The rows of a file, none longer than is believed.
pub(super) struct Rows<'a> {
    input: BufReader<std::io::Take<&'a File>>,
    bytes: Vec<u8>,
    row: String,
    line: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn of(file: &'a File, within: u64) -> Self {
        let input = BufReader::with_capacity(1 << 18, file.take(within));
        Self { input, bytes: Vec::new(), row: String::new(), line: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<&str>, ReadError> {
        self.bytes.clear();
        self.line += 1;
        let read = (&mut self.input).take(ROW_BYTES_MAX).read_until(b'\n', &mut self.bytes)?;
        if read as u64 == ROW_BYTES_MAX && self.bytes.last() != Some(&b'\n') {
            return Err(ReadError::BadLine { line: self.line, what: "longer than any row of a trace".to_string() });
        }
        if read == 0 {
            return Ok(None);
        }
        self.row.clear();
        self.row.push_str(&String::from_utf8_lossy(&self.bytes));
        Ok(Some(self.row.trim_end()))
    }
}

/// How a row begins that tells of a loss.
const OF_LOSS: &str = "CPU:";

/// `CPU:3 [LOST 17 EVENTS]`, or without the number `[EVENTS DROPPED]`.
fn lost(row: &str) -> Option<(u32, u64)> {
    let (cpu, what) = row.trim().strip_prefix(OF_LOSS)?.split_once(' ')?;
    let what = what.trim().strip_prefix('[')?.strip_suffix(']')?;
    let cpu = cpu.parse().ok().filter(|cpu| *cpu < CPUS_MAX)?;
    match what.strip_prefix("LOST ").and_then(|rest| rest.strip_suffix(" EVENTS")) {
        Some(count) => Some((cpu, count.parse().ok()?)),
        None => (what == "EVENTS DROPPED").then_some((cpu, 0)),
    }
}

/// One event's row, in its parts.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    thread: i32,
    cpu: u32,
    flags: Option<&'a str>,
    at_ns: u64,
    event: &'a str,
    fields: &'a str,
}

impl<'a> Row<'a> {
    /// A name may hold brackets of its own; the processor's are those behind which a time stands.
    fn parse(row: &'a str, stamp: fn(&str) -> Option<u64>) -> Option<Self> {
        let row = row.trim_start();
        row.match_indices('[').take_while(|(at, _)| *at <= WHO_BYTES_MAX).find_map(|(at, _)| {
            let behind = &row[at + 1..];
            let digits = &behind[..behind.bytes().take(CPU_DIGITS_MAX + 1).position(|byte| byte == b']')?];
            let cpu: u32 = digits.parse().ok().filter(|cpu| *cpu < CPUS_MAX)?;
            Self::of(thread_of(&row[..at])?, cpu, &behind[digits.len() + 1..], stamp)
        })
    }

    /// What stands behind the processor: flags, where they are printed, the time, the event and its fields.
    fn of(thread: i32, cpu: u32, rest: &'a str, stamp: fn(&str) -> Option<u64>) -> Option<Self> {
        let (first, after) = rest.trim_start().split_once(' ')?;
        let (flags, at_ns, rest) = match stamp(first) {
            Some(at_ns) => (None, at_ns, after),
            None => {
                let (time, rest) = after.trim_start().split_once(' ')?;
                (Some(first), stamp(time)?, rest)
            }
        };
        let rest = rest.trim_start();
        // The kernel prints the end of a system call without the event's name: `sys_read -> 0x1`.
        let (event, fields) = match rest.split_once(" -> ").filter(|_| rest.starts_with("sys_")) {
            Some((call, _)) => (call, "->"),
            None => rest.split_once(':')?,
        };
        let named = (1..=EVENT_BYTES_MAX).contains(&event.len())
            && event.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        named.then_some(Self { thread, cpu, flags, at_ns, event, fields: fields.trim_start() })
    }

    /// As the kernel's binary record would have said it; `None` where it is no event that is followed.
    fn stamped(&self, at_ns: u64) -> Option<Stamped> {
        event(self.event, self.fields).map(|event| self.with(event, at_ns))
    }

    /// The same, of an event that is known.
    fn with(&self, event: Event, at_ns: u64) -> Stamped {
        // Five letters: interrupts off, asked for the scheduler, in which interrupt, and two depths.
        let flag = |place: usize| self.flags.and_then(|flags| flags.as_bytes().get(place)).copied().unwrap_or(b'.');
        let in_thread = matches!(flag(2), b'.' | b'-');
        let to_switch = matches!(flag(1), b'N' | b'n' | b'B' | b'b' | b'L' | b'l');
        Stamped { at_ns, thread: self.thread, in_thread, to_switch, event }
    }
}

/// The number behind the last hyphen, whatever the name holds; a process in round brackets may follow it.
fn thread_of(who: &str) -> Option<i32> {
    let who = who.trim_end();
    let who = match who.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((before, process)) if process.bytes().all(|byte| byte.is_ascii_digit() || b" -".contains(&byte)) => before,
        _ => who,
    };
    who.trim_end().rsplit_once('-')?.1.parse().ok()
}

/// `76211513:`.
fn count(text: &str) -> Option<u64> {
    text.strip_suffix(':')?.parse().ok()
}

/// `76.211513:` in nanoseconds; six digits or nine.
fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.strip_suffix(':')?.split_once('.')?;
    if !(1..=9).contains(&fraction.len()) || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let scale = 10u64.pow(9 - fraction.len() as u32);
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(fraction.parse::<u64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use proptest::prelude::*;

    #[test]
    fn a_row_is_read_with_and_without_flags_and_process() {
        let plain = Row::parse("   <idle>-0     [002]    76.211513: sched_wakeup:  comm=sh pid=1642 prio=120", seconds)
            .unwrap();
        assert_eq!((plain.thread, plain.cpu, plain.at_ns, plain.flags), (0, 2, 76_211_513_000, None));
        assert_eq!((plain.event, plain.fields), ("sched_wakeup", "comm=sh pid=1642 prio=120"));
        let full =
            Row::parse("k [1] w/0:1-46 ( 46) [001] dNh3. 7.000000001: softirq_entry: vec=1 [action=TIMER]", seconds)
                .unwrap();
        assert_eq!((full.thread, full.cpu, full.at_ns, full.flags), (46, 1, 7_000_000_001, Some("dNh3.")));
        let stamped = full.stamped(full.at_ns).unwrap();
        assert!(stamped.to_switch && !stamped.in_thread);
        let pid_1 = "a-b-7 (-----) [000] .... 1.000000: sched_waking: comm=x pid=9 prio=1";
        assert_eq!(Row::parse(pid_1, seconds).unwrap().stamped(5).unwrap().event, Event::Waking { thread: 9 });
    }

    #[test]
    fn a_bare_count_is_a_stamp_only_where_the_text_says_what_it_counts() {
        let row = "   bw-ist-61 [000] d..2. 812345678: sched_waking: comm=x pid=9 prio=1 target_cpu=000";
        assert_eq!(Row::parse(row, count).unwrap().at_ns, 812_345_678);
        assert_eq!(Row::parse(row, seconds), None);
    }

    #[test]
    fn rows_of_no_event_are_passed_over() {
        for row in ["", "# tracer: nop", "version = 6", "cpus=6", " 1)   0.1 us |  kfree();", "a-1 [x] 1.0: b: c"] {
            assert_eq!(Row::parse(row, seconds), None, "{row}");
        }
        assert_eq!(lost("CPU:3 [LOST 17 EVENTS]"), Some((3, 17)));
        assert_eq!(lost("CPU:3 [EVENTS DROPPED]"), Some((3, 0)));
        assert_eq!(lost("CPU:3 [LOST x EVENTS]"), None);
        let far = format!("{}-5 [000] 1.000000: sched_waking: pid=1", "x".repeat(200));
        let long = format!("a-5 [000] 1.000000: {}: pid=1", "x".repeat(200));
        assert_eq!((Row::parse(&far, seconds), Row::parse(&long, seconds)), (None, None), "no kernel has such names");
        assert_eq!(Row::parse(&"[0]".repeat(20_000), seconds), None);
    }

    /// What came, in order: what, of which processor, when.
    #[derive(Default)]
    struct Heard(Vec<(&'static str, u32, u64)>);

    impl Receiver for Heard {
        fn event(&mut self, cpu: u32, stamped: &Stamped) {
            self.0.push(("event", cpu, stamped.at_ns));
        }

        fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
            self.0.push(("begins", cpu, at_ns));
        }

        fn gap(&mut self, cpu: u32, at_ns: u64) {
            self.0.push(("ends", cpu, at_ns));
        }
    }

    #[test]
    fn a_loss_begins_behind_the_last_row_of_its_processor_and_ends_before_the_next() {
        let row = |cpu: u32, at: &str| {
            format!("  a-5 [00{cpu}] d... {at}: sched_waking: comm=x pid=9 prio=1 target_cpu=000\n")
        };
        let rows = [row(1, "1.0"), row(0, "1.2"), row(0, "1.5"), "CPU:1 [LOST 123 EVENTS]\n".into(), row(1, "1.8")];
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, rows.concat().as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut heard = Heard::default();
        let played = Text::of(file).unwrap().play(&mut heard).unwrap();
        let expected = [
            ("event", 1, 1_000_000_000),
            ("begins", 1, 1_000_000_000),
            ("event", 0, 1_200_000_000),
            ("event", 0, 1_500_000_000),
            ("ends", 1, 1_500_000_000),
            ("event", 1, 1_800_000_000),
        ];
        assert_eq!(heard.0, expected);
        assert_eq!((played.gaps, played.missed), (1, 123));
    }

    proptest! {
        #[test]
        fn no_row_panics(row in "[a-z<>-]{0,5}-?[0-9]{0,12} ?[\\[(][0-9]{0,7}[\\])] [.dNh]{0,5} ?[0-9]{0,22}\\.[0-9]{0,10}: [a-z_]{0,12}:.{0,60}") {
            if let Some(row) = Row::parse(&row, seconds) {
                let _ = row.stamped(row.at_ns);
            }
        }
    }
}
