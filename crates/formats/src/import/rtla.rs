// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the text of `rtla timerlat hist` and `rtla osnoise hist`: one column for each latency of each CPU.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Series, Warning};
use std::collections::BTreeSet;
use std::io::BufRead;

pub(super) const TIMERLAT: Importer = Importer {
    name: "rtla-timerlat",
    about: "output of rtla timerlat hist",
    begins: |start| start.lines().any(|line| line == TIMERLAT_HEAD),
    read: |source, load| read(source, load, "rtla timerlat", TIMERLAT_OPEN),
};

pub(super) const OSNOISE: Importer = Importer {
    name: "rtla-osnoise",
    about: "output of rtla osnoise hist",
    begins: |start| start.lines().any(|line| line == OSNOISE_HEAD),
    read: |source, load| read(source, load, "rtla osnoise", OSNOISE_OPEN),
};

const TIMERLAT_HEAD: &str = "# RTLA timerlat histogram";
const OSNOISE_HEAD: &str = "# RTLA osnoise histogram";

struct Kind {
    heading: &'static str,
    series: &'static str,
    from: &'static str,
    to: &'static str,
}

const KINDS: [Kind; 4] = [
    Kind { heading: "IRQ", series: "irq", from: "expiry", to: "isr" },
    Kind { heading: "Thr", series: "wakeup", from: "expiry", to: "thread" },
    Kind { heading: "Usr", series: "user", from: "expiry", to: "user" },
    Kind { heading: "CPU", series: "gap", from: "reading", to: "next reading" },
];

#[derive(Default)]
struct Text {
    /// Whether the values are nanoseconds; otherwise they are microseconds.
    nanoseconds: bool,
    seconds: Option<f64>,
    columns: Vec<Column>,
    /// The rows that have samples: their index, and a count per column.
    rows: Vec<(u64, Vec<u64>)>,
    /// Whether the line of the maximum was read. Later lines are about all CPUs, or about single responses.
    whole: bool,
    has_counts: bool,
    // Length of the line with the means. The line with the maxima is as long.
    length: usize,
    lost: Option<String>,
}

struct Column {
    counted: Counted,
    over: u64,
    mean: f64,
}

fn read(source: &mut dyn BufRead, load: &str, tool: &str, open: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text::default();
    let mut heads = 0;
    while let Some((number, line)) = lines.next()? {
        heads += u32::from([TIMERLAT_HEAD, OSNOISE_HEAD].contains(&line.as_str()));
        if heads > 1 {
            return Err(BadImport::line(number, &line, "a second histogram; put each into its own file"));
        }
        text.lost = text.lost.or_else(|| events_missed(&line));
        if lines.is_cut(&line) && line.starts_with("max:") && line.len() < text.length {
            return Err(BadImport::line(number, &line, super::lines::CUT));
        }
        if !text.whole {
            text.take(&line, load).map_err(|fault| BadImport::line(number, &line, fault))?;
        }
    }
    text.imported(tool, open)
}

impl Text {
    fn take(&mut self, line: &str, load: &str) -> Result<(), &'static str> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("#") => self.head(line),
            Some("Index") if !self.columns.is_empty() => return Err("a second column header"),
            Some("Index") => {
                self.columns = words.map(|word| column(word, load)).collect::<Option<_>>().ok_or(UNKNOWN_COLUMN)?;
                let names: BTreeSet<&Key> = self.columns.iter().map(|column| &column.counted.key).collect();
                if names.len() != self.columns.len() {
                    return Err(TWICE);
                }
            }
            Some(name @ ("over:" | "count:" | "min:" | "avg:" | "max:")) => {
                self.foot(name, words)?;
                self.length = line.len();
                self.whole = name == "max:";
            }
            Some(index) if index.bytes().all(|byte| byte.is_ascii_digit()) => self.row(index, words)?,
            _ => {}
        }
        Ok(())
    }

    fn unit_ns(&self) -> u64 {
        if self.nanoseconds { 1 } else { US }
    }

    fn head(&mut self, line: &str) {
        self.nanoseconds |= line.contains("nanoseconds");
        let duration = line.strip_prefix("# Duration:").map(|text| text.split_whitespace().collect::<Vec<_>>());
        self.seconds = duration.and_then(|words| clock(&words)).or(self.seconds);
    }

    fn row<'a>(&mut self, index: &str, words: impl Iterator<Item = &'a str>) -> Result<(), &'static str> {
        let counts: Vec<u64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| "expected counts")?;
        if self.columns.is_empty() {
            return Err(NO_HEAD);
        }
        if counts.len() != self.columns.len() {
            return Err("expected one count per column");
        }
        let index = index.parse().map_err(|_| "number out of range")?;
        if counts.iter().any(|count| *count > 0) {
            self.rows.push((index, counts));
        }
        Ok(())
    }

    /// Reads a line below the histogram. An empty column has `-` instead of a figure; before Linux 6.10 it has the initial values
    /// of rtla's variables.
    fn foot<'a>(&mut self, name: &str, words: impl Iterator<Item = &'a str>) -> Result<(), &'static str> {
        let words: Vec<&str> = words.collect();
        if words.len() != self.columns.len() {
            return Err("expected one number per column");
        }
        if !self.has_counts && !["over:", "count:"].contains(&name) {
            return Err("expected the line count: above it");
        }
        self.has_counts |= name == "count:";
        let unit_ns = self.unit_ns();
        for (column, word) in self.columns.iter_mut().zip(words) {
            let figure: f64 = if word == "-" { 0.0 } else { word.parse().map_err(|_| "expected numbers")? };
            if name == "avg:" {
                column.mean = figure * unit_ns as f64;
                continue;
            }
            let count: u64 = if word == "-" { 0 } else { word.parse().map_err(|_| "expected whole numbers")? };
            match name {
                "over:" => column.over = count,
                "count:" => column.counted.done = count,
                _ if column.counted.done == 0 => {}
                "min:" => column.counted.min = count.checked_mul(unit_ns).ok_or(TOO_FAR)?,
                _ => column.counted.max = count.checked_mul(unit_ns).ok_or(TOO_FAR)?,
            }
        }
        Ok(())
    }

    /// The width of a row. rtla does not print empty rows, so the width is the greatest common divisor of all printed rows. If
    /// only the first row is printed, the width is what the largest sample in it needs.
    fn width(&self) -> u64 {
        let width = self.rows.iter().fold(0, |width, (index, _)| divisor(width, *index));
        let inside = |column: &Column| if column.over == 0 { column.counted.max / self.unit_ns() + 1 } else { 1 };
        if width == 0 { self.columns.iter().map(inside).max().unwrap_or(1).max(1) } else { width }
    }

    fn imported(self, tool: &str, open: &str) -> Result<Imported, BadImport> {
        if self.columns.is_empty() {
            return Err(BadImport::whole(NO_HEAD));
        }
        if !self.whole {
            return Err(BadImport::whole(CUT));
        }
        let (width, unit_ns) = (self.width(), self.unit_ns());
        let mut imported = Imported { tool: tool.to_string(), seconds: self.seconds, ..Imported::default() };
        imported.device = Device { kind: "linux".to_string(), ..Device::default() };
        imported.warnings.push(Warning::new("lost-unknown", open));
        if width > 1 {
            let unit = if self.nanoseconds { "ns" } else { "us" };
            let said = format!("the rows are {width} {unit} apart, so backwall takes each row as {width} {unit} wide");
            imported.warnings.push(Warning::new("wide-rows", said));
        }
        imported.invalid = self.lost;
        // The file does not state the threshold of osnoise. It is below the end of the first row with samples.
        let least = self.rows.first().and_then(|(index, _)| index.checked_add(width)?.checked_mul(unit_ns));
        for (at, column) in self.columns.into_iter().enumerate() {
            let counts = self.rows.iter().map(|(index, counts)| (*index, counts[at]));
            let of_osnoise = column.counted.key.name == "gap";
            let series = column.series(counts, width, unit_ns).map_err(BadImport::whole)?;
            let threshold = least.filter(|_| of_osnoise).map(|end| end - 1);
            imported.series.push(Series { threshold, ..series });
        }
        Ok(imported)
    }
}

impl Column {
    fn series(self, rows: impl Iterator<Item = (u64, u64)>, width: u64, unit_ns: u64) -> Result<Series, String> {
        let Column { mut counted, over, mean } = self;
        let place = counted.key.label();
        for (index, count) in rows {
            let low = index.checked_mul(unit_ns);
            let fits = low.and_then(|low| match width {
                1 => counted.value(low, count),
                _ => counted.class(low, index.checked_add(width)?.checked_mul(unit_ns)?, count),
            });
            fits.ok_or_else(|| format!("{place}: duplicate or out-of-range row {index}"))?;
        }
        let inside = counted.inside().unwrap_or(u64::MAX);
        if inside.checked_add(over) != Some(counted.done) {
            return Err(format!("{place}: {inside} samples and {over} over, expected {}", counted.done));
        }
        counted.mean = (counted.done > 0).then_some(mean);
        // osnoise computes its minimum and maximum from the rows, so they are lower bounds of rows.
        let [min, max] = [counted.min, counted.max].map(|figure| figure % (width * unit_ns));
        if counted.key.name == "gap" && width > 1 && (min, max) == (0, 0) && counted.done > 0 {
            counted.max = counted.max.checked_add(width * unit_ns - 1).ok_or(TOO_FAR)?;
            (counted.mean, counted.edges) = (None, over == 0);
        }
        counted.series()
    }
}

/// Parses `12 (0.01%) events missed, results might not be accurate`, which rtla prints since Linux 6.16.
pub(super) fn events_missed(line: &str) -> Option<String> {
    let (count, _) = line.split_once(" events missed, results might not be accurate")?;
    Some(format!("rtla missed {count} kernel events, so the maximum may be missing"))
}

const NO_HEAD: &str = "the column header, which begins with Index, is missing; run rtla without --no-index and \
    --no-header";

const CUT: &str = "the lines after the rows are missing (the last begins with max); the file may be truncated, or \
    printed with --no-summary";

const TOO_FAR: &str = "number out of range";

const UNKNOWN_COLUMN: &str = "expected columns named IRQ-, Thr-, Usr- or CPU- and a CPU number";

const TWICE: &str = "duplicate column: a CPU has one of each kind";

const TIMERLAT_OPEN: &str = "timerlat does not count wakeups skipped after a late response, so the number missed is \
    unknown; values are rounded down";

const OSNOISE_OPEN: &str = "osnoise counts only gaps above its threshold, so quantiles are those of such gaps; its loop never \
    waits, so nothing is due or missed; values are rounded down";

/// `IRQ-001`.
fn column(word: &str, load: &str) -> Option<Column> {
    let (heading, cpu) = word.split_once('-')?;
    let kind = KINDS.iter().find(|kind| kind.heading == heading)?;
    let mut key = Key::new(kind.series, load, "unknown");
    key.cpu = Some(cpu.parse().ok()?);
    Some(Column { counted: Counted::new(key, kind.from, kind.to), over: 0, mean: 0.0 })
}

/// Parses a time such as `0 00:10:01`: days, hours, minutes and seconds.
pub(super) fn clock(words: &[&str]) -> Option<f64> {
    let [days, clock] = words else { return None };
    let parts: Vec<u32> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, seconds] = parts[..] else { return None };
    let days: u32 = days.parse().ok()?;
    Some(f64::from(days) * 86_400.0 + f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + f64::from(seconds))
}

fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}
