// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the text of `cyclictest -q -h US` and `-H US`, and that of `backwall export cyclictest`, which also contains the names
//! of the series.
use super::counted::{Counted, US};
use super::cyclictest_json::{key, skips};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use super::summary;
use backwall_model::{IDLE_OFF, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "cyclictest-histogram",
    about: "output of cyclictest -q -h US, or of backwall export cyclictest",
    begins: |start| start.lines().any(|line| line == HEAD || line.starts_with(EXTREMES)),
    read,
};

const HEAD: &str = "# Histogram";
/// Users often copy the rows without their heading, or the lines below the rows alone.
pub(super) const EXTREMES: &str = "# Min Latencies:";
const EXTREMES_ALONE: &str =
    "only the extremes of a histogram, without a number of samples; import all that cyclictest -h US printed";

/// Maximum number of `T:` lines to check against the histogram. cyclictest prints a `T:` line per thread repeatedly.
const MOST_ROWS: usize = 4_096;

#[derive(Default)]
struct Text {
    named: Vec<Key>,
    idle_off: bool,
    /// The `T:` lines above the histogram. If they are printed as with -N, the rows are nanoseconds.
    summary: Vec<summary::Row>,
    columns: Vec<Counted>,
    totals: Vec<u64>,
    min: Vec<u64>,
    mean: Vec<u64>,
    max: Vec<u64>,
    overflows: Vec<u64>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text::default();
    let mut begun = false;
    while let Some((number, line)) = lines.next()? {
        match line.strip_prefix("# ") {
            Some(_) if line == HEAD => begun = true,
            Some(tail) if begun || line.starts_with(EXTREMES) => {
                begun = true;
                text.tail(tail).map_err(|fault| BadImport::line(number, &line, fault))?;
            }
            Some(head) => text.head(head),
            None if (begun || is_row(&line)) && !line.is_empty() => {
                begun = true;
                text.row(&line).map_err(|fault| BadImport::line(number, &line, fault))?;
            }
            None if line.starts_with("T:") && summary::cyclictest_row(&line).is_none() => {
                return Err(BadImport::line(
                    number,
                    &line,
                    "a line of another tool; put each output into its own file",
                ));
            }
            None => text.summary.extend(summary::cyclictest_row(&line).filter(|_| text.summary.len() < MOST_ROWS)),
        }
    }
    text.imported(load)
}

/// Whether a line looks like a row of the histogram, which begins with six digits.
fn is_row(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let digits = |word: &str| word.len() >= 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    words.next().is_some_and(digits) && words.next().is_some_and(digits)
}

impl Text {
    fn head(&mut self, line: &str) {
        self.idle_off |= line.starts_with("/dev/cpu_dma_latency set to 0us");
        self.named.extend(named(line));
    }

    fn unit_ns(&self) -> u64 {
        self.summary.first().map_or(US, |row| row.unit_ns)
    }

    fn row(&mut self, line: &str) -> Result<(), &'static str> {
        const FAULT: &str = "expected a histogram row: microseconds, then a count per thread";
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u64>().map_err(|_| FAULT));
        let unit_ns = self.unit_ns();
        let low = numbers.next().ok_or(FAULT)??.checked_mul(unit_ns).ok_or("number out of range")?;
        let counts = numbers.collect::<Result<Vec<u64>, _>>()?;
        if self.columns.is_empty() {
            let column = |_| Counted::new(Key::default(), "expiry", "thread");
            self.columns = (0..counts.len()).map(column).collect();
        }
        if counts.len() != self.columns.len() {
            return Err("wrong number of counts in this row");
        }
        let next = low.checked_add(unit_ns).ok_or("number out of range")?;
        let mut each = self.columns.iter_mut().zip(counts);
        each.try_for_each(|(column, count)| {
            column.end = column.end.max(next);
            column.value(low, count)
        })
        .ok_or("duplicate row")
    }

    fn tail(&mut self, line: &str) -> Result<(), &'static str> {
        let Some((name, rest)) = line.split_once(':') else { return Ok(()) };
        let list = match name {
            "Total" => &mut self.totals,
            "Min Latencies" => &mut self.min,
            "Avg Latencies" => &mut self.mean,
            "Max Latencies" => &mut self.max,
            "Histogram Overflows" => &mut self.overflows,
            _ => return Ok(()),
        };
        let numbers = rest.split_whitespace().map(|word| word.parse().map_err(|_| "expected numbers"));
        *list = numbers.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn imported(mut self, load: &str) -> Result<Imported, BadImport> {
        if self.columns.is_empty() && self.totals.is_empty() && !self.min.is_empty() {
            return Err(BadImport::whole(EXTREMES_ALONE));
        }
        // With -H the last column is the sum of the others, and no minimum is printed for it.
        let threads = self.min.len();
        let whole = [&self.totals, &self.mean, &self.max, &self.overflows].iter().all(|list| list.len() >= threads);
        if threads == 0 || !whole || (!self.columns.is_empty() && self.columns.len() < threads) {
            return Err(BadImport::whole(
                "the lines after the histogram are missing or belong to other threads; the file may be truncated",
            ));
        }
        let ours = !self.named.is_empty();
        if ours && self.named.len() != threads {
            return Err(BadImport::whole(format!("{} series names, but {threads} columns", self.named.len())));
        }
        if self.summary.iter().any(|row| !self.is_of(row)) {
            return Err(BadImport::whole(
                "the lines T: before the histogram belong to another run; put each run into its own file",
            ));
        }
        self.columns.resize(threads, Counted::new(Key::default(), "expiry", "thread"));
        let mut imported =
            Imported { tool: if ours { "backwall" } else { "cyclictest" }.to_string(), ..Imported::default() };
        for index in 0..threads {
            let counted = self.column(index, load)?;
            imported.series.push(counted.series().map_err(BadImport::whole)?);
        }
        let measured = (0..threads).filter(|index| self.max[*index] > 0);
        if !ours && self.summary.is_empty() && measured.map(|index| self.min[index]).min() >= Some(LIKELY_NS) {
            return Err(BadImport::whole(NANOSECONDS));
        }
        if !ours && self.summary.is_empty() {
            imported.warnings.push(Warning::new("unit-taken", TAKEN));
        }
        imported.warnings.push(if ours { Warning::new("lost-unknown", ROUNDED) } else { skips() });
        Ok(imported)
    }

    /// Whether a `T:` line can be from the same run as the histogram.
    fn is_of(&self, row: &summary::Row) -> bool {
        let Some(index) = usize::try_from(row.number).ok().filter(|index| *index < self.min.len()) else {
            return false;
        };
        let done = self.totals[index].saturating_add(self.overflows[index]);
        row.done <= done && (row.done == 0 || (self.min[index] <= row.min && row.max <= self.max[index]))
    }

    fn column(&self, index: usize, load: &str) -> Result<Counted, BadImport> {
        let unit_ns = self.unit_ns();
        let ns = |value: u64| value.checked_mul(unit_ns).ok_or_else(|| BadImport::whole("a latency is out of range"));
        let mut counted = self.columns[index].clone();
        counted.key = self.named.get(index).cloned().unwrap_or_else(|| {
            let key = key(&index.to_string(), None, self.min.len(), load);
            if self.idle_off { key.with_idle(IDLE_OFF) } else { key }
        });
        let samples = self.totals[index].checked_add(self.overflows[index]);
        counted.done = samples.ok_or_else(|| BadImport::whole("too many samples to count"))?;
        (counted.min, counted.max) = (ns(self.min[index])?, ns(self.max[index])?);
        counted.mean = Some(ns(self.mean[index])? as f64);
        Ok(counted)
    }
}

// If even the smallest value is at least this, the values are nanoseconds: no machine needs a millisecond for every wakeup, and
// every machine needs more than 1,000 ns.
pub(super) const LIKELY_NS: u64 = 1_000;

pub(super) const NANOSECONDS: &str = "every latency would be over 1 ms, so the rows must be nanoseconds of cyclictest \
    -N; import the output of --json=FILE, which states the unit";

const TAKEN: &str = "rows are taken as microseconds: those of cyclictest -N are nanoseconds, but this text does not state the unit \
    (--json does)";

const ROUNDED: &str = "a histogram of whole microseconds, rounded down; it lacks the counts of due and missed wakeups";

/// Parses a name such as `wakeup[load=none,idle=as-is,cpu=3,size=64]` from backwall's own export.
fn named(line: &str) -> Option<Key> {
    let (name, rest) = line.strip_suffix(']')?.split_once('[')?;
    let mut key = Key::new(name, "", "");
    for part in rest.split(',') {
        let (name, value) = part.split_once('=')?;
        match name {
            "load" => key.load = value.to_string(),
            "idle" => key.idle = value.to_string(),
            "cpu" => key.cpu = Some(value.parse().ok()?),
            _ => drop(key.variant.insert(name.to_string(), value.to_string())),
        }
    }
    Some(key)
}
