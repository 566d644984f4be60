// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch merge BATCH`: merges the results of each scenario's units.
use super::place::BatchFolder;
use super::{bisect, open, pairs};
use crate::command;
use backwall::deliver::{Delivery, Output};
use backwall::exit::{Exit, unable, usage};
use backwall::options::{Printing, Requirements, Verbose};
use backwall_judge::require::Demands;
use backwall_lab::batch::counts::Counts;
use backwall_lab::batch::merged::{merged, searches};
use backwall_lab::batch::place::{Place, are_as_planned};
use backwall_lab::batch::subcommand::Subcommand;
use backwall_lab::batch::unit::Unit;
use backwall_lab::shipped;
use backwall_os::console::complain;
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    batch: BatchFolder,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    requirements: Requirements,
    #[command(flatten)]
    verbose: Verbose,
}

/// Merges the finished units. Lists the missing units; while units are missing, requirements are undecided.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = &args.batch.folder;
    let (place, units) = open(folder)?;
    refuse_changed(&place, &units)?;
    let lab = units.first().map(|unit| unit.lab);
    if let Some(lab) = lab.filter(|lab| [Subcommand::Bisect, Subcommand::Diff].contains(lab)) {
        refuse_rules(lab, &args.requirements)?;
        return match lab {
            Subcommand::Bisect => bisect::merge(&place, &units, folder, args.printing),
            _ => pairs::merge(&place, &units, folder, args.printing),
        };
    }
    let counts = Counts::of(&place, &units);
    let mut by_scenario: BTreeMap<&str, Vec<&Unit>> = BTreeMap::new();
    units.iter().for_each(|unit| by_scenario.entry(unit.whole()).or_default().push(unit));
    let mut delivery = Delivery::of(args.printing, by_scenario.len() > 1);
    let mut searched = Vec::new();
    for (scenario, units) in by_scenario {
        let demands = demands(&place, units[0], &args.requirements)?;
        if units[0].lab == Subcommand::Saturate {
            for (name, run) in searches(&place, &units)? {
                let output = Output { text: Some(&command::saturate::own_text), ..Output::USUAL };
                delivery.take(run.clone(), &Demands::default(), &made(&place, &name)?, &output)?;
                searched.push(run);
            }
        } else if let Some(run) = merged(&place, &units)? {
            delivery.take(
                run,
                &demands,
                &made(&place, scenario)?,
                &Output { verbose: args.verbose.verbose, ..Output::USUAL },
            )?;
        }
    }
    command::saturate::compare(&searched, &delivery)?;
    let exit = delivery.finish()?;
    if counts.done == 0 {
        return Err(unable(format!("{}: no unit is done; run them with `backwall lab batch run`", folder.display())));
    }
    if counts.done < units.len() {
        complain(&format!("backwall: incomplete: {}", counts.sentence()));
        return Ok(if exit == Exit::Done { Exit::Undecided } else { exit });
    }
    Ok(exit)
}

/// Refuses a scenario whose file changed since the plan, because the file's requirements may have changed too.
fn refuse_changed(place: &Place, units: &[Unit]) -> anyhow::Result<()> {
    let mut seen = BTreeSet::new();
    for unit in units.iter().filter(|unit| seen.insert((&unit.scenario, &unit.against, &unit.text))) {
        let texts = place.texts(unit).map_err(|error| usage(error.to_string()))?;
        if !are_as_planned(unit, &texts) {
            let names = [Some(&unit.scenario), unit.against.as_ref()].into_iter().flatten();
            let names: Vec<String> = names.map(|name| format!("scenarios/{name}.toml")).collect();
            let names = names.join(" or ");
            return Err(usage(format!("{names}: changed since the plan; restore it, or plan in a new folder")));
        }
    }
    Ok(())
}

/// Refuses requirements for searches and pairs, because their results have no figure to judge.
fn refuse_rules(lab: Subcommand, requirements: &Requirements) -> anyhow::Result<()> {
    let why = match lab {
        Subcommand::Bisect => {
            "a search uses only matrix.require of its plan; for other requirements, make a new plan in a new folder"
        }
        _ => "a difference cannot be merged; compare the runs of both guests",
    };
    match &requirements.require[..] {
        [] => Ok(()),
        [first, ..] => Err(usage(format!("--require {first}: {why}"))),
    }
}

/// Creates the folder of the merged results from the units that are done now.
fn made(place: &Place, name: &str) -> anyhow::Result<RunFolder> {
    let target = place.merged_anew(name).map_err(|error| unable(error.to_string()))?;
    Ok(RunFolder::create(Some(&target), "campaign", Timestamp::now())?)
}

fn demands(place: &Place, unit: &Unit, requirements: &Requirements) -> anyhow::Result<Demands> {
    let scenario =
        shipped::find_only(&place.scenario(unit).display().to_string()).map_err(|error| usage(error.to_string()))?;
    command::rules(&scenario, requirements).map(Demands::without_plan)
}
