// SPDX-License-Identifier: MIT OR Apache-2.0
//! Searches for the largest number of events per period.
//!
//! A generator hands each event to one of ten threads in turn. The threads have a lower priority than the generator, so each
//! event costs two switches: one to its thread and one back. The events are evenly spaced, so that every event costs both
//! switches.
pub mod bench;
pub mod search;

use crate::tasks::jobs::{self, JobsHeard};
use backwall_model::PlannedSeries;
use backwall_model::Spread;
use backwall_model::units::Unit;
use backwall_os::refusal::Result;
use backwall_tasks::limit::{Limit, middle};
use backwall_tasks::set::Organisation;
use bench::{Bench, names, phase, switch};
use search::LimitSearch;

pub fn limit_of(found: &LimitSearch<JobsHeard>, bench: &Bench<'_>) -> Limit {
    Limit {
        rules: bench.rules,
        unit: bench.unit(),
        events: found.events,
        fails_at: found.fails_at,
        switch: found.few.as_ref().map_or(0, |few| switch(&few.series)),
        thread_per_event: bench.organisation == Organisation::ThreadPerEvent,
        spread: None,
        interrupted: found.interrupted,
    }
}

/// Runs `rounds` searches. Returns the search with the median result, the spread of all results, and the trial to show. If the
/// user stops a search, no further one starts, and the stopped search counts only if it was the first. `None` if the user stops
/// before any trial is done.
///
/// # Errors
/// A trial could not be run.
pub fn several(bench: &mut Bench<'_>, rounds: u8) -> Result<Option<(Limit, JobsHeard)>> {
    let mut all: Vec<(Limit, LimitSearch<JobsHeard>)> = Vec::new();
    let mut interrupted = false;
    while all.len() < usize::from(rounds) && !interrupted {
        let found = bench.search()?;
        interrupted = found.interrupted;
        if !interrupted || all.is_empty() {
            all.push((limit_of(&found, bench), found));
        }
    }
    let events: Vec<u64> = all.iter().map(|(limit, _)| limit.events).collect();
    let Some(at) = middle(&events) else { return Ok(None) };
    let (limit, found) = all.swap_remove(at);
    let limit = Limit { spread: Spread::of(&events), interrupted, ..limit };
    Ok(found.best.or(found.few).map(|shown| (limit, shown)))
}

pub fn planned(unit: Unit) -> Vec<PlannedSeries> {
    names().flat_map(|name| jobs::keys(&name, &phase())).map(|key| PlannedSeries { key, unit }).collect()
}
