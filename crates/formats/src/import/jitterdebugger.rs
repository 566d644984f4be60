// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads jitterdebugger's JSON: a histogram per CPU, which leaves out values from its thousandth class on.
use super::counted::Counted;
use super::format::{BadImport, Imported, Importer};
use super::rt_tests::{Counts, Head, classes, json, ns};
use backwall_model::{Key, Warning};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "jitterdebugger",
    about: "output of jitterdebugger: JSON",
    begins: |start| {
        start.trim_start().starts_with('{')
            && start.contains("\"version\"")
            && start.contains("\"cpu\"")
            && !start.contains("\"thread\"")
    },
    read,
};

#[derive(Deserialize)]
struct File {
    #[serde(flatten)]
    head: Head,
    cpu: BTreeMap<String, Processor>,
}

#[derive(Deserialize)]
struct Processor {
    histogram: Counts,
    count: u64,
    min: u64,
    max: u64,
    avg: Option<f64>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let file: File = json(source, "jitterdebugger")?;
    let mut imported = file.head.imported("jitterdebugger");
    for (number, processor) in &file.cpu {
        let mut key = Key::new("wakeup", load, "unknown");
        let cpu = number.parse().map_err(|_| BadImport::whole(format!("cpu: {number:?} is not a CPU number")))?;
        key.cpu = Some(cpu);
        imported.series.push(processor.counted(key, file.head.unit_ns())?.series().map_err(BadImport::whole)?);
    }
    imported.warnings.push(sleeps());
    Ok(imported)
}

pub(super) fn sleeps() -> Warning {
    Warning::new("lost-unknown", LEFT_OPEN)
}

const LEFT_OPEN: &str = "jitterdebugger sleeps again after each response, so no wakeup is due while a response is \
    late, and the number missed is unknown; values are rounded down";

impl Processor {
    fn counted(&self, key: Key, unit_ns: u64) -> Result<Counted, BadImport> {
        let mut counted = Counted::new(key, "expiry", "thread");
        counted.done = self.count;
        counted.mean = self.avg.map(|mean| mean * unit_ns as f64);
        if self.count > 0 {
            (counted.min, counted.max) = (ns(self.min, unit_ns, "min")?, ns(self.max, unit_ns, "max")?);
        }
        classes(&mut counted, &self.histogram, unit_ns)?;
        Ok(counted)
    }
}
