// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of `rtla timerlat hist`: three latencies of the same timer for each processor, told apart by their columns.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::collections::BTreeSet;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "rtla-timerlat",
    about: "what rtla timerlat hist prints",
    begins: |start| start.lines().any(|line| line == HEAD),
    read,
};

const HEAD: &str = "# RTLA timerlat histogram";

/// What a column is called, the series that it is, and the point that ends it.
const COLUMNS: [(&str, &str, &str); 3] = [("IRQ", "irq", "isr"), ("Thr", "wakeup", "thread"), ("Usr", "user", "user")];

struct Text {
    unit_ns: u64,
    seconds: Option<f64>,
    columns: Vec<Column>,
    /// The rows that have samples: their index, and a count for each column.
    rows: Vec<(u64, Vec<u64>)>,
}

struct Column {
    counted: Counted,
    over: u64,
    mean: f64,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text { unit_ns: US, seconds: None, columns: Vec::new(), rows: Vec::new() };
    while let Some((number, line)) = lines.next()? {
        // The sum over all processors, and what is said of single responses, come last.
        if line.starts_with("ALL:") || (text.is_whole() && !line.starts_with("max:")) {
            break;
        }
        text.take(&line, load).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

impl Text {
    fn is_whole(&self) -> bool {
        self.columns.first().is_some_and(|column| column.counted.max > 0)
    }

    fn take(&mut self, line: &str, load: &str) -> Result<(), &'static str> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("#") => self.head(line),
            Some("Index") => {
                self.columns = words.map(|word| column(word, load)).collect::<Option<_>>().ok_or(UNKNOWN_COLUMN)?;
                let names: BTreeSet<&Key> = self.columns.iter().map(|column| &column.counted.key).collect();
                if names.len() != self.columns.len() {
                    return Err(TWICE);
                }
            }
            Some(name @ ("over:" | "count:" | "min:" | "avg:" | "max:")) => self.foot(name, words)?,
            Some(index) if index.bytes().all(|byte| byte.is_ascii_digit()) => self.row(index, words)?,
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, line: &str) {
        if line.contains("nanoseconds") {
            self.unit_ns = 1;
        }
        let duration = line.strip_prefix("# Duration:").map(|text| text.split_whitespace().collect::<Vec<_>>());
        self.seconds = duration.and_then(|words| seconds(&words)).or(self.seconds);
    }

    fn row<'a>(&mut self, index: &str, words: impl Iterator<Item = &'a str>) -> Result<(), &'static str> {
        let counts: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| "counts belong here")?;
        if counts.len() != self.columns.len() {
            return Err("as many counts as columns belong here");
        }
        let index = index.parse().map_err(|_| "beyond what can be counted")?;
        if counts.iter().any(|count| *count > 0) {
            self.rows.push((index, counts));
        }
        Ok(())
    }

    /// A column without samples has `-` in place of its figures.
    fn foot<'a>(&mut self, name: &str, words: impl Iterator<Item = &'a str>) -> Result<(), &'static str> {
        let words: Vec<&str> = words.collect();
        if words.len() != self.columns.len() {
            return Err("as many figures as columns belong here");
        }
        for (column, word) in self.columns.iter_mut().zip(words) {
            let figure: f64 = if word == "-" { 0.0 } else { word.parse().map_err(|_| "figures belong here")? };
            if name == "avg:" {
                column.mean = figure * self.unit_ns as f64;
                continue;
            }
            let count: u64 = if word == "-" { 0 } else { word.parse().map_err(|_| "whole numbers belong here")? };
            let ns = count.checked_mul(self.unit_ns).ok_or("beyond what can be counted")?;
            match name {
                "over:" => column.over = count,
                "count:" => column.counted.done = count,
                "min:" => column.counted.min = ns,
                _ => column.counted.max = ns,
            }
        }
        Ok(())
    }

    /// Rows without samples are not printed: how wide a row is follows from what divides all that are.
    fn width(&self) -> u64 {
        self.rows.iter().fold(0, |width, (index, _)| divisor(width, *index)).max(1)
    }

    fn imported(self) -> Result<Imported, BadImport> {
        let width = self.width();
        let mut imported = Imported { tool: "rtla timerlat".to_string(), seconds: self.seconds, ..Imported::default() };
        imported.device = Device { kind: "linux".to_string(), ..Device::default() };
        imported.warnings.push(Warning::new("lost-unknown", SKIPS));
        if width > 1 {
            let unit = if self.unit_ns == 1 { "ns" } else { "us" };
            let said = format!("its rows are {width} {unit} apart: each is taken to be as wide");
            imported.warnings.push(Warning::new("wide-rows", said));
        }
        if self.columns.is_empty() {
            return Err(BadImport::whole("the line of its columns, which begins with Index, is missing"));
        }
        for (at, column) in self.columns.into_iter().enumerate() {
            let Column { mut counted, over, mean } = column;
            let place = counted.key.label();
            for (index, counts) in &self.rows {
                let low = index.checked_mul(self.unit_ns);
                let next = index.checked_add(width).and_then(|next| next.checked_mul(self.unit_ns));
                let fits = low.zip(next).and_then(|(low, next)| counted.class(low, next, counts[at]));
                fits.ok_or_else(|| {
                    BadImport::whole(format!("{place}: the row {index} stands there twice, or too far"))
                })?;
            }
            let inside = counted.inside().unwrap_or(u64::MAX);
            if inside.checked_add(over) != Some(counted.done) {
                let done = counted.done;
                return Err(BadImport::whole(format!(
                    "{place}: {inside} samples and {over} over are not the {done} counted"
                )));
            }
            counted.mean = mean;
            imported.series.push(counted.series().map_err(BadImport::whole)?);
        }
        Ok(imported)
    }
}

const UNKNOWN_COLUMN: &str = "columns are IRQ-, Thr- and Usr- with the number of a processor";

const TWICE: &str = "two columns of one name: a processor has one of each kind";

const SKIPS: &str = "timerlat does not count the activations that it skips after a late response: how many were lost is not \
     known; its values are rounded down";

/// `IRQ-001`.
fn column(word: &str, load: &str) -> Option<Column> {
    let (kind, cpu) = word.split_once('-')?;
    let (_, name, to) = COLUMNS.iter().find(|(known, ..)| *known == kind)?;
    let mut key = Key::new(*name, load, "unknown");
    key.cpu = Some(cpu.parse().ok()?);
    Some(Column { counted: Counted::new(key, "expiry", to), over: 0, mean: 0.0 })
}

/// `0 00:10:01`: days, hours, minutes and seconds.
fn seconds(words: &[&str]) -> Option<f64> {
    let [days, clock] = words else { return None };
    let parts: Vec<u32> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, seconds] = parts[..] else { return None };
    let days: u32 = days.parse().ok()?;
    Some(f64::from(days) * 86_400.0 + f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + f64::from(seconds))
}

/// The greatest common divisor.
fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}
