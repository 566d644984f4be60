// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall campaign run CAMPAIGN`: carries units out, by as many processes as are wanted, each unit by this program as a process of
//! its own.
use super::{Counts, open, plan};
use crate::command::itself;
use crate::console::{complain, print};
use crate::exit::{Exit, unable, usage};
use crate::lab::{parallel, shipped, unit_key};
use crate::options::Global;
use crate::progress::Activity;
use crate::session::Stop;
use ::campaign::place::{Place, State};
use ::campaign::plan::ranges;
use ::campaign::unit::Unit;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The scenario's own limit ends a guest long before.
const LIMIT: Duration = Duration::from_secs(24 * 3_600);

/// Arguments of `backwall campaign run`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folder of a campaign
    #[arg(value_name = "CAMPAIGN")]
    folder: PathBuf,
    /// Which units, by their lines in units.jsonl, such as 1-40,77 [default: all]
    #[arg(long, value_name = "LIST")]
    units: Option<String>,
    /// How many at a time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// What became of a unit.
enum Became {
    Done,
    /// It is done, or another process is at it.
    PassedOver,
    Failed(String),
    Interrupted,
}

/// Carries out what is missing; 4 where a unit failed, which the next call tries again.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let (place, units) = open(&args.folder)?;
    let chosen = chosen(&units, args.units.as_deref())?;
    let missing: Vec<Unit> = chosen.into_iter().filter(|unit| place.state(unit) == State::Missing).collect();
    let foreign = foreign(&place, &missing)?;
    let tool = std::env::current_exe()?;
    let stop = Stop::on_signals()?;
    let (total, done) = (missing.len(), Arc::new(AtomicUsize::new(0)));
    let seen = done.clone();
    let shown = Activity::begin(global.quiet, move || format!("{} of {total} units", seen.load(Ordering::Relaxed)));
    let all = parallel::map(&missing, parallel::jobs(args.jobs), |unit| {
        let became = match foreign.get(&unit.scenario) {
            Some(why) => Ok(Became::Failed(why.clone())),
            None => carried_out(&tool, &place, unit, &stop),
        };
        done.fetch_add(1, Ordering::Relaxed);
        became.unwrap_or_else(|error| Became::Failed(error.to_string()))
    });
    drop(shown);
    tell(&place, &units, &missing, &all, global)
}

/// Those of a list of lines; all without one.
fn chosen(units: &[Unit], list: Option<&str>) -> anyhow::Result<Vec<Unit>> {
    let Some(list) = list else { return Ok(units.to_vec()) };
    let bad = || usage(format!("--units {list}: lines of units.jsonl from 1 to {}, such as 1-40,77", units.len()));
    let lines: Vec<u64> =
        ranges(list).ok_or_else(bad)?.into_iter().flat_map(|range| range.take(units.len() + 1)).collect();
    let of_line = |line: u64| line.checked_sub(1).and_then(|at| units.get(usize::try_from(at).ok()?));
    lines.into_iter().map(|line| of_line(line).cloned().ok_or_else(bad)).collect()
}

/// Scenarios that would give other results here than where they were planned, and why.
fn foreign(place: &Place, missing: &[Unit]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut looked_at: BTreeSet<&str> = BTreeSet::new();
    let mut foreign = BTreeMap::new();
    for unit in missing {
        if !looked_at.insert(&unit.scenario) {
            continue;
        }
        let file = place.scenario(unit).display().to_string();
        let scenario = shipped::find_only(&file).map_err(|error| usage(error.to_string()))?;
        if unit_key::of_unit(&plan::decisive(&scenario)?, unit.seed) != unit.key {
            let why =
                "another result would come here: tool, emulator, kernel or scenario are not those that were planned";
            foreign.insert(unit.scenario.clone(), why.to_string());
        }
    }
    Ok(foreign)
}

fn carried_out(tool: &Path, place: &Place, unit: &Unit, stop: &Stop) -> anyhow::Result<Became> {
    if stop.asked() {
        return Ok(Became::Interrupted);
    }
    let Some(claim) = place.claim(unit)? else { return Ok(Became::PassedOver) };
    let log = tempfile::NamedTempFile::new()?;
    let seed = unit.seed.to_string();
    let mut command = Command::new(tool);
    command.args(["lab", "run"]).arg(place.scenario(unit)).args(["--seed", &seed, "--jobs", "1", "--quiet"]);
    command.arg("--out").arg(claim.part());
    match itself::run(&mut command, log.path(), LIMIT, &|| stop.asked())? {
        itself::Became::OnDisk => place.publish(&claim).map(|_| Became::Done).map_err(Into::into),
        itself::Became::Stopped => {
            claim.abandon();
            Ok(Became::Interrupted)
        }
        itself::Became::Failed(said) => {
            claim.abandon();
            Ok(Became::Failed(said))
        }
    }
}

/// One line a reason of failure, and how far the campaign is.
fn tell(place: &Place, units: &[Unit], missing: &[Unit], all: &[Became], global: &Global) -> anyhow::Result<Exit> {
    let mut failed: BTreeMap<&str, Vec<&Unit>> = BTreeMap::new();
    for (unit, became) in missing.iter().zip(all) {
        if let Became::Failed(why) = became {
            failed.entry(why).or_default().push(unit);
        }
    }
    for (why, units) in &failed {
        complain(&format!(
            "backwall: {} with seed {} ({} units so): {why}",
            units[0].scenario,
            units[0].seed,
            units.len()
        ));
    }
    let done = all.iter().filter(|became| matches!(became, Became::Done)).count();
    let passed_over = all.iter().filter(|became| matches!(became, Became::PassedOver)).count();
    let (failures, counts) = (failed.values().map(Vec::len).sum::<usize>(), Counts::of(place, units));
    if global.json {
        let told = json!({ "done_here": done, "passed_over": passed_over, "failed": failures, "done": counts.done, "planned": units.len() });
        print(&format!("{told:#}\n"))?;
    } else if !global.quiet {
        print(&format!("{done} done here; {}\n", counts.sentence()))?;
    }
    match all.iter().any(|became| matches!(became, Became::Interrupted)) {
        true => Err(unable("interrupted; the next call goes on where this one ended")),
        false if failures > 0 => Ok(Exit::Unable),
        false => Ok(Exit::Done),
    }
}
