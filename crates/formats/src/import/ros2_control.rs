// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the statistics of ros2_control's controller manager, as `ros2 topic echo` prints the topic `~/statistics/full`.
//!
//! For each controller, and for each hardware component's read and write: how long it ran, in microseconds, and how often, in
//! hertz.
use super::counted::Counted;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "ros2-control",
    about: "output of ros2 topic echo: statistics/full of ros2_control",
    begins: |start| start.lines().any(|line| line == "statistics:") && start.contains(RUN_TIME),
    read,
};

const RUN_TIME: &str = "/execution_time/";
const RATE: &str = "/periodicity/";
// No controller manager has more figures.
const FIGURES_MAX: usize = 65_536;

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let (mut name, mut figures): (Option<String>, BTreeMap<String, f64>) = (None, BTreeMap::new());
    let (mut ended, mut stamp, mut before) = (false, (0, 0), None);
    while let Some((number, line)) = lines.next()? {
        let wrong = |fault: &str| BadImport::line(number, &line, fault);
        if !line.is_empty() {
            ended = line == "---";
        }
        let figure = |name: &str| line.strip_prefix(name).and_then(|figure| figure.parse::<u64>().ok());
        if let Some(sec) = figure("sec: ") {
            stamp.0 = sec;
        } else if let Some(nanosec) = figure("nanosec: ") {
            stamp.1 = nanosec;
        } else if line == "statistics:" {
            if before.replace(stamp).is_some_and(|before| stamp <= before) {
                return Err(wrong("not later than the previous message; put each recording into its own file"));
            }
        } else if let Some(next) = line.strip_prefix("- name: ") {
            if name.replace(next.trim_matches(['\'', '"']).to_string()).is_some() {
                return Err(wrong("the previous name has no value; the file may be truncated"));
            }
        } else if let Some(value) = line.strip_prefix("value: ") {
            let name = name.take().ok_or_else(|| wrong("a value without a name"))?;
            let value = if value == ".nan" { "NaN" } else { value };
            let value = value.parse().map_err(|_| wrong("a number belongs here"))?;
            // Each message contains the totals so far, so the last one counts.
            figures.insert(name, value);
            if figures.len() > FIGURES_MAX {
                return Err(wrong("more figures than any controller manager has"));
            }
        }
    }
    if !ended {
        return Err(BadImport::whole("the last message does not end with ---; the file may be truncated"));
    }
    let mut imported = Imported { tool: "ros2_control".into(), ..Imported::default() };
    imported.device = Device { kind: "linux".to_string(), ..Device::default() };
    imported.warnings.push(Warning::new("no-distribution", NO_DISTRIBUTION));
    for name in figures.keys().filter_map(|name| name.strip_suffix("/max")) {
        let figures = Figures { all: &figures, name };
        if let Some(counted) = figures.counted(load)? {
            imported.series.push(counted.summarised().map_err(BadImport::whole)?);
        }
    }
    Ok(imported)
}

struct Figures<'a> {
    all: &'a BTreeMap<String, f64>,
    name: &'a str,
}

impl Figures<'_> {
    fn get(&self, figure: &str) -> Result<f64, BadImport> {
        let value = self.all.get(&format!("{}/{figure}", self.name)).copied();
        value
            .ok_or_else(|| BadImport::whole(format!("{}: {figure:?} is missing; the file may be truncated", self.name)))
    }

    fn counted(&self, load: &str) -> Result<Option<Counted>, BadImport> {
        let slashed = format!("{}/", self.name);
        let (what, is_rate) = match (slashed.strip_suffix(RUN_TIME), slashed.strip_suffix(RATE)) {
            (Some(what), _) => (format!("{what}-execution"), false),
            (_, Some(what)) => (format!("{what}-period"), true),
            _ => return Ok(None),
        };
        let what = what.replace(".stats", "").replace(['/', ' ', '.'], "-");
        let (samples, min, max) = (self.get("sample_count")?, self.get("min")?, self.get("max")?);
        // A controller that never ran has no other figures.
        if samples == 0.0 {
            return Ok(None);
        }
        let is_count = samples.fract() == 0.0 && (1.0..9e15).contains(&samples);
        let values = [min, max].map(|value| if is_rate { 1e9 / value } else { value * 1e3 });
        let is_time = |value: &f64| (0.0..9e15).contains(value);
        if !is_count || !values.iter().all(is_time) || min > max {
            let fault = format!("{}: {samples} samples between {min} and {max} are impossible", self.name);
            return Err(BadImport::whole(fault));
        }
        let mut counted = Counted::new(Key::new(what, load, "unknown"), "start", "end");
        let [first, last] = values.map(|value| value.round() as u64);
        (counted.done, counted.min, counted.max) = (samples as u64, first.min(last), first.max(last));
        counted.mean = if is_rate { None } else { Some(self.get("average")? * 1e3) };
        Ok(Some(counted))
    }
}

const NO_DISTRIBUTION: &str = "ros2_control keeps no distribution: only the smallest, the mean and the largest since its last reset are known; backwall watch ros2_control records the distribution of its thread";
