// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the histogram of `latmus -g FILE` of EVL (Xenomai 4): one cell per microsecond, and the figures above the cells.
use super::counted::{Counted, US};
use super::decimal::microseconds;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "latmus",
    about: "output of latmus -g FILE (EVL)",
    begins: |start| start.lines().any(|line| line.starts_with(MIN)),
    read,
};

const MIN: &str = "# min latency:";

/// The figures that the tool wrote, in nanoseconds.
#[derive(Default)]
struct Text {
    device: Device,
    asked: Option<String>,
    seconds: Option<f64>,
    context: String,
    cpu: Option<u32>,
    /// Minimum, mean and maximum; negative if the thread woke up early.
    min: Option<i64>,
    mean: Option<i64>,
    max: Option<i64>,
    rows: Vec<(u64, u64)>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text { context: "user".to_string(), ..Text::default() };
    while let Some((number, line)) = lines.next()? {
        text.take(&line).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported(load)
}

impl Text {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let Some(head) = line.strip_prefix("# ") else { return self.row(line) };
        if let Some(version) = head.strip_prefix("Linux version ") {
            self.device.kernel = format!("Linux {version}");
        }
        let Some((name, value)) = head.split_once(':') else { return Ok(()) };
        let figure = |before: Option<i64>| match before {
            Some(_) => Err("duplicate histogram; put each into its own file"),
            None => microseconds(value).map(Some).ok_or("expected microseconds"),
        };
        match name {
            "min latency" => self.min = figure(self.min)?,
            "avg latency" => self.mean = figure(self.mean)?,
            "max latency" => self.max = figure(self.max)?,
            "context" => self.context = value.trim().to_string(),
            "sampling period" => self.asked = Some(head.to_string()),
            "thread affinity" => self.cpu = value.trim().strip_prefix("CPU").and_then(|cpu| cpu.parse().ok()),
            "duration (hhmmss)" => self.seconds = seconds(value.trim()),
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => Ok(()),
            [cell, count] => {
                let numbers = cell.parse().ok().zip(count.parse().ok());
                self.rows.push(numbers.ok_or("expected a cell and its count: two whole numbers")?);
                Ok(())
            }
            _ => Err("expected a cell and its count: two whole numbers"),
        }
    }

    fn imported(self, load: &str) -> Result<Imported, BadImport> {
        let figures = self.min.zip(self.mean).zip(self.max);
        let ((min, mean), max) = figures.ok_or_else(|| {
            BadImport::whole(
                "min, avg and max latency are missing before the cells; the file may be \
                truncated",
            )
        })?;
        let interrupt = self.context.contains("irq");
        let mut key = Key::new(if interrupt { "irq" } else { "wakeup" }, load, "unknown");
        key.cpu = self.cpu;
        let mut counted = Counted::new(key, "expiry", if interrupt { "isr" } else { "thread" });
        for (cell, count) in &self.rows {
            let fits = cell.checked_mul(US).and_then(|low| counted.class(low, low.checked_add(US)?, *count));
            fits.ok_or_else(|| BadImport::whole(format!("duplicate or out-of-range cell {cell}")))?;
        }
        counted.done = counted.inside().ok_or_else(|| BadImport::whole("too many samples to count"))?;
        let mut imported =
            Imported { tool: "latmus".into(), asked: self.asked, seconds: self.seconds, ..Imported::default() };
        imported.warnings.push(Warning::new("lost-unknown", SKIPS));
        imported.warnings.extend(counted.signed_extremes(min, max));
        let end = counted.classes.values().next_back().map_or(0, |(next, _)| *next);
        if end <= counted.max {
            let fault = format!("the cells end at {} us, but the maximum is {} ns: {CUT}", end / US, counted.max);
            return Err(BadImport::whole(fault));
        }
        counted.mean = Some(mean.max(0) as f64);
        imported.device = Device { kind: "linux".to_string(), ..self.device };
        imported.series.push(counted.series().map_err(BadImport::whole)?);
        Ok(imported)
    }
}

const CUT: &str = "the file may be truncated, or latmus ran with too few cells (-H CELLS)";

const SKIPS: &str = "latmus does not write its overruns to this file, so the number missed is unknown";

/// `00:01:12`.
fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<u32> = text.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, seconds] = parts[..] else { return None };
    Some(f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + f64::from(seconds))
}
