// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carries units out: which, whether their results would be those that were planned, and what becomes of each.
use crate::place::{Claim, Place, Published, State};
use crate::plan::ranges;
use crate::planned::decisive;
use crate::subcommand::Subcommand;
use crate::unit::Unit;
use exit::usage;
use lab::{shipped, unit_key};
use session::Stop;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use system::itself;

/// The scenario's own limit ends a guest long before.
const LIMIT: Duration = Duration::from_secs(24 * 3_600);

/// What became of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// It has its result.
    Done,
    /// It had it, and once more the same came.
    Repeated,
    /// It is done, or another process is at it.
    PassedOver,
    /// It is one of a search whose guest gives no run, because of this: the search goes on without it.
    Skipped(String),
    /// It has none, because of this.
    Failed(String),
    /// The user has asked to stop.
    Interrupted,
}

/// Those of a list of lines; all without one.
///
/// # Errors
/// Where the list names no lines.
pub fn chosen(units: &[Unit], list: Option<&str>) -> anyhow::Result<Vec<Unit>> {
    let Some(list) = list else { return Ok(units.to_vec()) };
    let bad = || usage(format!("--units {list}: lines of units.jsonl from 1 to {}, such as 1-40,77", units.len()));
    let lines: Vec<u64> =
        ranges(list).ok_or_else(bad)?.into_iter().flat_map(|range| range.take(units.len() + 1)).collect();
    let of_line = |line: u64| line.checked_sub(1).and_then(|at| units.get(usize::try_from(at).ok()?));
    lines.into_iter().map(|line| of_line(line).cloned().ok_or_else(bad)).collect()
}

/// Of the units that are done so many of a hundred, one at least: by their keys, which are digests, so that every machine chooses the same
/// and nobody has chosen them.
pub fn repeated(place: &Place, chosen: &[Unit], percent: u16) -> Vec<Unit> {
    let mut done: Vec<&Unit> = chosen.iter().filter(|unit| place.state(unit) == State::Done).collect();
    done.sort();
    let count = (done.len() * usize::from(percent)).div_ceil(100);
    done.into_iter().take(count).cloned().collect()
}

/// Scenarios that would give other results here than where they were planned, and why.
///
/// # Errors
/// Where a scenario cannot be read, or its guest cannot be had.
pub fn foreign(place: &Place, missing: &[Unit]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut looked_at: BTreeSet<(&String, Option<&str>)> = BTreeSet::new();
    let mut foreign = BTreeMap::new();
    for unit in missing {
        if !looked_at.insert((&unit.scenario, unit.against.as_deref())) {
            continue;
        }
        let mut decides = Vec::new();
        for file in [Some(place.scenario(unit)), place.against(unit)].into_iter().flatten() {
            let scenario = shipped::find_only(&file.display().to_string()).map_err(|error| usage(error.to_string()))?;
            decides.extend(decisive(&scenario, unit.lab, &Stop::default())?);
        }
        if unit_key::of_unit(&decides, unit.seed) != unit.key {
            let why =
                "another result would come here: tool, emulator, kernel or scenario are not those that were planned";
            foreign.insert(unit.scenario.clone(), why.to_string());
        }
    }
    Ok(foreign)
}

/// Carries a unit out, also one that is done already and is repeated, by the tool as a process of its own.
///
/// # Errors
/// Where the folder of the campaign cannot be written.
pub fn carried_out(tool: &Path, place: &Place, unit: &Unit, stop: &Stop) -> anyhow::Result<Became> {
    if stop.asked() {
        return Ok(Became::Interrupted);
    }
    let again = place.state(unit) == State::Done;
    let claim = if again { place.claim_again(unit)? } else { place.claim(unit)? };
    let Some(claim) = claim else { return Ok(Became::PassedOver) };
    let log = tempfile::NamedTempFile::new()?;
    let seed = unit.seed.to_string();
    let mut command = Command::new(tool);
    command
        .args(["lab", unit.lab.word()])
        .arg(place.scenario(unit))
        .args(place.against(unit))
        .args(["--seed", &seed, "--quiet"]);
    command.args(unit.lab.words());
    command.arg("--out").arg(claim.part());
    let became = itself::run(&mut command, log.path(), LIMIT, &|| stop.asked())?;
    let skipped = Place::skipped(claim.part())?;
    let given_up = |claim: Claim, became: Became| -> anyhow::Result<Became> {
        claim.abandon();
        Ok(became)
    };
    match (became, skipped) {
        // Who ends all processes of a task, as an engine does at its limit of time, ends the unit's before this one.
        (itself::Became::OnDisk, _) if is_cut_short(&claim, unit)? => given_up(claim, Became::Failed(CUT.to_string())),
        (itself::Became::OnDisk, _) => {
            let published = place.publish(&claim)?;
            Ok(if published == Published::Same && again { Became::Repeated } else { Became::Done })
        }
        (itself::Became::Stopped, _) => given_up(claim, Became::Interrupted),
        (itself::Became::Failed(_), Some(why)) => {
            let published = place.publish(&claim)?;
            Ok(if published == Published::Same && again { Became::Repeated } else { Became::Skipped(why) })
        }
        (itself::Became::Failed(said), None) => given_up(claim, Became::Failed(said)),
    }
}

/// Why a unit has no result whose process ended early by itself.
const CUT: &str = "it was ended before its end; the next call does it again";

/// Whether what was made is not the whole of a run.
fn is_cut_short(claim: &Claim, unit: &Unit) -> anyhow::Result<bool> {
    Ok(unit.lab != Subcommand::Diff && store::read(claim.part())?.interrupted)
}
