// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of the units that are done, put together.
use crate::merge::Merging;
use crate::place::{Place, State};
use crate::unit::Unit;
use exit::usage;
use lab::unit_key;
use run::Run;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Display;

/// The units that are done, as one run; `None`: none is.
///
/// # Errors
/// Where a result cannot be read, or is another one's.
pub fn merged(place: &Place, units: &[&Unit]) -> anyhow::Result<Option<Run>> {
    let mut merging = Merging::default();
    for unit in units.iter().filter(|unit| place.state(unit) == State::Done) {
        let outcome = outcome(place, unit)?;
        let added = merging.add(store::read(&place.result(unit))?, unit_key::digest(&outcome));
        added.map_err(|error| fault(place, unit, &error))?;
    }
    Ok(merging.finish(units.len() as u64))
}

/// By what the result of a unit is the same as another.
fn outcome(place: &Place, unit: &Unit) -> anyhow::Result<Vec<u8>> {
    Place::outcome(&place.result(unit), unit.lab).map_err(|error| fault(place, unit, &error))
}

/// What is wrong with the result of a unit.
fn fault(place: &Place, unit: &Unit, error: &dyn Display) -> anyhow::Error {
    usage(format!("{}: {error}", place.result(unit).display()))
}

/// The searches of a scenario that are done, each that found something else, by name: no two of them can be added up.
///
/// # Errors
/// Where a result cannot be read.
pub fn searches(place: &Place, units: &[&Unit]) -> anyhow::Result<Vec<(String, Run)>> {
    let mut found: BTreeMap<Vec<u8>, (&Unit, Run)> = BTreeMap::new();
    for unit in units.iter().filter(|unit| place.state(unit) == State::Done) {
        if let Entry::Vacant(new) = found.entry(outcome(place, unit)?) {
            new.insert((unit, store::read(&place.result(unit))?));
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
