// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of LinuxCNC's `latency-histogram --nox`: for each thread, the smallest and largest deviation from its period
//! so far.
use super::counted::Counted;
use super::decimal::microseconds;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "latency-histogram",
    about: "output of LinuxCNC's latency-histogram --nox",
    begins: |start| start.lines().any(|line| row(line).is_some()),
    read,
};

struct Row<'a> {
    seconds: u64,
    thread: &'a str,
    min: i64,
    max: i64,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let (mut seconds, mut last): (u64, BTreeMap<String, (i64, i64)>) = (0, BTreeMap::new());
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: &str| BadImport::line(number, &line, fault);
        let Some(row) = row(&line) else {
            if line.contains(" min:") || lines.is_cut(&line) {
                return Err(wrong("no complete row of a thread; the file may be truncated"));
            }
            continue;
        };
        let grows = |(min, max): &(i64, i64)| row.min <= *min && row.max >= *max;
        if row.seconds < seconds || row.min > row.max || last.get(row.thread).is_some_and(|before| !grows(before)) {
            return Err(wrong("a row of another run; put each run into its own file"));
        }
        seconds = row.seconds;
        last.insert(row.thread.to_string(), (row.min, row.max));
        if last.len() > THREADS.len() {
            return Err(wrong("latency-histogram has two threads, base and servo"));
        }
    }
    let mut imported = Imported { tool: "LinuxCNC latency-histogram".into(), ..Imported::default() };
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.seconds = Some(seconds as f64);
    imported.warnings.push(Warning::new("count-unknown", NO_COUNT));
    for (thread, (min, max)) in last {
        let mut counted = Counted::new(Key::new(thread, load, "unknown"), "period", "thread");
        let (near, far) = (min.unsigned_abs().min(max.unsigned_abs()), min.unsigned_abs().max(max.unsigned_abs()));
        (counted.done, counted.min, counted.max) = (2, near, far);
        let doubled = near == far;
        let counts = counted.value(near, if doubled { 2 } else { 1 });
        counts
            .and_then(|()| if doubled { Some(()) } else { counted.value(far, 1) })
            .ok_or_else(|| BadImport::whole("a latency is out of range"))?;
        let mut series = counted.series().map_err(BadImport::whole)?;
        series.quantiles.clear();
        imported.series.push(series);
    }
    Ok(imported)
}

const THREADS: [&str; 2] = ["base", "servo"];

/// `   60 s  servo min: -12.300 us max:  15.100 us sdev:   1.200 us`.
fn row(line: &str) -> Option<Row<'_>> {
    let (seconds, rest) = line.split_once(" s ")?;
    let (thread, rest) = rest.split_once(" min:")?;
    let (min, rest) = rest.split_once(" us max:")?;
    let (max, rest) = rest.split_once(" us sdev:")?;
    microseconds(rest.strip_suffix(" us")?)?;
    let thread = THREADS.into_iter().find(|name| *name == thread.trim())?;
    Some(Row { seconds: seconds.trim().parse().ok()?, thread, min: microseconds(min)?, max: microseconds(max)? })
}

const NO_COUNT: &str = "latency-histogram prints no counts, so backwall knows only the smallest and the largest sample (an early sample counts as its distance from the period); backwall watch linuxcnc records the distribution";
