// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch run BATCH`: runs units in any number of processes. Each unit has a process of its own.
use super::open;
use super::place::BatchFolder;
use crate::command::jobs::Jobs;
use backwall::exit::{Exit, unable};
use backwall::options::Printing;
use backwall_lab::batch::counts::Counts;
use backwall_lab::batch::place::{Place, State};
use backwall_lab::batch::unit::Unit;
use backwall_lab::batch::work::{Became, Scenarios, carried_out, chosen, repeated};
use backwall_os::Stop;
use backwall_os::console::complain;
use backwall_os::console::progress::each_of;
use backwall_os::parallel;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    batch: BatchFolder,
    /// Lines of units.jsonl to run, such as 1-40,77 [default: all]
    #[arg(long, value_name = "LIST")]
    units: Option<String>,
    #[command(flatten)]
    guests: Jobs,
    /// Also repeat this percentage of finished units and compare the results
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=100))]
    repeat: u16,
    #[command(flatten)]
    printing: Printing,
}

/// Runs the units that are not done. Exit code 4 if a unit failed; the next call tries that unit again.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let (place, units) = open(&args.batch.folder)?;
    let chosen = chosen(&units, args.units.as_deref())?;
    let repeated = repeated(&place, &chosen, args.repeat);
    let missing = chosen.into_iter().filter(|unit| place.state(unit) == State::Missing);
    let missing: Vec<Unit> = missing.chain(repeated).collect();
    place.sweep().map_err(|error| unable(format!("{}: {error}", args.batch.folder.display())))?;
    let scenarios = Scenarios::of(&place, &missing)?;
    let tool = std::env::current_exe()?;
    let stop = Stop::on_signals()?;
    let one = |unit: &Unit| {
        let became = carried_out(&tool, &place, unit, &scenarios, &stop);
        became.unwrap_or_else(|error| Became::Failed(error.to_string()))
    };
    let all = each_of(&missing, parallel::jobs(args.guests.jobs), "units", args.printing.quiet, one);
    tell(&place, &units, &missing, &all, args.printing)
}

fn tell(place: &Place, units: &[Unit], missing: &[Unit], all: &[Became], printing: Printing) -> anyhow::Result<Exit> {
    let mut failed: BTreeMap<&str, Vec<&Unit>> = BTreeMap::new();
    for (unit, became) in missing.iter().zip(all) {
        if let Became::Failed(why) = became {
            failed.entry(why).or_default().push(unit);
        }
    }
    for (why, units) in &failed {
        complain(&format!(
            "backwall: {} with seed {} failed ({} units with this reason): {why}",
            units[0].scenario,
            units[0].seed,
            units.len()
        ));
    }
    for (unit, became) in missing.iter().zip(all) {
        if let Became::Skipped(why) = became {
            complain(&format!("backwall: {}: skipped: {why}", unit.scenario));
        }
    }
    let done = all.iter().filter(|became| matches!(became, Became::Done | Became::Skipped(_))).count();
    let repeated = all.iter().filter(|became| matches!(became, Became::Repeated)).count();
    let passed_over = all.iter().filter(|became| matches!(became, Became::PassedOver)).count();
    let (failures, counts) = (failed.values().map(Vec::len).sum::<usize>(), Counts::of(place, units));
    printing.show(
        || json!({ "done_here": done, "passed_over": passed_over, "repeated": repeated, "failed": failures, "done": counts.done, "planned": units.len() }),
        || {
            let again = if repeated > 0 { format!("{repeated} repeated, with the same result; ") } else { String::new() };
            format!("{done} done here; {again}{}\n", counts.sentence())
        },
    )?;
    match all.iter().any(|became| matches!(became, Became::Interrupted)) {
        true => Err(unable("interrupted; the next call continues from here")),
        false if failures > 0 => Ok(Exit::Unable),
        false => Ok(Exit::Done),
    }
}
