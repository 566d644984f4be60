// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `oslat --json=FILE`, which has the same figures as its text.
use super::counted::US;
use super::format::{BadImport, Imported, Importer};
use super::oslat::{class, counted, left_open};
use super::rt_tests::{Counts, Head, json, ns};
use backwall_model::Series;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer = Importer {
    name: "oslat-json",
    about: "output of oslat --json=FILE",
    begins: |start| start.trim_start().starts_with('{') && start.contains("oslat"),
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
    cpu: u32,
    min: u64,
    max: u64,
    avg: f64,
    histogram: Counts,
}

fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let file: File = json(source, "oslat --json")?;
    let mut imported = file.head.imported("oslat");
    imported.series = file.thread.values().map(|thread| thread.series(load)).collect::<Result<_, _>>()?;
    imported.warnings.push(left_open());
    Ok(imported)
}

impl Thread {
    fn series(&self, load: &str) -> Result<Series, BadImport> {
        let mut found = counted(self.cpu, load);
        let place = found.key.label();
        (found.min, found.max) = (ns(self.min, US, "min")?, ns(self.max, US, "max")?);
        found.mean = Some(self.avg * US as f64);
        for (us, count) in &self.histogram {
            let fits = us.parse().ok().and_then(|us| class(&mut found, us, *count));
            fits.ok_or_else(|| {
                BadImport::whole(format!("{place}: histogram: {us:?}: duplicate, or not a number of microseconds"))
            })?;
        }
        found.widen_first();
        found.widen_last();
        found.series().map_err(BadImport::whole)
    }
}
