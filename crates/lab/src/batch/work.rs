// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs units: chooses them, checks that their results would be the planned ones, and stores the outcome of each.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use crate::batch::place::{Claim, Place, State, Texts, UnitFate, are_as_planned};
use crate::batch::plan::ranges;
use crate::batch::planned::decisive;
use crate::batch::subcommand::Subcommand;
use crate::batch::unit::Unit;
use crate::scenario::Scenario;
use crate::unit_key;
use backwall_os::Stop;
use backwall_os::itself;
use backwall_os::refusal::{Result, usage};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(24 * 3_600);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    Done,
    Repeated,
    PassedOver,
    /// The guest of a search's unit gave no run, for this reason. The search continues without it.
    Skipped(String),
    Failed(String),
    Interrupted,
}

pub fn chosen(units: &[Unit], list: Option<&str>) -> Result<Vec<Unit>> {
    let Some(list) = list else { return Ok(units.to_vec()) };
    let bad = || usage(format!("--units {list}: expected lines 1 to {} of units.jsonl, such as 1-40,77", units.len()));
    let lines: Vec<u64> =
        ranges(list).ok_or_else(bad)?.into_iter().flat_map(|range| range.take(units.len() + 1)).collect();
    let of_line = |line: u64| line.checked_sub(1).and_then(|at| units.get(usize::try_from(at).ok()?));
    lines.into_iter().map(|line| of_line(line).cloned().ok_or_else(bad)).collect()
}

/// Chooses this percentage of the finished units, at least one. It takes the units with the smallest keys. Keys are
/// digests, so every machine chooses the same units.
pub fn repeated(place: &Place, chosen: &[Unit], percent: u16) -> Vec<Unit> {
    let mut done: Vec<&Unit> = chosen.iter().filter(|unit| place.state(unit) == State::Done).collect();
    done.sort();
    let count = (done.len() * usize::from(percent)).div_ceil(100);
    done.into_iter().take(count).cloned().collect()
}

/// Whether this machine would give a unit's planned result. `AsPlanned` has the texts of the unit's scenarios: the unit
/// runs with these texts even if the files change later.
enum Looked {
    AsPlanned(Texts),
    Foreign(&'static str),
}

const FOREIGN: &str = "the tool, emulator, kernel or scenario changed since the plan, so the result would differ";

fn look(place: &Place, unit: &Unit) -> Result<Looked> {
    let texts = place.texts(unit).map_err(|error| usage(error.to_string()))?;
    let is_planned = are_as_planned(unit, &texts) && is_keyed(unit, &texts, &Stop::default())?;
    Ok(if is_planned { Looked::AsPlanned(texts) } else { Looked::Foreign(FOREIGN) })
}

fn is_keyed(unit: &Unit, texts: &Texts, stop: &Stop) -> Result<bool> {
    let mut decides = Vec::new();
    for (name, text) in texts {
        let scenario = Scenario::parse(name, text).map_err(|error| usage(error.to_string()))?;
        decides.extend(decisive(&scenario, unit.lab, stop)?);
    }
    Ok(unit_key::of_unit(&decides, unit.seed) == unit.key)
}

/// The scenarios of units, checked once before any unit runs.
#[derive(Debug, Default)]
pub struct Scenarios {
    texts: BTreeMap<String, Texts>,
    foreign: BTreeMap<String, String>,
}

impl Scenarios {
    pub fn of(place: &Place, units: &[Unit]) -> Result<Self> {
        let mut all = Self::default();
        for unit in units {
            let name = name(unit);
            if all.texts.contains_key(&name) || all.foreign.contains_key(&name) {
                continue;
            }
            match look(place, unit)? {
                Looked::AsPlanned(texts) => drop(all.texts.insert(name, texts)),
                Looked::Foreign(why) => drop(all.foreign.insert(name, why.to_string())),
            }
        }
        Ok(all)
    }
}

fn name(unit: &Unit) -> String {
    format!("{}/{}", unit.scenario, unit.against.as_deref().unwrap_or_default())
}

/// Runs a unit in a separate process of backwall. A finished unit is run again.
///
/// # Errors
/// If the folder of the batch cannot be written.
pub fn carried_out(tool: &Path, place: &Place, unit: &Unit, scenarios: &Scenarios, stop: &Stop) -> Result<Became> {
    if stop.asked() {
        return Ok(Became::Interrupted);
    }
    let Some(texts) = scenarios.texts.get(&name(unit)) else {
        let why = scenarios.foreign.get(&name(unit)).cloned();
        return Ok(Became::Failed(why.unwrap_or_else(|| FOREIGN.to_string())));
    };
    let again = place.state(unit) == State::Done;
    let claim = if again { place.claim_again(unit)? } else { place.claim(unit)? };
    let Some(claim) = claim else { return Ok(Became::PassedOver) };
    let seed = unit.seed.to_string();
    let mut command = Command::new(tool);
    command.arg(unit.lab.word()).args(claim.scenarios(texts)?).args(["--seed", &seed, "--quiet"]);
    command.args(unit.lab.words());
    command.arg("--output").arg(claim.part());
    let became = itself::run(&mut command, &claim.log(), LIMIT, &|| stop.asked())?;
    let skipped = Place::skipped(&claim.part())?;
    let published = |other: Became| -> Result<Became> {
        // Somebody may have replaced the kernel or backwall while the unit ran. The scenarios are copies.
        if !is_keyed(unit, texts, stop)? {
            return Ok(Became::Failed(FOREIGN.to_string()));
        }
        Ok(if place.publish(&claim)? == UnitFate::Same && again { Became::Repeated } else { other })
    };
    match (became, skipped) {
        // At a time limit, an engine may kill the process of the unit first and this one shortly after.
        (itself::Became::OnDisk, _) if is_cut_short(&claim, unit)? => Ok(Became::Failed(CUT.to_string())),
        (itself::Became::OnDisk, _) => published(Became::Done),
        (itself::Became::Stopped, _) => Ok(Became::Interrupted),
        (itself::Became::Failed(_), Some(why)) => published(Became::Skipped(why)),
        (itself::Became::Failed(said), None) => Ok(Became::Failed(said)),
    }
}

const CUT: &str = "the unit was stopped early; the next call runs it again";

fn is_cut_short(claim: &Claim, unit: &Unit) -> Result<bool> {
    Ok(unit.lab != Subcommand::Diff && backwall_store::read(&claim.part())?.interrupted)
}
