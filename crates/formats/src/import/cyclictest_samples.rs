// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads every sample as `cyclictest -v` prints it: `THREAD: CYCLE: US`, as a stream in bounded memory.
use super::counted::US;
use super::cyclictest_histogram::{LIKELY_NS, NANOSECONDS};
use super::cyclictest_json::{key, skips};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use super::summary::cyclictest_row;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Key, Series, Span, Warning, Worst};
use backwall_stats::SeriesBuilder;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "cyclictest-samples",
    about: "output of cyclictest -v: every sample",
    begins: |start| start.lines().any(|line| sample(line).is_some()),
    read,
};

/// Maximum number of threads. No machine has more CPUs, and each thread needs 0.6 MB.
const MOST_THREADS: usize = 1_024;

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut threads: BTreeMap<u64, Thread> = BTreeMap::new();
    let mut periods: BTreeMap<u64, u64> = BTreeMap::new();
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault| BadImport::line(number, &line, fault);
        match sample(&line) {
            // cyclictest prints each number in eight columns.
            Some(_) if lines.is_cut(&line) && line.rsplit(':').next().is_some_and(|us| us.len() < 8) => {
                return Err(wrong("the last sample may be cut off: its line has no end"));
            }
            Some((thread, cycle, us)) => {
                let full = threads.len() == MOST_THREADS && !threads.contains_key(&thread);
                let thread = if full { None } else { Some(threads.entry(thread).or_insert_with(Thread::new)) };
                thread.ok_or_else(|| wrong("too many threads"))?.take(cycle, us).map_err(wrong)?;
            }
            None if line.starts_with("Thread ") && periods.len() < MOST_THREADS => periods.extend(period(&line)),
            None if line.trim_start().starts_with(|letter: char| letter.is_ascii_digit()) => {
                return Err(wrong("no sample: THREAD: CYCLE: MICROSECONDS"));
            }
            None if line.starts_with("T:") && cyclictest_row(&line).is_none() => return Err(wrong(STRANGE)),
            None if !threads.is_empty() && !remark(&line) => return Err(wrong(STRANGE)),
            None => {}
        }
    }
    let several = threads.len();
    let missing = threads.values().map(Thread::missing).sum();
    let series = threads.into_iter().map(|(number, thread)| {
        let period_ns = periods.get(&number).and_then(|us| us.checked_mul(US));
        thread.series(key(&number.to_string(), None, several, load), period_ns)
    });
    let mut imported = Imported { tool: "cyclictest".into(), series: series.collect(), ..Imported::default() };
    if imported.series.iter().filter_map(|one| one.min).min() >= Some(LIKELY_NS * US) {
        return Err(BadImport::whole(NANOSECONDS));
    }
    imported.warnings.push(skips());
    imported.warnings.push(Warning::new("unit-taken", TAKEN));
    imported.warnings.extend(gaps(missing));
    Ok(imported)
}

const TAKEN: &str = "samples are taken as microseconds: those of cyclictest -N are nanoseconds, but this text does not state the unit \
    (--json does)";

const STRANGE: &str = "expected a sample or other output of cyclictest; put other output into its own file";

fn remark(line: &str) -> bool {
    line.is_empty()
        || ["T:", "#", "Thread ", "Max CPUs", "Online CPUs", "WARN", "policy:"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

fn gaps(missing: u64) -> Option<Warning> {
    let text = || format!("the file lacks {} cycles between the first and the last", grouped(missing));
    (missing > 0).then(|| Warning::new("cycles-missing", text()))
}

/// `0:  12:  85`; `10:00:07` is a time of day, as bcc's tools print it above a table.
pub(super) fn sample(line: &str) -> Option<(u64, u64, u64)> {
    let is_time = line.len() == 8 && line.split(':').all(|word| word.len() == 2 && !word.contains(' '));
    if is_time {
        return None;
    }
    let mut numbers = line.split(':').map(|word| word.trim().parse::<u64>().ok());
    let found = (numbers.next()??, numbers.next()??, numbers.next()??);
    (numbers.next().is_none() && found.0 < MOST_THREADS as u64).then_some(found)
}

/// `Thread 0 Interval: 1000`.
fn period(line: &str) -> Option<(u64, u64)> {
    let (thread, us) = line.strip_prefix("Thread ")?.split_once(" Interval: ")?;
    Some((thread.parse().ok()?, us.parse().ok()?))
}

struct Thread {
    builder: SeriesBuilder,
    first: Option<u64>,
    next: u64,
}

impl Thread {
    fn new() -> Self {
        let span = Span::new("expiry", "thread", Unit::Ns);
        Self { builder: SeriesBuilder::new(Key::default(), span), first: None, next: 0 }
    }

    fn take(&mut self, cycle: u64, us: u64) -> Result<(), &'static str> {
        if cycle < self.next {
            return Err("cycle numbers of a thread must rise");
        }
        let ns = us.checked_mul(US).ok_or("number out of range")?;
        let first = *self.first.get_or_insert(cycle);
        self.next = cycle.checked_add(1).ok_or("number out of range")?;
        self.builder.sample(cycle - first, cycle - first, ns, false);
        Ok(())
    }

    fn missing(&self) -> u64 {
        self.first.map_or(0, |first| self.next - first - self.builder.done())
    }

    /// The file contains no times. The earliest possible time of a sample is its cycle number times the period. Without a known
    /// period the worst responses have no time, only an order.
    fn series(self, key: Key, period_ns: Option<u64>) -> Series {
        let built = self.builder.build();
        let at = |seq: u64| period_ns.map(|period| seq.saturating_mul(period));
        let worst = built.worst.iter().map(|worst| Worst { at: at(worst.seq), ..worst.clone() }).collect();
        Series { key, due: None, missed: None, late: None, over_time: Vec::new(), worst, ..built }
    }
}
