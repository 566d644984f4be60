// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the text of `stress-ng --cyclic N` for its first instance. Percentiles are exact. With `--cyclic-dist NS` it also has a
//! histogram.
use super::counted::{Counted, Percentile};
use super::format::{BadImport, Imported, Importer};
use super::lines::{CUT, Lines};
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "stress-ng-cyclic",
    about: "output of stress-ng --cyclic 1, with or without --cyclic-dist NS",
    begins: |start| start.contains("cyclic: latency distribution (") || start.contains("cyclic: latency percentiles"),
    read,
};

struct Text {
    counted: Counted,
    asked: Option<String>,
    width: u64,
    percentiles: Vec<(f64, u64)>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let counted = Counted::new(Key::new("wakeup", load, "unknown"), "expiry", "thread");
    let mut text = Text { counted, asked: None, width: 0, percentiles: Vec::new() };
    while let Some((number, line)) = lines.next()? {
        let Some((_, said)) = line.split_once("cyclic: ") else { continue };
        if lines.is_cut(&line) && !line.ends_with("ns") {
            return Err(BadImport::line(number, &line, CUT));
        }
        text.take(said.trim()).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

impl Text {
    fn take(&mut self, said: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = said.split_whitespace().collect();
        match words[..] {
            ["sched", .., "samples"] if self.asked.is_some() => {
                return Err("a second run; put each into its own file");
            }
            ["sched", .., samples, "samples"] => {
                self.asked = Some(said.to_string());
                self.counted.done = samples.parse().map_err(|_| "expected a number of samples")?;
            }
            ["mean:", mean, ..] => {
                self.counted.mean = Some(mean.parse().map_err(|_| "expected nanoseconds after mean:")?);
            }
            ["min:", min, "ns,", "max:", max, ..] => {
                self.counted.min = min.parse().map_err(|_| "expected nanoseconds after min:")?;
                self.counted.max = max.parse().map_err(|_| "expected nanoseconds after max:")?;
            }
            ["latency", "distribution", width, ..] => {
                let width = width.trim_start_matches('(').parse().ok().filter(|width| *width > 0);
                self.width = width.ok_or("expected the width of its buckets in nanoseconds")?;
            }
            [level, value, "ns"] if level.ends_with("%:") => {
                let level = level.trim_end_matches("%:").parse().ok().filter(|level| (0.0..100.0).contains(level));
                let value = value.parse().ok();
                self.percentiles.push(level.zip(value).ok_or("expected a percentile: 99.90%: NANOSECONDS ns")?);
            }
            // A line of two words has another meaning before the distribution. `..` stands for rows without samples.
            [low, count] if self.width > 0 && low != ".." => self.row(low, count)?,
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, low: &str, count: &str) -> Result<(), &'static str> {
        const FAULT: &str = "expected a row of the distribution: nanoseconds and a count";
        let (low, count) = (low.parse::<u64>().map_err(|_| FAULT)?, count.parse().map_err(|_| FAULT)?);
        let next = low.checked_add(self.width).ok_or("number out of range")?;
        self.counted.class(low, next, count).ok_or("duplicate row")
    }

    fn imported(mut self) -> Result<Imported, BadImport> {
        if self.asked.is_none() || (self.width == 0 && self.percentiles.is_empty()) {
            return Err(BadImport::whole("no distribution; run stress-ng with --cyclic 1 --cyclic-dist 1000"));
        }
        let samples = self.counted.done;
        // stress-ng always prints the same percentiles.
        if self.percentiles.last().is_some_and(|(level, _)| *level < LAST) {
            return Err(BadImport::whole(format!("the percentiles end before {LAST}%; the file may be truncated")));
        }
        // stress-ng sorts its samples and prints the one at index level × number of samples, counted from 0.
        let rank = |level: f64| ((samples as f64 * level / 100.0) as u64 + 1).min(samples);
        let percentile =
            |(level, value): &(f64, u64)| Percentile { q: level / 100.0, rank: rank(*level), value: *value };
        self.counted.percentiles = self.percentiles.iter().map(percentile).collect();
        let device = Device { kind: "linux".to_string(), ..Device::default() };
        let series = vec![self.counted.series().map_err(BadImport::whole)?];
        let warnings = vec![Warning::new("lost-unknown", LEFT_OPEN)];
        Ok(Imported { tool: "stress-ng".into(), asked: self.asked, device, series, warnings, ..Imported::default() })
    }
}

const LAST: f64 = 99.99;

const LEFT_OPEN: &str = "stress-ng sleeps again after each response, so no wakeup is due while a response is late, \
    and the number missed is unknown; stress-ng stores at most --cyclic-samples samples";
