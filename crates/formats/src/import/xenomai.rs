// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of `latency -h` of Xenomai 2 and 3: the rows `HSD| avg|` are the distribution, `RTS|` is the summary.
use super::counted::{Counted, US};
use super::decimal::microseconds;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Series};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "xenomai-latency",
    about: "output of Xenomai's latency -h",
    begins: |start| {
        let marks = ["RTS|", "RTD|", PLOT];
        start.lines().any(|line| marks.iter().any(|mark| line.starts_with(mark)) || row(line).is_some())
    },
    read,
};

/// The heading of what `latency -g` writes for gnuplot. Some versions add one sample to each row, and the file doesn't say so.
const PLOT: &str = "# ----lat min|";

#[derive(Default)]
struct Text {
    asked: Vec<String>,
    interrupt: bool,
    rows: Vec<(u64, u64)>,
    summary: Option<Summary>,
}

struct Summary {
    min: i64,
    mean: i64,
    max: i64,
    overruns: u64,
    text: String,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text::default();
    while let Some((number, line)) = lines.next()? {
        text.take(&line).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported(load)
}

/// Parses `HSD|    avg|   1 -   2|     4321`: the lower bound in microseconds, and the number of samples.
fn row(line: &str) -> Option<(u64, u64)> {
    let mut cells = line.strip_prefix("HSD|")?.split('|').map(str::trim);
    let (kind, range, count) = (cells.next()?, cells.next()?, cells.next()?);
    let (low, _) = range.split_once('-')?;
    (kind == "avg").then_some((low.trim().parse().ok()?, count.parse().ok()?))
}

impl Text {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        if line.starts_with("RTH|") && !line.contains("--lat min") {
            return Err(
                "a table of RTAI or of switchtest, without a distribution; import the output of Xenomai's latency -h",
            );
        }
        if line.starts_with(PLOT) {
            return Err(
                "a plot of latency -g, whose counts differ by one between versions; import the output of latency -h",
            );
        }
        if let Some(setting) = line.strip_prefix("== ") {
            self.interrupt |= setting.contains("timer handler");
            self.asked.push(setting.to_string());
        } else if line.starts_with("HSD|") && line.contains("avg|") {
            self.rows.push(row(line).ok_or("expected HSD| avg| FROM - TO | SAMPLES")?);
        } else if line.starts_with("RTS|") {
            let summary = summary(line).ok_or("expected RTS|min|avg|max|overrun|msw|TIME")?;
            if self.summary.replace(summary).is_some() {
                return Err("a second summary; put each run into its own file");
            }
        }
        Ok(())
    }

    fn imported(self, load: &str) -> Result<Imported, BadImport> {
        let summary = self.summary.ok_or_else(|| {
            BadImport::whole(match self.rows.is_empty() {
                true => "no distribution and no summary line RTS|; run latency with -h and let it finish (-T SECONDS, or one \
                    Ctrl-C)",
                false => "the summary line RTS| is missing; let latency finish (-T SECONDS, or one Ctrl-C)",
            })
        })?;
        if self.rows.is_empty() {
            return Err(BadImport::whole(format!(
                "no distribution and no count of samples ({}); run latency with -h \
                 (latmus of EVL: run it with -g FILE and import FILE)",
                summary.text
            )));
        }
        let key = Key::new(if self.interrupt { "irq" } else { "wakeup" }, load, "unknown");
        let mut counted = Counted::new(key, "expiry", if self.interrupt { "isr" } else { "thread" });
        for (low, count) in &self.rows {
            let fits = low.checked_mul(US).and_then(|ns| counted.class(ns, ns.checked_add(US)?, *count));
            fits.ok_or_else(|| BadImport::whole(format!("duplicate or out-of-range row {low} us")))?;
        }
        counted.done = counted.inside().ok_or_else(|| BadImport::whole("too many samples to count"))?;
        let mut imported = Imported { tool: "Xenomai latency".into(), ..Imported::default() };
        imported.asked = Some(self.asked.join("; ")).filter(|asked| !asked.is_empty());
        imported.device = Device { kind: "linux".to_string(), ..Device::default() };
        imported.warnings.extend(counted.signed_extremes(summary.min, summary.max));
        counted.widen_last();
        imported.warnings.push(super::format::rounded(
            "backwall assumes that Xenomai's rows are 1 us wide; the file does not show a width set by -B",
        ));
        counted.mean = Some(summary.mean.max(0) as f64);
        let series = counted.series().map_err(BadImport::whole)?;
        imported.series.push(with_overruns(series, summary.overruns)?);
        Ok(imported)
    }
}

/// Adds the overruns, which latency counts: periods that began while the previous one was not answered yet.
fn with_overruns(series: Series, overruns: u64) -> Result<Series, BadImport> {
    let due = series.done.checked_add(overruns);
    let due = due.ok_or_else(|| BadImport::whole("too many overruns to count"))?;
    Ok(Series { due: Some(due), missed: Some(overruns), ..series })
}

/// Parses `RTS|      1.175|      2.955|    374.075|      40|     0|    00:01:00/00:01:00`; Xenomai 2 has no column for mode
/// switches.
fn summary(line: &str) -> Option<Summary> {
    let cells: Vec<&str> = line.strip_prefix("RTS|")?.split('|').map(str::trim).collect();
    let [min, mean, max, overruns, ..] = cells[..] else { return None };
    let text = format!("min {min}, avg {mean}, max {max} us, {overruns} overruns");
    Some(Summary {
        min: microseconds(min)?,
        mean: microseconds(mean)?,
        max: microseconds(max)?,
        overruns: overruns.parse().ok()?,
        text,
    })
}
