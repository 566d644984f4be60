// SPDX-License-Identifier: MIT OR Apache-2.0
//! The largest number of events in a period, found by search.
//!
//! A generator hands each event to one of ten threads in turn, which are less urgent than it: a switch to the event's thread
//! and one back. Events come evenly, so that each costs both.
//!
//! - `search`: few events first, then as many as those let expect, then halves
//! - `bench`: the trials, on this machine or on a guest of the bench
pub mod bench;
pub mod search;

use bench::{Bench, names, phase, switch};
use run::Planned;
use search::Found;
use session::jobs::{self, JobsHeard};
use tasks::limit::Limit;
use tasks::set::Organisation;
use units::Unit;

/// What a search found, with what the cost of a switch lets expect.
pub fn limit_of(found: &Found<JobsHeard>, bench: &Bench<'_>) -> Limit {
    Limit {
        rules: bench.rules,
        unit: bench.unit(),
        events: found.events,
        fails_at: found.fails_at,
        switch: found.few.as_ref().map_or(0, |few| switch(&few.series)),
        thread_per_event: bench.organisation == Organisation::ThreadPerEvent,
        interrupted: found.interrupted,
    }
}

/// The figures that a search will give.
pub fn planned(unit: Unit) -> Vec<Planned> {
    names().flat_map(|name| jobs::keys(&name, &phase())).map(|key| Planned { key, unit }).collect()
}
