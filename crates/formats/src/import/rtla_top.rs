// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the tables of `rtla timerlat top`, `rtla osnoise top` and `rtla hwnoise`: a row per CPU, without a distribution.
//!
//! rtla prints a table each second. The last complete table counts, because it includes the earlier ones.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported, Importer};
use super::lines::{CUT, Lines};
use super::rtla::{clock, events_missed};
use backwall_model::{Device, Key, Series, Warning};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const TIMERLAT: Importer = Importer {
    name: "rtla-timerlat-top",
    about: "output of rtla timerlat top: no distribution",
    begins: |start| start.lines().any(is_timerlat),
    read: |source, load| read(source, load, &OF_TIMERLAT),
};

pub(super) const OSNOISE: Importer = Importer {
    name: "rtla-osnoise-top",
    about: "output of rtla osnoise top or rtla hwnoise: no distribution",
    begins: |start| start.lines().any(is_osnoise),
    read: |source, load| read(source, load, &OF_OSNOISE),
};

struct Table {
    tool: &'static str,
    is_heading: fn(&str) -> bool,
    /// The figures in the row of a CPU. The number is the factor that converts them to nanoseconds.
    row: fn(&str, u64, &str) -> Option<Vec<Counted>>,
    open: &'static str,
    has_threshold: bool,
    /// The minimum length of a row, with three digits for the CPU.
    width: fn(&str) -> usize,
}

const OF_TIMERLAT: Table = Table {
    tool: "rtla timerlat",
    is_heading: is_timerlat,
    row: timerlat_row,
    open: "rtla timerlat top counts timer interrupts, so backwall takes this number as the wakeups done; the table has no \
        distribution and does not count skipped wakeups; values are rounded down",
    has_threshold: false,
    width: |row| if row.matches('|').count() > 2 { 137 } else { 96 },
};

const OF_OSNOISE: Table = Table {
    tool: "rtla osnoise",
    is_heading: is_osnoise,
    row: osnoise_row,
    open: "osnoise counts only noise above its threshold, and this table does not show the threshold; a sample is the longest \
        gap or the total noise of one period, and the table has only the largest sample; values are rounded down",
    has_threshold: true,
    width: |row| if row.split_whitespace().count() > 9 { 138 } else { 99 },
};

fn is_timerlat(line: &str) -> bool {
    line.starts_with("CPU COUNT") && line.contains("cur") && line.contains("max")
}

fn is_osnoise(line: &str) -> bool {
    line.starts_with("CPU Period") && line.contains("Max Single")
}

type Rows = BTreeMap<u32, Vec<Counted>>;

fn read(source: &mut dyn BufRead, load: &str, table: &Table) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut imported = Imported { tool: table.tool.into(), ..Imported::default() };
    let (mut rows, mut before, mut unit_ns, mut inside) = (Rows::new(), Rows::new(), None, false);
    let mut last_s = 0.0;
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: &str| BadImport::line(number, &line, fault);
        imported.invalid = imported.invalid.or_else(|| events_missed(&line));
        if let Some(found) = unit(&line) {
            if unit_ns.replace(found).is_some_and(|unit| unit != found) {
                return Err(wrong("the unit differs from that of the table above; put each output into its own file"));
            }
            // Each table is one second later than the previous one.
            let now_s = seconds(&line).unwrap_or(last_s);
            if inside && now_s <= last_s {
                return Err(wrong("a table earlier than the one above; put each output into its own file"));
            }
            (last_s, imported.seconds) = (now_s, Some(now_s).filter(|now_s| *now_s > 0.0));
        } else if (table.is_heading)(&line) {
            (before, inside) = (grown(before, std::mem::take(&mut rows)).map_err(|fault| wrong(&fault))?, true);
        } else if inside && line.starts_with(|letter: char| letter.is_ascii_digit()) && line.contains('#') {
            let unit_ns = unit_ns.ok_or_else(|| wrong("the previous line, with the unit of the times, is missing"))?;
            if !lines.has_end() && is_cut(&line, table) {
                return Err(wrong("the last number may be cut off: the line has no end"));
            }
            let series = (table.row)(&line, unit_ns, load).ok_or_else(|| wrong("expected a row of a CPU"))?;
            let cpu = series.first().and_then(|one| one.key.cpu).unwrap_or(0);
            if rows.insert(cpu, series).is_some() {
                return Err(wrong("a second row of this CPU"));
            }
        } else if !inside
            && unit_ns.is_some()
            && line.split_once('#').is_some_and(|(cpu, _)| cpu.trim().parse::<u32>().is_ok())
        {
            return Err(wrong("a row of a CPU above the column names"));
        } else if inside && lines.is_cut(&line) && line.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong(CUT));
        } else if inside && (is_timerlat(&line) || is_osnoise(&line)) {
            return Err(wrong("a table of another tool; put each into its own file"));
        }
    }
    let rows = grown(before, rows).map_err(BadImport::whole)?;
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.warnings.push(Warning::new("lost-unknown", table.open));
    imported.series = all_series(rows, table.has_threshold).map_err(BadImport::whole)?;
    Ok(imported)
}

/// Whether a row without a line end is shorter than rtla prints it, so that its last figure may lack digits.
fn is_cut(row: &str, table: &Table) -> bool {
    let digits = row.bytes().take_while(u8::is_ascii_digit).count().min(3);
    row.len() + 3 - digits < (table.width)(row)
}

// Takes each CPU's later row: the last table may be truncated. If a count decreased, the table belongs to another run.
fn grown(mut before: Rows, rows: Rows) -> Result<Rows, String> {
    for (cpu, series) in &rows {
        let earlier = before.get(cpu).into_iter().flatten();
        if let Some(fallen) = earlier.zip(series).find(|(old, new)| new.done < old.done || new.max < old.max) {
            let place = fallen.0.key.label();
            return Err(format!(
                "{place}: fewer samples, or a smaller maximum, than in a table above; put each run into its own file"
            ));
        }
    }
    before.extend(rows);
    Ok(before)
}

fn all_series(rows: Rows, has_threshold: bool) -> Result<Vec<Series>, String> {
    let all: Vec<Counted> = rows.into_values().flatten().collect();
    // Every gap that rtla counted was above the threshold.
    let threshold = all.iter().filter(|one| one.key.name == "gap" && one.max > 0).map(|one| one.max).min();
    let series = all.into_iter().map(|one| match (has_threshold, one.key.name.as_str()) {
        (true, "gap") => {
            let quiet = one.max == 0;
            let one = Counted { done: if quiet { 0 } else { one.done }, ..one };
            Ok(Series { threshold, ..one.up_to()? })
        }
        (true, _) => one.up_to(),
        (false, _) => one.summarised(),
    });
    series.collect()
}

/// Reads the unit from `0 00:00:05   |  IRQ Timer Latency (us) …` and `duration:   0 00:01:00 | time is in us`, as nanoseconds.
fn unit(line: &str) -> Option<u64> {
    if line.contains("Timer Latency (us)") || line.contains("| time is in us") {
        Some(US)
    } else {
        line.contains("Timer Latency (ns)").then_some(1)
    }
}

fn seconds(line: &str) -> Option<f64> {
    let (duration, _) = line.split_once('|')?;
    clock(&duration.trim().trim_start_matches("duration:").split_whitespace().collect::<Vec<_>>())
}

fn key(name: &str, cpu: u32, load: &str) -> Key {
    Key { cpu: Some(cpu), ..Key::new(name, load, "unknown") }
}

/// Parses `0 #12345 | cur min avg max | cur min avg max`; with user threads there is a third part.
fn timerlat_row(line: &str, unit_ns: u64, load: &str) -> Option<Vec<Counted>> {
    let mut parts = line.split('|');
    let (cpu, count) = parts.next()?.split_once('#')?;
    let (cpu, count) = (cpu.trim().parse().ok()?, count.trim().parse().ok()?);
    let names = [("irq", "isr"), ("wakeup", "thread"), ("user", "user")];
    let series = parts.zip(names).map(|(part, (name, to))| {
        let mut counted = Counted::new(key(name, cpu, load), "expiry", to);
        let figures: Vec<&str> = part.split_whitespace().collect();
        if figures == ["-"; 4] {
            return Some(counted);
        }
        let figures: Vec<u64> = figures.iter().map(|figure| figure.parse().ok()).collect::<Option<_>>()?;
        let [_, min, mean, max] = figures[..] else { return None };
        counted.done = count;
        (counted.min, counted.max) = (min.checked_mul(unit_ns)?, max.checked_mul(unit_ns)?);
        counted.mean = Some(mean as f64 * unit_ns as f64);
        Some(counted)
    });
    series.collect::<Option<Vec<_>>>().filter(|series| series.len() >= 2)
}

/// Parses `0 #59  59000000  3231  99.99452  122  12  0 …`: periods, run time, noise, share, largest noise of a period, largest
/// gap.
fn osnoise_row(line: &str, unit_ns: u64, load: &str) -> Option<Vec<Counted>> {
    let (cpu, rest) = line.split_once('#')?;
    let cpu = cpu.trim().parse().ok()?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [periods, _, noise, _, largest, single, ref interference @ ..] = words[..] else { return None };
    let whole = |word: &str| word.parse::<u64>().ok();
    // Two columns, hardware and NMI, or five.
    if ![2, 5].contains(&interference.len()) || !interference.iter().all(|word| whole(word).is_some()) {
        return None;
    }
    let (periods, noise) = (whole(periods)?, whole(noise)?.checked_mul(unit_ns)?);
    let mut of_period = Counted::new(key("noise", cpu, load), "period", "period");
    (of_period.done, of_period.max) = (periods, whole(largest)?.checked_mul(unit_ns)?);
    of_period.mean = (periods > 0).then(|| noise as f64 / periods as f64);
    let mut gap = Counted::new(key("gap", cpu, load), "reading", "next reading");
    (gap.done, gap.max) = (periods, whole(single)?.checked_mul(unit_ns)?);
    Some(vec![gap, of_period])
}
