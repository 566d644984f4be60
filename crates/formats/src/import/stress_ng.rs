// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of `stress-ng --cyclic N --cyclic-dist NS`: what its first instance says.
use super::counted::Counted;
use super::format::{BadImport, Imported, Importer};
use super::lines::Lines;
use backwall_model::{Device, Key, Warning};
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "stress-ng-cyclic",
    about: "what stress-ng --cyclic 1 --cyclic-dist NS prints",
    begins: |start| start.contains("cyclic: latency distribution ("),
    read,
};

/// What its lines say, in nanoseconds.
struct Text {
    counted: Counted,
    asked: Option<String>,
    width: u64,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let mut lines = Lines::of(source);
    let counted = Counted::new(Key::new("wakeup", load, "unknown"), "expiry", "thread");
    let mut text = Text { counted, asked: None, width: 0 };
    while let Some((number, line)) = lines.next()? {
        let Some((_, said)) = line.split_once("cyclic: ") else { continue };
        text.take(said.trim()).map_err(|fault| BadImport::line(number, &line, fault))?;
    }
    text.imported()
}

impl Text {
    fn take(&mut self, said: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = said.split_whitespace().collect();
        match words[..] {
            ["sched", .., samples, "samples"] => {
                self.asked = Some(said.to_string());
                self.counted.done = samples.parse().map_err(|_| "a number of samples belongs here")?;
            }
            ["mean:", mean, ..] => {
                self.counted.mean = mean.parse().map_err(|_| "nanoseconds belong behind mean:")?;
            }
            ["min:", min, "ns,", "max:", max, ..] => {
                self.counted.min = min.parse().map_err(|_| "nanoseconds belong behind min:")?;
                self.counted.max = max.parse().map_err(|_| "nanoseconds belong behind max:")?;
            }
            ["latency", "distribution", width, ..] => {
                let width = width.trim_start_matches('(').parse().ok().filter(|width| *width > 0);
                self.width = width.ok_or("the width of its classes belongs here, in nanoseconds")?;
            }
            // Before the distribution such a line is something else; `..` stands for rows without samples.
            [low, count] if self.width > 0 && low != ".." => self.row(low, count)?,
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, low: &str, count: &str) -> Result<(), &'static str> {
        const FAULT: &str = "no row of its distribution: nanoseconds and a count";
        let (low, count) = (low.parse::<u64>().map_err(|_| FAULT)?, count.parse().map_err(|_| FAULT)?);
        let next = low.checked_add(self.width).ok_or("beyond what can be counted")?;
        self.counted.class(low, next, count).ok_or("a row that stands there already")
    }

    fn imported(self) -> Result<Imported, BadImport> {
        if self.width == 0 || self.asked.is_none() {
            return Err(BadImport::whole("no distribution in it: run stress-ng with --cyclic 1 --cyclic-dist 1000"));
        }
        let device = Device { kind: "linux".to_string(), ..Device::default() };
        let series = vec![self.counted.series().map_err(BadImport::whole)?];
        let warnings = vec![Warning::new("lost-unknown", LEFT_OPEN)];
        Ok(Imported { tool: "stress-ng".into(), asked: self.asked, device, series, warnings, ..Imported::default() })
    }
}

const LEFT_OPEN: &str = "stress-ng sleeps anew after each response, so that nothing is due while one is late: how many a \
     period would have lost is not known; it keeps no more samples than --cyclic-samples asks for";
