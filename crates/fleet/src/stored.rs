// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the history of a device from its stored runs.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::history::{Device, Entry, device, slim};
use crate::place::{FleetRun, HISTORY};
use backwall_judge::compare::Question;
use backwall_model::Histogram;
use std::path::Path;
use std::time::Duration;

pub fn history(fleet: &Path, runs: &[FleetRun], every: Option<Duration>, question: &Question) -> (Device, Vec<String>) {
    let (mut entries, mut refused) = (Vec::new(), Vec::new());
    for found in runs {
        let history = found.path.join(HISTORY);
        // A run that somebody copied there by hand has no history.json.
        match backwall_store::read(if history.is_file() { &history } else { &found.path }) {
            Ok(run) => entries.push(Entry {
                began: run.began(),
                kernel: found.kernel.clone(),
                key: found.key.clone(),
                place: found.path.strip_prefix(fleet).unwrap_or(&found.path).display().to_string(),
                run: slim(run),
            }),
            Err(error) => refused.push(format!("{}: {error:#}", found.device)),
        }
    }
    let name = runs.first().map_or("", |found| &found.device);
    let mut device = device(name, entries, every, question);
    // backwall has judged the changes and from here on needs only the last run's distribution. Those of thousands of older runs
    // would fill the memory.
    if let Some((_, older)) = device.entries.split_last_mut() {
        let series = older.iter_mut().flat_map(|entry| &mut entry.run.series);
        series.for_each(|series| series.histogram = Histogram::default());
    }
    (device, refused)
}
