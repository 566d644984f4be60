// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of `hwlatdetect`, or its `--report` file: gaps in a CPU's time that the system did not cause. The tool stores
//! only gaps above a threshold, so a test without a stored gap shows that no gap exceeded the threshold.
use super::counted::{US, above};
use super::format::{BadImport, Imported, Importer};
use super::lines::{CUT, Lines};
use backwall_model::units::Unit;
use backwall_model::{Device, Key, Series, Span, Warning};
use backwall_stats::SeriesBuilder;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "hwlatdetect",
    about: "output or report of hwlatdetect, or trace of hwlat: gaps above a threshold",
    begins: |start| start.lines().any(|line| is_head(line) || gap(line).is_some() || traced(line).is_some()),
    read,
};

fn is_head(line: &str) -> bool {
    line.strip_prefix("hwlatdetect:").is_some_and(|rest| rest.trim_start().starts_with("test duration"))
}

struct Text {
    builder: SeriesBuilder,
    /// The gaps of `--watch`, which hwlatdetect prints when it finds them and does not repeat at the end.
    watched: Option<SeriesBuilder>,
    first_ns: Option<u64>,
    last_ns: u64,
    said_samples: Option<u64>,
    said_max: Option<String>,
    threshold_ns: Option<u64>,
    seconds: Option<f64>,
    /// The file that `--report` names.
    report: Option<String>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text {
        builder: builder(load),
        watched: None,
        first_ns: None,
        last_ns: 0,
        said_samples: None,
        said_max: None,
        threshold_ns: None,
        seconds: None,
        report: None,
    };
    while let Some((number, line)) = lines.next()? {
        // The lines above the gaps state the largest gap; a report has no such lines.
        if lines.is_cut(&line) && text.said_max.is_none() && gap(&line).is_some() {
            return Err(BadImport::line(number, &line, CUT));
        }
        text.take(&line, load).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

fn builder(load: &str) -> SeriesBuilder {
    SeriesBuilder::new(Key::new("gap", load, "unknown"), Span::new("reading", "next reading", Unit::Ns))
}

/// Parses a gap: its time in nanoseconds, and the larger of its two figures in microseconds.
fn gap(line: &str) -> Option<(u64, u64)> {
    let mut parts = line.strip_prefix("ts: ")?.split(", ");
    let (seconds, fraction) = parts.next()?.split_once('.')?;
    let digits =
        fraction.get(..fraction.len().min(9)).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let nanoseconds: u64 = format!("{digits:0<9}").parse().ok()?;
    let at = seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds)?;
    let inner: u64 = parts.next()?.strip_prefix("inner:")?.trim().parse().ok()?;
    let outer: u64 = parts.next()?.strip_prefix("outer:")?.trim().parse().ok()?;
    Some((at, inner.max(outer)))
}

/// Parses a gap of hwlatdetect before Linux 4.9, from the module hwlat_detector: `1340387232.0274115243<TAB>32`.
fn of_module(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (at, inner) = (words.next()?, words.next()?);
    let outer = words.next().unwrap_or("0");
    words.next().is_none().then_some(())?;
    gap(&format!("ts: {at}, inner:{inner}, outer:{outer}"))
}

/// Parses a gap in the format of the kernel's tracer: `… #2     inner/outer(us):   16/9     ts:1581527494.889008092 count:1`.
fn traced(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once(" inner/outer(us):")?;
    let (figures, at) = rest.split_once("ts:")?;
    let (inner, outer) = figures.trim().split_once('/')?;
    let at = at.split_whitespace().next()?;
    gap(&format!("ts: {at}, inner:{inner}, outer:{outer}"))
}

impl Text {
    fn take(&mut self, line: &str, load: &str) -> Result<(), &'static str> {
        if let Some(gap) = traced(line).or_else(|| of_module(line)) {
            return self.gap(gap);
        }
        if line.starts_with("ts: ") {
            return self.gap(gap(line).ok_or("expected a gap: ts: SECONDS, inner:US, outer:US")?);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        match name.trim() {
            "hwlatdetect" => match value.split_whitespace().find_map(|word| word.parse().ok()) {
                Some(_) if self.seconds.is_some() || self.first_ns.is_some() => {
                    return Err("a second test begins; put each into its own file");
                }
                seconds => self.seconds = self.seconds.or(seconds),
            },
            "Latency threshold" => {
                let us = value.strip_suffix("us").and_then(|us| us.trim().parse::<u64>().ok());
                let ns = us.and_then(|us| us.checked_mul(US)).ok_or("expected a threshold such as 10us")?;
                // 0 means the kernel's default, which the file does not state.
                self.threshold_ns = Some(ns).filter(|ns| *ns > 0);
            }
            "test finished" if self.watched.is_none() => {
                self.watched = Some(std::mem::replace(&mut self.builder, builder(load)));
                (self.first_ns, self.last_ns) = (None, 0);
            }
            "Samples recorded" => self.said_samples = Some(value.parse().map_err(|_| "expected a number")?),
            "Output File" if value != "None" => self.report = Some(value.chars().take(64).collect()),
            "Max Latency" => self.said_max = Some(value.to_string()),
            _ => {}
        }
        Ok(())
    }

    fn gap(&mut self, (at, us): (u64, u64)) -> Result<(), &'static str> {
        let value = us.checked_mul(US).ok_or("number out of range")?;
        let first = *self.first_ns.get_or_insert(at);
        if self.builder.done() > 0 && at == self.last_ns {
            return Err("duplicate gap");
        }
        if at < std::mem::replace(&mut self.last_ns, at) {
            return Err("this gap is earlier than the gap above; put each test into its own file");
        }
        if self.threshold_ns.is_some_and(|threshold| value <= threshold) {
            return Err("a gap must be above the threshold");
        }
        let at = at - first;
        self.builder.sample(self.builder.done(), at, value, false);
        Ok(())
    }

    fn imported(mut self) -> Result<Imported, BadImport> {
        if let Some(watched) = self.watched.take().filter(|_| self.builder.done() == 0) {
            self.builder = watched;
        }
        let done = self.builder.done();
        // A test that was stopped early says nothing about the rest of its time.
        if self.seconds.is_some() && self.said_samples.is_none() {
            return Err(BadImport::whole("the line Samples recorded is missing; the file may be truncated"));
        }
        if let Some(said) = self.said_samples.filter(|said| *said != done) {
            let report = self.report.map(|file| format!("; they are in {file}, so import that")).unwrap_or_default();
            return Err(BadImport::whole(format!("{said} samples recorded, but the file has {done}{report}")));
        }
        let max = self.builder.max();
        let said_max = match max {
            Some(max) => format!("{}us", max / US),
            None => "Below threshold".to_string(),
        };
        if let Some(other) = self.said_max.filter(|other| *other != said_max) {
            return Err(BadImport::whole(format!("maximum {other}, but the largest gap is {said_max}")));
        }
        let device = Device { kind: "linux".to_string(), ..Device::default() };
        let built = Series { due: None, missed: None, late: None, ..self.builder.build() };
        // A report contains only gaps above the threshold.
        let series = above(built, self.threshold_ns);
        let said = "hwlatdetect stores gaps above its threshold only, so quantiles of all readings are unknown; \
            backwall uses the larger of inner and outer";
        Ok(Imported {
            tool: "hwlatdetect".into(),
            device,
            seconds: self.seconds,
            series: vec![series],
            warnings: vec![Warning::new("gaps-alone", said)],
            ..Imported::default()
        })
    }
}
