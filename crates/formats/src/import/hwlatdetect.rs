// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `hwlatdetect` prints, or writes with `--report`: gaps in the time of a processor that the system did not cause. Only
//! those above a threshold are there.
use super::counted::US;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::units::Unit;
use backwall_model::{Device, Key, Series, Span, Warning};
use backwall_stats::SeriesBuilder;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "hwlatdetect",
    about: "what hwlatdetect prints or reports: gaps above its threshold",
    begins: |start| start.lines().any(|line| line.starts_with(HEAD) || gap(line).is_some()),
    read,
};

const HEAD: &str = "hwlatdetect:  test duration";

struct Text {
    builder: SeriesBuilder,
    first_ns: Option<u64>,
    last_ns: u64,
    told: Option<u64>,
    threshold: Option<String>,
    seconds: Option<f64>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let span = Span::new("reading", "next reading", Unit::Ns);
    let builder = SeriesBuilder::new(Key::new("gap", load, "unknown"), span);
    let mut text = Text { builder, first_ns: None, last_ns: 0, told: None, threshold: None, seconds: None };
    while let Some((number, line)) = lines.next()? {
        text.take(&line).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

/// A gap as it is printed: the time in nanoseconds, and the larger of its two figures in microseconds.
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

impl Text {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        if line.starts_with("ts: ") {
            return self.gap(gap(line).ok_or("no gap: ts: SECONDS, inner:US, outer:US")?);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        match name.trim() {
            "hwlatdetect" => match value.split_whitespace().find_map(|word| word.parse().ok()) {
                Some(_) if self.seconds.is_some() => return Err("a second test begins: are these two files?"),
                seconds => self.seconds = self.seconds.or(seconds),
            },
            "Latency threshold" => self.threshold = Some(value.trim().to_string()),
            "Samples recorded" => self.told = Some(value.trim().parse().map_err(|_| "a number belongs here")?),
            _ => {}
        }
        Ok(())
    }

    fn gap(&mut self, (at, us): (u64, u64)) -> Result<(), &'static str> {
        let value = us.checked_mul(US).ok_or("beyond what can be counted")?;
        let first = *self.first_ns.get_or_insert(at);
        if at < std::mem::replace(&mut self.last_ns, at) {
            return Err("earlier than the gap above: are these two files?");
        }
        let at = at - first;
        self.builder.sample(self.builder.done(), at, value, false);
        Ok(())
    }

    fn imported(self) -> Result<Imported, BadImport> {
        let done = self.builder.done();
        if self.told.is_some_and(|told| told != done) {
            let fault = format!("{} samples recorded, {done} of them in the file", self.told.unwrap_or(0));
            return Err(BadImport::whole(fault));
        }
        let device = Device { kind: "linux".to_string(), ..Device::default() };
        let threshold = self.threshold.map_or(String::new(), |threshold| format!(" ({threshold})"));
        let said = format!(
            "hwlatdetect tells the gaps above its threshold{threshold} alone: quantiles are of those, not of all readings; the \
             larger of inner and outer counts"
        );
        let warnings = vec![Warning::new("gaps-alone", said)];
        let series = vec![Series { due: None, missed: None, late: None, ..self.builder.build() }];
        Ok(Imported {
            tool: "hwlatdetect".into(),
            device,
            seconds: self.seconds,
            series,
            warnings,
            ..Imported::default()
        })
    }
}
