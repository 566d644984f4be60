// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of ftrace or perf: one row per event, as the kernel's `trace` file, `trace-cmd report` and `perf script` print it.
//!
//! The first rows show which tool printed the text. Rows of another tool are counted; if there are too many, backwall refuses the
//! text.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::about::About;
use super::beginnings::{Beginnings, RecordingScan};
use super::error::ReadError;
use super::played::Played;
use super::receiver::Receiver;
use super::rows::{Block, Paste, Rows};
use super::text_counts::Counts;
use super::text_row::{CPUS_MAX, Row, Stamp};
use super::text_shape::{self, Line, OF_LOSS, Shape, TextReading as How};
use super::text_stack::Stack;
use super::tracer::Tracer;
use super::understood::{self, Understood};
use super::{text_latency, text_perf};
use crate::event::{Event, Stamped};
use backwall_model::units::Unit;
use memchr::memmem::Finder;
use std::fs::File;
use std::io::{Seek, SeekFrom};

const FIRST_WITHIN: u64 = 1 << 20;
/// The first rows, this many, show the format. At most as many rows are kept before the first event.
const DECIDING: usize = 2_000;
const NO_EVENT: &str = "a recording's heading without an event below it; record with trace-cmd record -e sched -e irq";

const SEVERAL: &str =
    "the rows of several recordings, printed together; print each with its own trace-cmd report -i FILE";

/// The first row of a guest of the lab: its kernel's stamps count instructions.
const COUNTS_INSTRUCTIONS: &str = "# counter: instructions";
const PAGE_ENDS: &str = "</script>";

#[derive(Debug)]
pub(super) struct Text {
    file: File,
    cpus: u32,
    how: How,
    stamp: Stamp,
    flags: bool,
    tracer: Option<Tracer>,
}

impl Text {
    pub(super) fn of(file: File) -> Result<Self, ReadError> {
        let (rows, stamp) = first_rows(&file)?;
        let Some(how) = text_shape::decide(&rows, stamp) else {
            let bare = rows.iter().any(|row| begins_recording(row)).then_some(NO_EVENT);
            let why = text_shape::refused(&rows).or(bare);
            return Err(why.map_or(ReadError::Unknown, |why| ReadError::NotRead(why.to_string())));
        };
        // trace-cmd puts the file's name before each row if it prints several files.
        let heads_a_file = |row: &&String| {
            let cpus = row.rsplit_once(": cpus=").map(|(_, cpus)| cpus.trim_ascii_end());
            cpus.is_some_and(|cpus| !cpus.is_empty() && cpus.bytes().all(|byte| byte.is_ascii_digit()))
                && !looks_like_an_event(row, stamp)
        };
        if rows.iter().filter(heads_a_file).count() > 1 {
            return Err(ReadError::NotRead(SEVERAL.to_string()));
        }
        let rows = super::rows::pasted(&rows, how.paste, how.shape.begins());
        let cpus = rows.iter().find_map(|row| row.strip_prefix("cpus=")?.trim().parse().ok()).unwrap_or(0);
        let first = rows.iter().position(|row| matches!(how.shape.line(row, stamp), Line::Event(_)));
        let first = first.unwrap_or(rows.len());
        let tracer = Tracer::of(rows[..first].iter().map(String::as_str));
        let flags = rows
            .get(first)
            .is_some_and(|row| matches!(how.shape.line(row, stamp), Line::Event(Row { flags: Some(_), .. })));
        Ok(Self { cpus: CPUS_MAX.min(cpus), how, stamp, flags, tracer, file })
    }

    pub(super) fn about(&self) -> About {
        let unit = if self.stamp == Stamp::Count { Unit::Instructions } else { Unit::Ns };
        let clock = (unit == Unit::Instructions).then(|| "instructions".to_string());
        let notes = self.tracer.iter().map(Tracer::note).collect();
        let (form, tracer) = (self.how.shape.form().to_string(), self.tracer.clone());
        About { form, cpus: self.cpus, unit, clock, marks: self.flags, tracer, notes, ..About::default() }
    }

    pub(super) fn play(&mut self, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let beginnings = self.beginnings()?;
        self.file.seek(SeekFrom::Start(0))?;
        let mut rows = self.rows();
        let mut player = Player::new(beginnings, receiver, self.how.shape, self.stamp);
        while !player.receiver.is_done() {
            let line = rows.line() + 1;
            let Some((row, cut)) = rows.next_whole()? else { break };
            if row.starts_with(PAGE_ENDS) && player.has_begun() {
                break;
            }
            if cut { player.last_row(row, line) } else { player.row(row, line) }?;
        }
        player.finish(self.ends_within_a_row()?)
    }

    fn rows(&self) -> Rows<'_> {
        Rows::pasted(&self.file, u64::MAX, self.how.paste, self.how.shape.begins())
    }

    fn ends_within_a_row(&self) -> Result<bool, ReadError> {
        let mut last = [0];
        let at = self.file.metadata()?.len().saturating_sub(1);
        let read = std::os::unix::fs::FileExt::read_at(&self.file, &mut last, at)?;
        Ok(read == 1 && last[0] != b'\n')
    }

    /// Finds where losses begin, because the row that notes a loss comes only afterwards. Skips a text without such rows.
    fn beginnings(&mut self) -> Result<Beginnings, ReadError> {
        // perf writes its record of a loss where the loss begins.
        if self.how.shape == Shape::Perf || !self.tells_of_losses()? {
            return Ok(Beginnings::default());
        }
        self.file.seek(SeekFrom::Start(0))?;
        let (mut rows, mut seen, mut last_ns) = (self.rows(), RecordingScan::default(), 0);
        while let Some(row) = rows.next()? {
            match self.how.shape.line(row, self.stamp) {
                Line::Lost(cpu, _) => seen.gap(Some(cpu)),
                Line::Event(row) => {
                    last_ns = row.at_ns.max(last_ns);
                    seen.event(row.cpu, last_ns);
                }
                _ => {}
            }
        }
        Ok(seen.beginnings())
    }

    fn tells_of_losses(&mut self) -> Result<bool, ReadError> {
        self.file.seek(SeekFrom::Start(0))?;
        let (mut block, mark) = (Block::of(&self.file, u64::MAX), Finder::new(OF_LOSS));
        loop {
            let rows = block.rows()?;
            if rows.is_empty() {
                return Ok(false);
            }
            let begins_row = |at: usize| {
                let before = rows[..at].iter().rev().find(|byte| !b" \t".contains(byte));
                before.is_none_or(|byte| *byte == b'\n')
            };
            if mark.find_iter(rows).any(|at| self.how.paste != Paste::None || begins_row(at)) {
                return Ok(true);
            }
        }
    }
}

/// Returns the first rows, from which the format is recognized, and the notation of the timestamps. If too many rows come
/// before the first event, this function returns only the headings and the last rows.
fn first_rows(file: &File) -> Result<(Vec<String>, Stamp), ReadError> {
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let (mut rows, mut stamp, mut found) = (Rows::of(file, FIRST_WITHIN), Stamp::Seconds, Vec::new());
    let mut events = 0;
    while let Some(row) = rows.next()? {
        if row == COUNTS_INSTRUCTIONS {
            stamp = Stamp::Count;
        }
        if events > 0 && row.starts_with(PAGE_ENDS) {
            break;
        }
        if found.len() >= DECIDING {
            if events > 0 {
                break;
            }
            found.retain(|row: &String| is_heading(row));
            found.truncate(DECIDING / 2);
        }
        events += usize::from(looks_like_an_event(row, stamp));
        found.push(row.to_string());
    }
    // The last row may be cut at this point.
    if rows.is_unfinished() && found.len() > 1 && file.metadata()?.len() > FIRST_WITHIN {
        found.pop();
    }
    Ok((found, stamp))
}

fn begins_recording(row: &str) -> bool {
    let row = row.trim_ascii_start();
    row.starts_with("# tracer:") || row.starts_with("cpus=")
}

fn is_heading(row: &str) -> bool {
    let row = row.trim_ascii_start();
    row.starts_with('#') || row.starts_with("cpus=")
}

fn looks_like_an_event(row: &str, stamp: Stamp) -> bool {
    let row = row.trim_ascii_start().trim_start_matches(['>', '|']);
    [Shape::Ftrace, Shape::Latency, Shape::Perf].iter().any(|shape| matches!(shape.line(row, stamp), Line::Event(_)))
}

type Scheduled = (u32, u64, (u8, i32, i32));

struct Player<'a, R> {
    receiver: &'a mut R,
    shape: Shape,
    stamp: Stamp,
    beginnings: Beginnings,
    played: Played,
    counts: Counts,
    understood: Understood,
    last_ns: u64,
    backward: u64,
    /// `behind`: number of consecutive rows far earlier than the latest one. `joined`: the row where a second recording begins,
    /// and how much earlier that recording begins.
    behind: u64,
    joined: Option<(u64, u64)>,
    /// `scheduled`: number of switches and wakeups. `twice`: how many of them repeat the one before. `before`: the last one.
    scheduled: u64,
    twice: u64,
    before: Option<Scheduled>,
    unreadable: u64,
    stack: Option<Stack>,
    /// A switch of the tracer `wakeup`, until the next row shows whether its stack follows.
    switch: Option<(u32, Stamped)>,
}

impl<'a, R: Receiver> Player<'a, R> {
    fn new(beginnings: Beginnings, receiver: &'a mut R, shape: Shape, stamp: Stamp) -> Self {
        Self {
            receiver,
            shape,
            stamp,
            beginnings,
            played: Played::default(),
            counts: Counts::default(),
            understood: Understood::of((shape == Shape::Perf).then_some(text_perf::PRINT)),
            last_ns: 0,
            backward: 0,
            behind: 0,
            joined: None,
            scheduled: 0,
            twice: 0,
            before: None,
            unreadable: 0,
            stack: None,
            switch: None,
        }
    }

    fn has_begun(&self) -> bool {
        self.last_ns > 0
    }

    #[inline]
    fn row(&mut self, row: &str, line: u64) -> Result<(), ReadError> {
        // One call for each shape: if one call took the row of any shape, each row would be copied.
        match self.shape {
            Shape::Ftrace => self.event_or_other(Row::parse(row, self.stamp), row, line),
            Shape::Latency => self.event_or_other(text_latency::parse(row), row, line),
            Shape::Perf => self.event_or_other(text_perf::parse(row), row, line),
        }
    }

    #[inline(always)]
    fn event_or_other(&mut self, event: Option<Row<'_>>, row: &str, line: u64) -> Result<(), ReadError> {
        match event {
            Some(event) => {
                self.event(&event, row, line);
                Ok(())
            }
            None => self.other(row, line),
        }
    }

    /// A row that is no event. A heading after events begins a second recording.
    fn other(&mut self, row: &str, line: u64) -> Result<(), ReadError> {
        match self.shape.other(row) {
            Line::Event(_) => {}
            Line::Frame(function) => self.stack.iter_mut().for_each(|stack| stack.takes(function)),
            Line::Lost(cpu, lost) => self.lost(cpu, lost),
            Line::Aside if self.has_begun() && begins_recording(row) => {
                let what = "a second recording begins here; put each recording into its own file".to_string();
                return Err(ReadError::BadLine { line, what });
            }
            Line::Aside => {}
            Line::Unknown if self.shape.is_of_another(row, self.stamp) => self.understood.broken(line, row),
            Line::Unknown => self.understood.no(line, row),
        }
        Ok(())
    }

    /// A last row without a line end: its event may be cut within a number.
    #[cold]
    fn last_row(&mut self, row: &str, line: u64) -> Result<(), ReadError> {
        if let Line::Event(event) = self.shape.line(row, self.stamp) {
            self.end_stack(false);
            self.last_ns = event.at_ns.max(self.last_ns);
            self.played.gaps += 1;
            self.receiver.gap(event.cpu, self.last_ns);
            self.played.notes.push("the last row has no line end; backwall counts its event as lost".to_string());
            Ok(())
        } else {
            self.row(row, line)
        }
    }

    #[inline(never)] // otherwise each row is copied
    fn event(&mut self, row: &Row<'_>, whole: &str, line: u64) {
        self.end_stack(row.event == "kernel_stack");
        let kind = self.counts.add(row.event);
        if row.at_ns < self.last_ns {
            self.step_back(self.last_ns - row.at_ns, line);
        } else {
            (self.behind, self.last_ns) = (0, row.at_ns);
        }
        self.beginnings.tell(self.last_ns, false, self.receiver);
        if row.event == "kernel_stack" {
            self.stack = Some(Stack::of(row.cpu, |event| row.with(event, self.last_ns)));
            return self.understood.yes();
        }
        match (kind.reading)(row.fields, row).map(|event| row.with(event, self.last_ns)) {
            Some(stamped) => {
                self.understood.yes();
                self.count_twice(row.cpu, &stamped);
                if row.event == "context_switch" {
                    self.switch = Some((row.cpu, stamped));
                } else {
                    self.receiver.event(row.cpu, &stamped);
                }
                if self.shape == Shape::Perf && matches!(stamped.event, Event::Enter(_)) {
                    self.stack = Some(Stack::of(row.cpu, |event| Stamped { event, ..stamped }));
                }
            }
            None if kind.must_be_read => {
                self.understood.broken(line, whole);
                self.unreadable += 1;
                self.played.gaps += 1;
                self.receiver.gap(row.cpu, self.last_ns);
            }
            None => self.understood.yes(),
        }
    }

    /// Two rows may be swapped. Several rows in sequence that are far earlier than the latest one belong to another recording.
    #[cold]
    fn step_back(&mut self, by_ns: u64, line: u64) {
        const FAR_NS: u64 = 1_000_000;
        const ROWS: u64 = 3;
        self.backward += 1;
        self.behind = if by_ns > FAR_NS { self.behind + 1 } else { 0 };
        if self.behind == ROWS {
            self.joined.get_or_insert((line, by_ns));
        }
    }

    // A CPU does not switch twice at the same time from one thread to another.
    #[inline]
    fn count_twice(&mut self, cpu: u32, stamped: &Stamped) {
        let threads = match stamped.event {
            Event::Switch { from, to, .. } => (0, from.id, to.id),
            Event::Waking { thread } => (1, stamped.thread, thread),
            Event::Woken { thread, .. } => (2, stamped.thread, thread),
            _ => return,
        };
        let now = Some((cpu, stamped.at_ns, threads));
        self.scheduled += 1;
        self.twice += u64::from(self.before == now);
        self.before = now;
    }

    #[cold]
    fn lost(&mut self, cpu: u32, lost: u64) {
        self.end_stack(false);
        self.played.gaps += 1;
        self.played.missed = self.played.missed.saturating_add(lost);
        self.beginnings.tell(self.last_ns, true, self.receiver);
        self.receiver.gap(cpu, self.last_ns);
    }

    /// A stack is complete. A stack after a switch explains the delay of that switch.
    #[inline]
    fn end_stack(&mut self, another: bool) {
        if self.stack.is_some() || self.switch.is_some() {
            self.end_stack_or_switch(another);
        }
    }

    #[cold]
    fn end_stack_or_switch(&mut self, another: bool) {
        let stack = self.stack.take();
        let Some((cpu, switch)) = self.switch.take_if(|_| stack.is_some() || !another) else {
            // Some samples of perf have no stack.
            let stack = stack.filter(|stack| self.shape != Shape::Perf || !stack.is_empty());
            return stack.map(Stack::ended).into_iter().for_each(|(cpu, stamped)| self.receiver.event(cpu, &stamped));
        };
        let why = stack.and_then(|stack| stack.unpreempted(&switch));
        why.into_iter().for_each(|why| self.receiver.event(cpu, &why));
        self.receiver.event(cpu, &switch);
    }

    fn finish(mut self, is_cut: bool) -> Result<Played, ReadError> {
        self.end_stack(false);
        self.beginnings.tell(u64::MAX, true, self.receiver);
        let mut played = self.played;
        played.notes.extend(self.beginnings.note());
        played.by_name = self.counts.all();
        played.notes.extend(understood::in_order(self.backward, played.by_name.values().sum())?);
        if let Some((line, by_ns)) = self.joined {
            return Err(ReadError::BadLine { line, what: text_shape::joined(by_ns) });
        }
        played.notes.extend(understood::once(self.twice, self.scheduled)?);
        let unreadable = self.unreadable;
        let lost = format!("{unreadable} rows of switches and wakeups are incomplete; backwall counts them as losses");
        played.notes.extend((unreadable > 0).then_some(lost));
        if !self.receiver.is_done() {
            played.notes.extend(self.understood.finish(is_cut)?);
        }
        Ok(played)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    // Items in order: kind, CPU, time.
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

    fn text(text: &str) -> Result<Text, ReadError> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        Text::of(file)
    }

    fn row(cpu: u32, at: &str) -> String {
        format!("  a-5 [00{cpu}] d... {at}: sched_waking: comm=x pid=9 prio=1 target_cpu=000\n")
    }

    #[test]
    fn a_loss_begins_behind_the_last_row_of_its_processor_and_ends_before_the_next() {
        let rows = [row(1, "1.0"), row(0, "1.2"), row(0, "1.5"), "CPU:1 [LOST 123 EVENTS]\n".into(), row(1, "1.8")];
        let mut heard = Heard::default();
        let played = text(&rows.concat()).unwrap().play(&mut heard).unwrap();
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

    #[test]
    fn rows_that_are_not_understood_are_counted_and_too_many_are_refused() {
        let many: String = (0..200).map(|number| row(0, &format!("1.{number:03}"))).collect();
        let one = format!("{many}what is this\n{}", many.replace(" 1.", " 2."));
        let played = text(&one).unwrap().play(&mut Heard::default()).unwrap();
        assert!(played.notes.iter().any(|note| note.starts_with("cannot parse 1 of 401 rows")), "{played:?}");
        let two = format!("{}{many}", "a-5 [000] d... 1.0: sched_switch: prev_comm=a\n".repeat(9));
        let error = text(&two).unwrap().play(&mut Heard::default()).unwrap_err().to_string();
        assert!(error.starts_with("cannot parse 9 of 209 rows; the first, line 1"), "{error}");
    }

    #[test]
    fn what_holds_no_recording_is_told_what_it_is() {
        let refused = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            crate::read::stored::OpenRecording::of(file).unwrap_err().to_string()
        };
        assert_eq!(refused(b""), "the file is empty");
        assert!(refused(b"\x28\xb5\x2f\xfd1234").contains("unzstd"));
        assert!(refused(b"# tracer: nop\n#\n").starts_with("a recording's heading without an event"));
        let tabs = ["1.0", "1.1"].map(|at| row(0, at).replacen(' ', "\t", 7)).concat();
        assert_eq!(text(&tabs).unwrap().play(&mut Heard::default()).unwrap().events(), 2);
    }

    #[test]
    fn rows_in_a_string_of_javascript_are_read() {
        let page: String = ["1.0", "1.1", "1.2"].iter().map(|at| row(0, at).replace('\n', "\\n\\\n")).collect();
        assert_eq!(text(&page).unwrap().play(&mut Heard::default()).unwrap().events(), 3);
    }

    #[test]
    fn a_text_of_two_tools_is_refused() {
        let ftrace: String = (0..50).map(|number| row(0, &format!("1.{number:03}"))).collect();
        let perf = "perf 7 [000] 2.000000: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=000\n".repeat(45);
        for both in [format!("{ftrace}{perf}"), format!("{perf}{ftrace}")] {
            assert!(text(&both).unwrap().play(&mut Heard::default()).is_err());
        }
    }

    #[test]
    fn several_recordings_in_one_file_are_refused() {
        let rows: String = (0..200).map(|number| row(0, &format!("1.{number:03}"))).collect();
        let refused = |whole: &str| text(whole).unwrap().play(&mut Heard::default()).unwrap_err().to_string();
        assert!(refused(&format!("{rows}{rows}")).contains("the clock steps back: 199 of 400"));
        let doubled: String = rows.lines().map(|row| format!("{row}\n{row}\n")).collect();
        assert!(refused(&doubled).contains("200 of 400 switches and wakeups are duplicates"));
        let second = refused(&format!("# tracer: nop\n{rows}# tracer: wakeup_rt\n{}", row(0, "2.0")));
        assert!(second.contains("line 202: a second recording begins here"), "{second}");
        let earlier = |at: &str| refused(&format!("{}{}", rows, [row(1, at), row(1, at), row(0, at)].concat()));
        assert!(earlier("0.5").contains("the clock steps back: 3 of 203"));
        let many: String = (0..400).map(|number| row(0, &format!("1.{number:03}"))).collect();
        let short = [row(1, "0.500001"), row(1, "0.500002"), row(1, "0.500003")].concat();
        let joined = refused(&format!("{many}{short}"));
        assert!(joined.contains("line 403: the clock goes back by 898 ms"), "{joined}");
        let late = [row(1, "1.3985"), row(1, "1.3986"), row(1, "1.3987")].concat();
        assert!(text(&format!("{many}{late}")).unwrap().play(&mut Heard::default()).is_ok(), "rows of two CPUs");
        let named = |file: &str, at: &str| format!("{file}: cpus=2\n{file}: {}", row(0, at).trim_start());
        let together = format!("{}{}", named("  a.dat", "1.0"), named("own/b.dat", "2.0"));
        assert!(text(&together).unwrap_err().to_string().contains("several recordings, printed together"));
        let limits: String =
            (0..3).map(|us| format!("k-5 [000] 1.00000{us}: thermal_power_cpu_limit: cpus=3\n")).collect();
        assert_eq!(text(&limits).unwrap().play(&mut Heard::default()).unwrap().events(), 3, "an event's own field");
        let swapped = format!("{}{}{rows}", row(0, "0.9"), row(0, "0.8"));
        let played = text(&swapped).unwrap().play(&mut Heard::default()).unwrap();
        assert!(played.notes.iter().any(|note| note.starts_with("1 event is earlier")), "{:?}", played.notes);
    }

    #[test]
    fn the_last_row_of_a_file_that_was_cut_is_no_event() {
        let rows = row(0, "1.0") + &row(0, "1.1");
        assert!(text(&rows).unwrap().play(&mut Heard::default()).is_ok());
        let mut heard = Heard::default();
        let played = text(&rows[..rows.len() - 3]).unwrap().play(&mut heard).unwrap();
        assert_eq!((played.events(), played.gaps, heard.0.last().map(|last| last.0)), (1, 1, Some("ends")));
        let within_the_head = &rows[..rows.len() - 65];
        assert!(text(within_the_head).unwrap().play(&mut Heard::default()).is_err(), "{within_the_head}");
    }
}
