// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads histograms of bcc's tools and bpftrace: runqlat, hardirqs and others with the same tables, which contain classes only.
use super::bpf_rows::{Heading, Row, Unit, heading, row};
use super::counted::Counted;
use super::format::{BadImport, Imported, Importer};
use super::lines::{CUT, Lines};
use backwall_model::{Device, Key, Warning};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "bpf-histogram",
    about: "a time histogram of bcc or bpftrace (runqlat, hardirqs)",
    begins: |start| start.lines().any(|line| bcc_heading(line) || bpftrace_row(line)),
    read,
};

fn bcc_heading(line: &str) -> bool {
    line.contains("distribution") && heading(line).is_some()
}

fn bpftrace_row(line: &str) -> bool {
    (line.starts_with('[') || line.starts_with("(...")) && row(line).is_some()
}

const MOST_SERIES: usize = 4_096;

#[derive(Default)]
struct Text {
    /// What the samples are, from the tool's text before its first table.
    about: About,
    /// Variant of the next table: `pid = 181`.
    next: BTreeMap<String, String>,
    now: Option<(Key, Unit)>,
    tables: BTreeMap<Key, BTreeMap<u64, (u64, u64)>>,
    // Count and lower bound of this table's last row, and the table's longest bar with the length of a full bar.
    last: Option<u64>,
    low: Option<u64>,
    longest: (usize, usize),
    lacks_largest: bool,
}

#[derive(Clone, Copy)]
struct About {
    name: &'static str,
    from: &'static str,
    to: &'static str,
}

impl Default for About {
    fn default() -> Self {
        Self { name: "latency", from: "start", to: "end" }
    }
}

const SUBJECTS: [(&str, About); 4] = [
    ("run queue latency", About { name: "wakeup", from: "waking", to: "thread" }),
    ("scheduler", About { name: "wakeup", from: "waking", to: "thread" }),
    ("hard irq", About { name: "irq_time", from: "irq entry", to: "irq exit" }),
    ("soft irq", About { name: "softirq_time", from: "softirq entry", to: "softirq exit" }),
];

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text::default();
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: String| BadImport::line(number, &line, fault);
        if lines.is_cut(&line) && row(&line).is_none() && !text.tables.is_empty() {
            return Err(wrong(CUT.to_string()));
        }
        text.take(&line, load).map_err(wrong)?;
    }
    text.end_table().map_err(BadImport::whole)?;
    text.imported()
}

impl Text {
    fn take(&mut self, line: &str, load: &str) -> Result<(), String> {
        if let Some(found) = heading(line) {
            return self.begin(found?, load);
        }
        if let Some(row) = row(line) {
            return self.row(row?);
        }
        if let Some((name, value)) = line.split_once(" = ").filter(|(name, _)| !name.contains(char::is_whitespace)) {
            // funclatency's figures of the table above.
            if name == "avg" {
                return Ok(());
            }
            let quoted = value.trim_start_matches('b').strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            let value = quoted.unwrap_or(value);
            self.next.insert(name.to_string(), value.chars().take(64).collect());
        } else if self.tables.is_empty() {
            let lower = line.to_lowercase();
            let found = SUBJECTS.iter().find(|(word, _)| lower.contains(word));
            self.about = found.map_or(self.about, |(_, about)| *about);
        }
        Ok(())
    }

    // Both tools print rows up to the largest sample, and draw the largest count as a full bar.
    fn end_table(&mut self) -> Result<(), String> {
        let (longest, full) = std::mem::take(&mut self.longest);
        self.lacks_largest |= longest < full;
        match self.last.take() {
            Some(last) if last == 0 || longest * 4 < full * 3 => Err(ROWS_MISSING.to_string()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, found: Heading, load: &str) -> Result<(), String> {
        self.end_table()?;
        let mut key = Key::new(self.about.name, load, "unknown");
        let unit = match found {
            Heading::Bcc(unit) => {
                key.variant.extend(std::mem::take(&mut self.next));
                unit
            }
            Heading::Map { unit, name, key: of } => {
                key.variant.insert("map".to_string(), name);
                key.variant.extend(of.map(|of| ("key".to_string(), of)));
                unit
            }
        };
        if self.tables.len() >= MOST_SERIES && !self.tables.contains_key(&key) {
            return Err(format!("more than {MOST_SERIES} histograms"));
        }
        self.tables.entry(key.clone()).or_default();
        self.now = Some((key, unit));
        Ok(())
    }

    /// Adds a row. Tables with the same key cover successive intervals, because the tools reset them each time, so their rows are
    /// added up.
    fn row(&mut self, row: Row) -> Result<(), String> {
        let (key, unit) = self.now.as_ref().ok_or("a histogram row before the line with the unit")?;
        if self.last.is_some() && row.low <= self.low {
            return Err("the bounds of a table must rise; put each table below its own heading".to_string());
        }
        (self.last, self.low) = (Some(row.count), row.low);
        self.longest = self.longest.max(row.bar);
        if row.count == 0 {
            return Ok(());
        }
        let high = row.high.ok_or_else(|| format!("{} samples {OPEN_END}", row.count))?;
        let low = row.low.ok_or_else(|| format!("{} samples {OPEN_START}", row.count))?;
        let next = high.checked_mul(unit.ns()).and_then(|high| high.checked_add(unit.rounding_ns()));
        let bounds = low.checked_mul(unit.ns()).zip(next);
        let (low, next) = bounds.filter(|(low, next)| low < next).ok_or("bounds out of range")?;
        let class = self.tables.entry(key.clone()).or_default().entry(low).or_insert((next, 0));
        if class.0 != next {
            return Err("duplicate bucket with other bounds".to_string());
        }
        class.1 = class.1.checked_add(row.count).ok_or("too many samples to count")?;
        Ok(())
    }

    fn imported(self) -> Result<Imported, BadImport> {
        let mut imported = Imported { tool: "bcc or bpftrace".into(), ..Imported::default() };
        imported.device = Device { kind: "linux".to_string(), ..Device::default() };
        imported.warnings.push(Warning::new("classes-alone", OPEN));
        imported.warnings.extend(self.lacks_largest.then(|| Warning::new("rows-missing", LACKS_LARGEST)));
        for (key, classes) in self.tables {
            let mut counted = Counted::new(key, self.about.from, self.about.to);
            counted.edges = true;
            for (low, (next, count)) in classes {
                let fits = counted.class(low, next, count);
                fits.ok_or_else(|| BadImport::whole(format!("{}: overlapping buckets", counted.key.label())))?;
            }
            counted.done = counted.inside().ok_or_else(|| BadImport::whole("too many samples to count"))?;
            imported.series.push(counted.series().map_err(BadImport::whole)?);
        }
        Ok(imported)
    }
}

const ROWS_MISSING: &str = "the last rows of the table are missing: its last count is 0, or its longest bar fills \
    less than 3/4; the file may be truncated";
const LACKS_LARGEST: &str = "no bar of a table is full, so the row with the largest count may be missing";
const OPEN_END: &str = "have no upper bound: give lhist() a larger maximum, or use hist()";
const OPEN_START: &str = "are negative; expected times";

const OPEN: &str = "the file has histogram buckets only: minimum and maximum are bucket bounds, the mean is unknown, and so is \
    the number of lost events";
