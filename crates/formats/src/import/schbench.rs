// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of schbench: percentiles only, between minimum and maximum.
use super::counted::{Counted, Percentile, US};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "schbench",
    about: "output of schbench",
    begins: |start| start.lines().any(|line| head(line).is_some()),
    read,
};

struct Block {
    name: &'static str,
    of_several: bool,
    seconds: Option<f64>,
    samples: Option<u64>,
    percentiles: Vec<(f64, u64)>,
    extremes: Option<(u64, u64)>,
}

/// A block of figures in microseconds: its heading, the name of the series, and the start and end of what the series measures.
const BLOCKS: [(&str, &str, &str, &str); 3] = [
    ("Wakeup Latencies percentiles (usec)", "wakeup", "waking", "thread"),
    ("Request Latencies percentiles (usec)", "request", "request", "answer"),
    ("Latency percentiles (usec)", "wakeup", "waking", "thread"),
];

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let (mut blocks, mut inside, mut ended): (Vec<Block>, bool, bool) = (Vec::new(), false, false);
    while let Some((number, line)) = lines.next()? {
        ended = (ended || ENDS.iter().any(|end| line.starts_with(end))) && head(&line).is_none();
        if let Some(block) = head(&line) {
            // Each report contains all samples so far, so the last one with a name counts.
            blocks.retain(|before| before.name != block.name);
            blocks.push(block);
            inside = true;
        } else if line.contains("percentiles (") {
            inside = false;
        } else if blocks.is_empty() && line.contains("th: ") {
            return Err(BadImport::line(number, &line, "a percentile above its heading"));
        } else if let Some(block) = blocks.last_mut().filter(|_| inside) {
            block.take(&line).map_err(|fault| BadImport::line(number, &line, fault))?;
        }
    }
    // Since 2023 schbench prints several blocks, and its rate below them.
    if !ended && blocks.first().is_some_and(|block| block.of_several) {
        return Err(BadImport::whole(format!(
            "the line {:?} below the percentiles is missing; the file may be truncated",
            ENDS[0]
        )));
    }
    let mut imported = Imported { tool: "schbench".into(), ..Imported::default() };
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.seconds = blocks.iter().filter_map(|block| block.seconds).next();
    imported.warnings.push(Warning::new("lost-unknown", OPEN));
    for block in blocks {
        imported.series.push(block.counted(load)?.series().map_err(BadImport::whole)?);
    }
    Ok(imported)
}

/// Parses `Wakeup Latencies percentiles (usec) runtime 10 (s) (30212 total samples)`.
fn head(line: &str) -> Option<Block> {
    let (_, name, ..) = BLOCKS.iter().find(|(heading, ..)| line.starts_with(heading))?;
    let number_after = |word: &str| line.split_once(word)?.1.split_whitespace().next()?.parse::<u64>().ok();
    let samples = line.split_once(" total samples)").and_then(|(front, _)| front.rsplit_once('(')?.1.parse().ok());
    let seconds = number_after("runtime ").map(|seconds| seconds as f64);
    let of_several = !line.starts_with("Latency");
    Some(Block { name, of_several, seconds, samples, percentiles: Vec::new(), extremes: None })
}

impl Block {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let line = line.trim_start_matches(['*', ' ', '\t']);
        if let Some((level, value)) = line.split_once("th:") {
            let level = level.trim().parse::<f64>().ok().filter(|level| (0.0..100.0).contains(level));
            let value = value.split_whitespace().next().and_then(|value| value.parse().ok());
            self.percentiles.push(level.zip(value).ok_or("expected a percentile: 99.0th: MICROSECONDS")?);
        } else if let Some((min, max)) = line.strip_prefix("min=").and_then(|rest| rest.split_once(", max=")) {
            self.extremes =
                Some(min.trim().parse().ok().zip(max.trim().parse().ok()).ok_or("expected min=US, max=US")?);
        }
        Ok(())
    }

    fn counted(self, load: &str) -> Result<Counted, BadImport> {
        let samples = self.samples.ok_or_else(|| BadImport::whole(NO_COUNT))?;
        let cut = || {
            BadImport::whole(format!(
                "{}: the line min=, max= after the percentiles is missing; the file may be truncated",
                self.name
            ))
        };
        let (min, max) = self.extremes.ok_or_else(cut)?;
        let ns = |us: u64| us.checked_mul(US).ok_or_else(|| BadImport::whole("a latency is out of range"));
        let points = BLOCKS.iter().find(|(_, name, ..)| *name == self.name);
        let (from, to) = points.map_or(("start", "end"), |(_, _, from, to)| (*from, *to));
        let mut counted = Counted::new(Key::new(self.name, load, "unknown"), from, to);
        (counted.done, counted.min, counted.max) = (samples, ns(min)?, ns(max)?);
        for (level, us) in &self.percentiles {
            let rank = ((samples as f64 * level / 100.0).ceil() as u64).clamp(1, samples.max(1));
            // From 256 us on schbench's classes are wide. schbench names a class by a value that may exceed the
            // maximum.
            if *us > max.saturating_add(max / 8).saturating_add(1) {
                return Err(BadImport::whole(format!(
                    "{}: percentile of {us} us above the maximum of {max} us",
                    self.name
                )));
            }
            let value = ns(*us)?.clamp(counted.min, counted.max.max(counted.min));
            counted.percentiles.push(Percentile { q: level / 100.0, rank, value });
        }
        Ok(counted)
    }
}

// If schbench chooses the rate itself, it prints `final rps goal` instead of the rate.
const ENDS: [&str; 5] = ["average rps", "current rps", "final rps goal", "sched delay", "avg worker transfer"];

const NO_COUNT: &str = "this schbench does not print its number of samples; use one of 2019 or later";

const OPEN: &str = "schbench stores percentiles only, so samples between two of them are unknown; values are rounded \
    down, and from 256 us on they are bucket bounds";
