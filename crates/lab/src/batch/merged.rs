// SPDX-License-Identifier: MIT OR Apache-2.0
//! The merged results of the units that are done.
use crate::batch::merge::Merging;
use crate::batch::place::{Place, State};
use crate::batch::unit::Unit;
use crate::unit_key;
use backwall_model::Run;
use backwall_os::parallel;
use backwall_os::refusal::{Refusal, Result, usage};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Display;

/// Number of results to read in parallel before adding them in order. More would need too much memory.
const AT_ONCE: usize = 64;

/// Merges the finished units into one run; `None` if no unit is finished.
///
/// # Errors
/// If a result cannot be read, or belongs to another unit.
pub fn merged(place: &Place, units: &[&Unit]) -> Result<Option<Run>> {
    let done: Vec<&Unit> = units.iter().copied().filter(|unit| place.state(unit) == State::Done).collect();
    let mut merging = Merging::default();
    let read = |unit: &&Unit| -> Result<(Run, String)> {
        Ok((run_of(place, unit)?, unit_key::digest(&outcome(place, unit)?)))
    };
    for group in done.chunks(AT_ONCE) {
        let results = parallel::map(group, parallel::jobs(None), read);
        for (unit, result) in group.iter().zip(results) {
            let (run, edges) = result?;
            merging.add(run, edges).map_err(|error| fault(place, unit, &error))?;
        }
    }
    Ok(merging.finish(units.len() as u64))
}

pub fn run_of(place: &Place, unit: &Unit) -> Result<Run> {
    backwall_store::read(&place.result(unit)).map_err(|error| usage(format!("{error:#}; {}", remedy(place, unit))))
}

fn outcome(place: &Place, unit: &Unit) -> Result<Vec<u8>> {
    Place::outcome(&place.result(unit), unit.lab).map_err(|error| fault(place, unit, &error))
}

pub fn fault(place: &Place, unit: &Unit, error: &dyn Display) -> Refusal {
    let result = place.result(unit);
    usage(format!("{}: {error}; {}", result.display(), remedy(place, unit)))
}

fn remedy(place: &Place, unit: &Unit) -> String {
    format!("remove {} and call `backwall lab batch run` again", place.result(unit).display())
}

/// The finished searches of a scenario by name, one for each different result, because results of searches cannot be added up.
///
/// # Errors
/// If a result cannot be read.
pub fn searches(place: &Place, units: &[&Unit]) -> Result<Vec<(String, Run)>> {
    let mut found: BTreeMap<Vec<u8>, (&Unit, Run)> = BTreeMap::new();
    for unit in units.iter().filter(|unit| place.state(unit) == State::Done) {
        if let Entry::Vacant(new) = found.entry(outcome(place, unit)?) {
            new.insert((unit, run_of(place, unit)?));
        }
    }
    let several = found.len() > 1;
    let name = |unit: &Unit| match several {
        true => format!("{}-seed-{}", unit.scenario, unit.seed),
        false => unit.scenario.clone(),
    };
    let mut searches: Vec<(String, Run)> = found.into_values().map(|(unit, run)| (name(unit), run)).collect();
    searches.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(searches)
}
