// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the status lines of cyclictest and jitterdebugger: a count, minimum, mean and maximum per thread, no distribution.
//!
//! Both tools print these lines repeatedly, each line over the previous one. The last line of a thread counts.
use super::counted::{Counted, US};
use super::cyclictest_json::{key, skips};
use super::cyclictest_samples::sample;
use super::format::{BadImport, Imported, Importer, rounded};
use super::lines::{CUT, Lines};
use backwall_model::{Device, IDLE_OFF, Key};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const CYCLICTEST: Importer = Importer {
    name: "cyclictest-summary",
    about: "lines T: of cyclictest: no distribution",
    begins: |start| is_alone(start) && start.lines().any(|line| cyclictest_row(line).is_some()),
    read: |source, load| read(source, load, true),
};

pub(super) const JITTERDEBUGGER: Importer = Importer {
    name: "jitterdebugger-summary",
    about: "lines T: of jitterdebugger: no distribution",
    begins: |start| is_alone(start) && start.lines().any(|line| jitterdebugger_row(line).is_some()),
    read: |source, load| read(source, load, false),
};

const MOST_THREADS: usize = 1_024;

/// `false` if the tool also printed its full results, which are read instead.
fn is_alone(start: &str) -> bool {
    !start.contains(HISTOGRAM)
        && !start.contains(super::cyclictest_histogram::EXTREMES)
        && !start.lines().any(|line| sample(line).is_some())
        && !start.trim_start().starts_with('{')
}

const HISTOGRAM: &str = "# Histogram";

pub(super) struct Row {
    pub(super) number: u64,
    thread: u64,
    cpu: Option<u32>,
    pub(super) unit_ns: u64,
    pub(super) done: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    mean: f64,
}

/// Parses `T: 0 ( 4541) P:99 I:1000 C: 773124 Min:      1 Act:    6 Avg:    3 Max:   53381`.
pub(super) fn cyclictest_row(line: &str) -> Option<Row> {
    let (number, thread, rest) = who(line)?;
    // signaltest prints such rows without an interval.
    if !rest.starts_with("P:") || !rest.contains(" I:") {
        return None;
    }
    // With -N cyclictest prints nanoseconds. The only sign is that the latest sample has eight digits instead of five.
    let act = between(rest, "Act:", " Avg:")?;
    let unit_ns = if act.len() >= 8 { 1 } else { US };
    let mean = between(rest, "Avg:", " Max:")?.trim().parse::<u64>().ok()? as f64;
    let (done, min, max) = (figure(rest, "C:")?, figure(rest, "Min:")?, figure(rest, "Max:")?);
    // The latest sample cannot exceed the maximum.
    act.trim().parse::<u64>().ok().filter(|act| done == 0 || *act <= max)?;
    Some(Row { number, thread, cpu: None, unit_ns, done, min, max, mean })
}

/// Parses `T: 0 ( 1599) A: 0 C:    593447 Min:         2 Avg:    2.97 Max:        59`.
fn jitterdebugger_row(line: &str) -> Option<Row> {
    let (number, thread, rest) = who(line)?;
    let cpu = figure(rest.strip_prefix("A:").map(|_| rest)?, "A:")?;
    let mean = between(rest, "Avg:", " Max:")?.trim().parse::<f64>().ok().filter(|mean| mean.is_finite())?;
    let (done, min, max) = (figure(rest, "C:")?, figure(rest, "Min:")?, figure(rest, "Max:")?);
    Some(Row { number, thread, cpu: Some(u32::try_from(cpu).ok()?), unit_ns: US, done, min, max, mean })
}

fn who(line: &str) -> Option<(u64, u64, &str)> {
    let (number, rest) = line.strip_prefix("T:")?.split_once('(')?;
    let (thread, rest) = rest.split_once(')')?;
    let number = number.trim().parse().ok().filter(|number| *number < MOST_THREADS as u64)?;
    Some((number, thread.trim().parse().ok()?, rest.trim_start()))
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    Some(text.split_once(from)?.1.split_once(to)?.0)
}

fn figure(text: &str, name: &str) -> Option<u64> {
    let at = if text.starts_with(name) { 0 } else { text.find(&format!(" {name}"))? + 1 };
    text[at + name.len()..].split_whitespace().next()?.parse().ok()
}

fn read(source: &mut dyn BufRead, load: &str, cyclictest: bool) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let (mut rows, mut idle_off): (BTreeMap<u64, Row>, bool) = (BTreeMap::new(), false);
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: &str| BadImport::line(number, &line, fault);
        idle_off |= line.starts_with("# /dev/cpu_dma_latency set to 0us");
        if line == HISTOGRAM {
            return Err(wrong("a histogram begins here; use --format cyclictest-histogram"));
        }
        if !line.starts_with("T:") {
            if lines.is_cut(&line) && line.starts_with('T') {
                return Err(wrong(CUT));
            }
            continue;
        }
        let row = if cyclictest { cyclictest_row(&line) } else { jitterdebugger_row(&line) };
        let row = row.ok_or_else(|| {
            wrong(
                "expected a complete row of a thread; the file may be truncated or from \
            another tool",
            )
        })?;
        // Both tools print the maximum in at least this many columns.
        let width = if cyclictest { 8 } else { 10 };
        if !lines.has_end() && line.split_once("Max:").is_some_and(|(_, max)| max.len() < width) {
            return Err(wrong("the maximum may be cut off: the last line has no end"));
        }
        // Until a thread runs, its row has no thread number and no sample.
        let begins = |old: &Row| old.thread == 0 && old.done == 0;
        let same = |old: &Row| (old.thread == row.thread || begins(old)) && old.done <= row.done && old.max <= row.max;
        if rows.get(&row.number).is_some_and(|old| !same(old)) {
            return Err(wrong("a row of another run; put each into its own file"));
        }
        rows.insert(row.number, row);
        if rows.len() > MOST_THREADS {
            return Err(wrong("too many threads"));
        }
    }
    imported(rows, load, (cyclictest, idle_off))
}

fn imported(rows: BTreeMap<u64, Row>, load: &str, (cyclictest, idle_off): (bool, bool)) -> Result<Imported, BadImport> {
    let tool = if cyclictest { "cyclictest" } else { "jitterdebugger" };
    let mut imported = Imported { tool: tool.into(), ..Imported::default() };
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.warnings.push(if cyclictest { skips() } else { super::jitterdebugger::sleeps() });
    imported.warnings.push(rounded("these lines have no distribution: only minimum, mean and maximum"));
    let threads = rows.len();
    for (number, row) in rows {
        let place = |key: Key| if idle_off { key.with_idle(IDLE_OFF) } else { key };
        let key = match row.cpu {
            Some(cpu) => Key { cpu: Some(cpu), ..Key::new("wakeup", load, "unknown") },
            None => key(&number.to_string(), None, threads, load),
        };
        imported.series.push(row.counted(place(key))?.summarised().map_err(BadImport::whole)?);
    }
    Ok(imported)
}

impl Row {
    fn counted(&self, key: Key) -> Result<Counted, BadImport> {
        let ns =
            |value: u64| value.checked_mul(self.unit_ns).ok_or_else(|| BadImport::whole("a latency is out of range"));
        let mut counted = Counted::new(key, "expiry", "thread");
        counted.done = self.done;
        if self.done > 0 {
            (counted.min, counted.max) = (ns(self.min)?, ns(self.max)?);
            counted.mean = Some(self.mean * self.unit_ns as f64);
        }
        Ok(counted)
    }
}
