// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expands a matrix into units, each with its scenarios and a key. The key covers everything that decides the unit's result on
//! this machine.
use crate::batch::place;
use crate::batch::plan::{self, Plan};
use crate::batch::ranges;
use crate::batch::subcommand::Subcommand;
use crate::batch::unit::Unit;
use crate::emulator::Emulator;
use crate::scenario::Scenario;
use crate::{shipped, unit_key};
use backwall_os::Stop;
use backwall_os::refusal::{Result, unable, usage};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Clone, Debug)]
pub struct PlannedScenario {
    pub scenario: Scenario,
    pub text: String,
    pub range_of: Option<String>,
}

/// Every scenario of the plan, by name.
///
/// # Errors
/// If one is invalid, or two different texts have the same name.
pub fn scenarios(plan: &Plan) -> Result<BTreeMap<String, PlannedScenario>> {
    let mut all: BTreeMap<String, PlannedScenario> = BTreeMap::new();
    for named in &plan.scenarios {
        for scenario in shipped::find(named).map_err(|error| usage(error.to_string()))? {
            // A file may have the name of a shipped scenario. A name that ends in `.toml` means the file.
            let text = match shipped::text(&scenario.name).filter(|_| !named.ends_with(".toml")) {
                Some(text) => text.to_string(),
                None => shipped::text_of(Path::new(named)).map_err(|error| usage(format!("{named}: {error}")))?,
            };
            let searched = [Subcommand::Bisect, Subcommand::Diff].contains(&plan.lab).then(|| scenario.name.clone());
            let guests = with_guests(scenario, text, &plan.guests)?;
            let parts: Vec<Vec<PlannedScenario>> =
                guests.into_iter().map(|one| parts(one, plan, &searched)).collect::<Result<_>>()?;
            for planned in parts.into_iter().flatten() {
                let (name, text) = (planned.scenario.name.clone(), planned.text.clone());
                if all.insert(name.clone(), planned).is_some_and(|known| known.text != text) {
                    return Err(usage(format!("duplicate scenario name {name}; rename one of the files")));
                }
            }
        }
    }
    Ok(all)
}

pub fn wholes(scenarios: &BTreeMap<String, PlannedScenario>) -> BTreeSet<&str> {
    scenarios.values().filter_map(|planned| planned.range_of.as_deref()).collect()
}

fn parts((scenario, text): (Scenario, String), plan: &Plan, searched: &Option<String>) -> Result<Vec<PlannedScenario>> {
    let name = scenario.name.clone();
    if plan.lab == Subcommand::Sweep && scenario.sweep.is_none() {
        return Err(usage(format!("scenario {name}: add [sweep], the table that says from when arrivals are counted")));
    }
    if plan.ranges == 1 {
        return Ok(vec![PlannedScenario { scenario, text, range_of: searched.clone() }]);
    }
    let parts = ranges::split(&scenario, &text, plan.ranges);
    let parts = parts.map_err(|why| usage(format!("scenario {name}: ranges: {why}")))?;
    let one = |(part, text): (String, String)| {
        let scenario = Scenario::parse(&part, &text).map_err(|error| usage(error.to_string()))?;
        Ok(PlannedScenario { scenario, text, range_of: Some(name.clone()) })
    };
    parts.into_iter().map(one).collect()
}

fn with_guests(scenario: Scenario, text: String, guests: &[String]) -> Result<Vec<(Scenario, String)>> {
    if guests.is_empty() {
        return Ok(vec![(scenario, text)]);
    }
    let with = |guest: &String| {
        let name = plan::name_with_guest(&scenario.name, guest);
        let text = plan::with_guest(&text, guest).map_err(|error| usage(format!("{name}: {error}")))?;
        Ok((Scenario::parse(&name, &text).map_err(|error| usage(error.to_string()))?, text))
    };
    guests.iter().map(with).collect()
}

pub fn units<'a>(plan: &Plan, scenarios: impl Iterator<Item = &'a PlannedScenario>) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for planned in scenarios {
        let scenario = &planned.scenario;
        let decisive = decisive(scenario, plan.lab, &Stop::default())?;
        // A scenario with its own seed is a single unit, whatever seeds the plan lists.
        let seeds = scenario.seed.map_or(plan.seeds.clone(), |seed| vec![seed]);
        units.extend(seeds.into_iter().map(|seed| Unit {
            key: unit_key::of_unit(&decisive, seed),
            scenario: scenario.name.clone(),
            seed,
            lab: plan.lab,
            range_of: planned.range_of.clone(),
            against: None,
            text: Some(place::digest([planned.text.as_str()])),
        }));
    }
    Ok(units)
}

pub fn decisive(scenario: &Scenario, lab: Subcommand, stop: &Stop) -> Result<Vec<String>> {
    let emulator = Emulator::find(scenario.machine).map_err(|error| unable(error.to_string()))?;
    let mut decisive =
        unit_key::of_scenario(scenario, &emulator, stop).map_err(|fault| fault.refusal(&scenario.name))?;
    decisive.push(format!("lab: {}", lab.word()));
    Ok(decisive)
}
