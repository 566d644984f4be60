// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of `perf bench sched`: for `pipe` a count, a mean and the total time, for `messaging` the total time.
//!
//! No operation of `pipe` lasted longer than the total time, which is the upper bound of its only class.
use super::counted::Counted;
use super::decimal::microseconds;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "perf-bench",
    about: "output of perf bench sched",
    begins: |start| start.lines().any(|line| benchmark(line).is_some()),
    read,
};

const US_PER_SECOND: i64 = 1_000_000;
// The total time is printed in milliseconds.
const ROUNDED_NS: u64 = 500_000;

struct Block {
    name: String,
    operations: Option<u64>,
    total_ns: Option<i64>,
    mean_ns: Option<i64>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let (mut blocks, mut inside): (Vec<Block>, bool) = (Vec::new(), false);
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: &str| BadImport::line(number, &line, fault);
        if line.starts_with(RUNNING) {
            inside = benchmark(&line).is_some();
        }
        if let Some(name) = benchmark(&line) {
            if blocks.iter().any(|before| before.name == name) {
                return Err(wrong("duplicate row; put each run into its own file"));
            }
            blocks.push(Block { name: name.to_string(), operations: None, total_ns: None, mean_ns: None });
        } else if let Some(block) = blocks.last_mut().filter(|_| inside) {
            block.take(&line).map_err(wrong)?;
        }
    }
    let mut imported = Imported { tool: "perf bench".into(), ..Imported::default() };
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.warnings.push(Warning::new("no-distribution", NO_DISTRIBUTION));
    for block in &blocks {
        imported.series.push(block.counted(load)?.series().map_err(BadImport::whole)?);
    }
    for series in &mut imported.series {
        series.quantiles.clear();
    }
    Ok(imported)
}

const RUNNING: &str = "# Running ";

/// Parses `# Running 'sched/pipe' benchmark:`, or with `all` `# Running sched/pipe benchmark...`.
fn benchmark(line: &str) -> Option<&str> {
    let name = line.strip_prefix(RUNNING)?.split_once(" benchmark")?.0;
    name.trim_matches('\'').strip_prefix("sched/").filter(|name| !name.is_empty())
}

impl Block {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(count) = line.strip_prefix("# Executed ").and_then(|rest| rest.split_whitespace().next()) {
            self.operations = Some(count.replace(',', "").parse().map_err(|_| "expected a count of operations")?);
        } else if let Some(seconds) = line.strip_prefix("Total time:") {
            let seconds = seconds.trim().strip_suffix("[sec]").and_then(microseconds);
            let ns = seconds.and_then(|seconds| seconds.checked_mul(US_PER_SECOND)).filter(|ns| *ns > 0);
            self.total_ns = Some(ns.ok_or("expected seconds above 0, as in Total time: 0.305 [sec]")?);
        } else if let Some(mean) = line.strip_suffix("usecs/op") {
            self.mean_ns = Some(microseconds(mean).ok_or("microseconds belong here")?);
        }
        Ok(())
    }

    fn counted(&self, load: &str) -> Result<Counted, BadImport> {
        let cut =
            |what| BadImport::whole(format!("{}: the line {what:?} is missing; the file may be truncated", self.name));
        let total = self.total_ns.and_then(|ns| u64::try_from(ns).ok()).ok_or_else(|| cut("Total time:"))?;
        let mut counted = Counted::new(Key::new(&self.name, load, "unknown"), "start", "end");
        if self.name == "messaging" {
            (counted.done, counted.min, counted.max) = (1, total, total);
            counted.value(total, 1).ok_or_else(|| cut("Total time:"))?;
            return Ok(counted);
        }
        counted.done = self.operations.ok_or_else(|| cut("# Executed"))?;
        let mean = self.mean_ns.ok_or_else(|| cut("usecs/op"))? as f64;
        // Rounding may take up to a nanosecond from the mean, and up to half a millisecond from the total.
        let sum = mean * counted.done as f64;
        if (sum - total as f64).abs() > counted.done as f64 + ROUNDED_NS as f64 {
            return Err(BadImport::whole(format!("{}: the mean and the count contradict the total time", self.name)));
        }
        counted.mean = Some(mean);
        counted.edges = true;
        counted.class(0, total.saturating_add(ROUNDED_NS + 1), counted.done).ok_or_else(|| cut("Total time:"))?;
        Ok(counted)
    }
}

const NO_DISTRIBUTION: &str = "perf bench prints no distribution: only the mean is known, and a maximum of at most the total time; backwall bench osbench measures the distribution of such operations";
