// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the output of `cyclictest --json=FILE -h US`.
use super::counted::Counted;
use super::format::{BadImport, Imported, Importer};
use super::rt_tests::{Counts, Head, classes, json, ns};
use backwall_model::{Key, Warning};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "cyclictest-json",
    about: "output of cyclictest --json=FILE -h US",
    begins: |start| start.trim_start().starts_with('{') && start.contains("cyclictest"),
    read,
};

#[derive(Deserialize)]
struct File {
    #[serde(flatten)]
    head: Head,
    thread: BTreeMap<String, Thread>,
}

#[derive(Deserialize)]
struct Thread {
    histogram: Option<Counts>,
    cycles: u64,
    min: u64,
    max: u64,
    avg: f64,
    cpu: Option<u32>,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let file: File = json(source, "cyclictest --json")?;
    let mut imported = file.head.imported("cyclictest");
    for (number, thread) in &file.thread {
        let key = key(number, thread.cpu, file.thread.len(), load);
        imported.series.push(thread.counted(key, file.head.unit_ns())?.series().map_err(BadImport::whole)?);
    }
    imported.warnings.push(skips());
    Ok(imported)
}

impl Thread {
    fn counted(&self, key: Key, unit_ns: u64) -> Result<Counted, BadImport> {
        let counts = self
            .histogram
            .as_ref()
            .ok_or_else(|| BadImport::whole("no histogram; run cyclictest with -h US and --json"))?;
        let mut counted = Counted::new(key, "expiry", "thread");
        counted.done = self.cycles;
        counted.mean = Some(self.avg * unit_ns as f64);
        if self.cycles > 0 {
            (counted.min, counted.max) = (ns(self.min, unit_ns, "min")?, ns(self.max, unit_ns, "max")?);
        }
        classes(&mut counted, counts, unit_ns)?;
        Ok(counted)
    }
}

pub(super) fn skips() -> Warning {
    Warning::new("lost-unknown", SKIPS)
}

const SKIPS: &str = "cyclictest does not count wakeups skipped after a late response, so the number missed is unknown; \
    values are rounded down";

pub(super) fn key(number: &str, cpu: Option<u32>, threads: usize, load: &str) -> Key {
    let mut key = Key::new("wakeup", load, "unknown");
    key.cpu = cpu;
    if threads > 1 {
        key.variant.insert("thread".to_string(), number.to_string());
    }
    key
}
