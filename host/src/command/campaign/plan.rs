// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall campaign plan FILE.toml`: from a matrix to units, each with its key.
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::lab::emulator::Emulator;
use crate::lab::scenario::Scenario;
use crate::lab::{shipped, unit_key};
use crate::options::Global;
use crate::progress::Activity;
use crate::regular_file;
use ::campaign::place::Place;
use ::campaign::plan::{self, Plan};
use ::campaign::unit::Unit;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A longer file is no matrix.
const MOST_BYTES: u64 = 1 << 20;

/// Arguments of `backwall campaign plan`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The matrix: scenarios, guests and seeds
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
}

/// Prepares every guest once, and makes the folder.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let name = args.file.display();
    let text = regular_file::text(&args.file, MOST_BYTES).map_err(|error| usage(format!("{name}: {error}")))?;
    let plan = Plan::parse(&text).map_err(|error| usage(format!("{name}: {error}")))?;
    let folder = global.out.clone().ok_or_else(|| usage("--out names the folder of the campaign"))?;
    let scenarios = scenarios(&plan)?;
    let shown = Activity::begin(global.quiet, || "preparing each guest once".to_string());
    let units = units(&plan, scenarios.values().map(|(scenario, _)| scenario))?;
    drop(shown);
    let texts: Vec<(String, String)> = scenarios.into_iter().map(|(name, (_, text))| (name, text)).collect();
    Place::create(&folder, &text, &units, &texts).map_err(|error| unable(format!("{}: {error}", folder.display())))?;
    let told = match global.json {
        true => format!("{:#}\n", json!({ "campaign": folder, "scenarios": texts.len(), "units": units.len() })),
        false => format!("{}: {} units of {} scenarios are planned\n", folder.display(), units.len(), texts.len()),
    };
    if global.json || !global.quiet {
        print(&told)?;
    }
    Ok(Exit::Done)
}

/// Every scenario of the plan once, by its name, with its text.
fn scenarios(plan: &Plan) -> anyhow::Result<BTreeMap<String, (Scenario, String)>> {
    let mut all: BTreeMap<String, (Scenario, String)> = BTreeMap::new();
    for named in &plan.scenarios {
        for scenario in shipped::find(named).map_err(|error| usage(error.to_string()))? {
            // A file may have the name of a shipped scenario, but no shipped one has a file's ending.
            let text = match shipped::text(&scenario.name).filter(|_| !named.ends_with(".toml")) {
                Some(text) => text.to_string(),
                None => shipped::text_of(Path::new(named)).map_err(|error| usage(format!("{named}: {error}")))?,
            };
            for (scenario, text) in with_guests(scenario, text, &plan.guests)? {
                let name = scenario.name.clone();
                if all.insert(name.clone(), (scenario, text.clone())).is_some_and(|(_, known)| known != text) {
                    return Err(usage(format!("two scenarios are called {name}: give one file another name")));
                }
            }
        }
    }
    Ok(all)
}

/// The scenario with each of the guests, or with its own where none is named.
fn with_guests(scenario: Scenario, text: String, guests: &[String]) -> anyhow::Result<Vec<(Scenario, String)>> {
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

fn units<'a>(plan: &Plan, scenarios: impl Iterator<Item = &'a Scenario>) -> anyhow::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for scenario in scenarios {
        let decisive = decisive(scenario)?;
        // A scenario with a seed of its own is one piece of work, whatever others are named.
        let seeds = scenario.seed.map_or(plan.seeds.clone(), |seed| vec![seed]);
        units.extend(seeds.into_iter().map(|seed| Unit {
            key: unit_key::of_unit(&decisive, seed),
            scenario: scenario.name.clone(),
            seed,
        }));
    }
    Ok(units)
}

/// What decides the results of a scenario on this machine.
pub(super) fn decisive(scenario: &Scenario) -> anyhow::Result<Vec<String>> {
    let emulator = Emulator::find(scenario.machine).map_err(|error| unable(error.to_string()))?;
    unit_key::of_scenario(scenario, &emulator).map_err(|fault| fault.refusal(&scenario.name))
}
