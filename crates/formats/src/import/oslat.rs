// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the text of oslat: how long a busy loop was kept from reading the clock, one column per CPU.
use super::counted::{Counted, US};
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "oslat",
    about: "output of oslat",
    begins: |start| start.contains("oslat V ") || start.lines().any(|line| line.trim_start().starts_with(CORES)),
    read,
};

const CORES: &str = "Core:";

#[derive(Default)]
struct Text {
    columns: Vec<Counted>,
    whole: bool,
    seconds: Option<f64>,
    version: Option<String>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let mut text = Text::default();
    while let Some((number, line)) = lines.next()? {
        text.take(&line, load).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

pub(super) fn counted(cpu: u32, load: &str) -> Counted {
    let mut key = Key::new("gap", load, "unknown");
    key.cpu = Some(cpu);
    Counted::new(key, "reading", "next reading")
}

/// Adds a class of oslat, which contains values above the previous microsecond and up to this one.
pub(super) fn class(counted: &mut Counted, us: u64, count: u64) -> Option<()> {
    counted.done = counted.done.checked_add(count)?;
    let us = us.checked_mul(US)?;
    us.checked_sub(1)?;
    counted.value(us, count)
}

pub(super) fn left_open() -> Warning {
    Warning::new("lost-unknown", LEFT_OPEN)
}

const LEFT_OPEN: &str = "oslat's loop never waits, so nothing is due or missed; values are whole microseconds, rounded \
    up";

impl Text {
    fn take(&mut self, line: &str, load: &str) -> Result<(), &'static str> {
        if let Some(version) = line.strip_prefix("oslat V ") {
            self.version = Some(version.to_string());
        }
        let Some((name, rest)) = line.split_once(':') else { return Ok(()) };
        let (name, (rest, unit)) = (name.trim(), rest.split_once('(').unwrap_or((rest, "")));
        if name == "Maximum" && !unit.starts_with("us)") {
            return Err("the unit after the figures is missing; the file may be truncated");
        }
        let words = || rest.split_whitespace();
        if name == CORES.trim_end_matches(':') {
            if !self.columns.is_empty() {
                return Err("a second result; put each into its own file");
            }
            let cores = words().map(|word| Some(counted(word.parse().ok()?, load)));
            self.columns = cores.collect::<Option<_>>().ok_or("expected CPU numbers")?;
            return Ok(());
        }
        if self.columns.is_empty() {
            return Ok(());
        }
        let us = name.strip_suffix("(us)").and_then(|name| name.trim().parse::<u64>().ok());
        match (us, name) {
            (Some(us), _) => self.figures(words(), |counted, count| class(counted, us, count)),
            (None, "Minimum") => self.figures(words(), |counted, us: u64| {
                counted.min = us.checked_mul(US)?;
                Some(())
            }),
            (None, "Average") => self.figures(words(), |counted, us: f64| {
                counted.mean = Some(us * US as f64);
                Some(())
            }),
            (None, "Maximum") => {
                self.whole = true;
                self.figures(words(), |counted, us: u64| {
                    counted.max = us.checked_mul(US)?;
                    Some(())
                })
            }
            (None, "Duration") => {
                self.seconds = words().next().and_then(|word| word.parse().ok());
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Text {
    fn figures<'a, T: std::str::FromStr>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        mut put: impl FnMut(&mut Counted, T) -> Option<()>,
    ) -> Result<(), &'static str> {
        let figures: Vec<T> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| "expected numbers")?;
        if figures.len() != self.columns.len() {
            return Err("expected one number per CPU");
        }
        let mut each = self.columns.iter_mut().zip(figures);
        each.try_for_each(|(counted, figure)| put(counted, figure)).ok_or("duplicate or out-of-range number")
    }

    fn imported(self) -> Result<Imported, BadImport> {
        if !self.whole {
            return Err(BadImport::whole("the line of the largest gaps is missing; the file may be truncated"));
        }
        let version = self.version.map_or(String::new(), |version| format!(" {version}"));
        let mut imported = Imported { tool: format!("oslat{version}"), seconds: self.seconds, ..Imported::default() };
        imported.device = Device { kind: "linux".to_string(), ..Device::default() };
        imported.warnings.push(left_open());
        for mut counted in self.columns {
            counted.widen_first();
            counted.widen_last();
            imported.series.push(counted.series().map_err(BadImport::whole)?);
        }
        Ok(imported)
    }
}
