// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch plan FILE.toml`: expands a matrix into units, each with its key.
use super::bisect;
use backwall::exit::{Exit, unable, usage};
use backwall::options::{Destination, Printing};
use backwall_lab::batch::pairs;
use backwall_lab::batch::place::Place;
use backwall_lab::batch::plan::Plan;
use backwall_lab::batch::planned::{scenarios, units};
use backwall_lab::batch::subcommand::Subcommand;
use backwall_os::console::progress::Activity;
use backwall_os::regular_file;
use serde_json::json;
use std::path::PathBuf;

const MOST_BYTES: u64 = 1 << 20;

#[derive(clap::Args, Debug)]
#[command(mut_arg("out", |out| out.help("Folder of the batch (for the next round of a search: the existing folder)")))]
pub struct Args {
    /// Matrix of scenarios, guests and seeds
    ///
    /// The folder may already exist only for a search in rounds.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    destination: Destination,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let name = args.file.display();
    let text = regular_file::text(&args.file, MOST_BYTES).map_err(|error| usage(format!("{name}: {error}")))?;
    let plan = Plan::parse(&text).map_err(|error| usage(format!("{name}: {error}")))?;
    let folder = args.destination.out.clone().ok_or_else(|| usage("name the folder of the batch with --output"))?;
    if plan.lab == Subcommand::Bisect {
        return bisect::plan(&plan, &text, &folder, args.printing);
    }
    let scenarios = scenarios(&plan)?;
    let shown = Activity::begin(args.printing.quiet, || "preparing each guest once".to_string());
    let units = match plan.lab {
        Subcommand::Diff => pairs::units(&plan, &scenarios)?,
        _ => units(&plan, scenarios.values())?,
    };
    drop(shown);
    let texts: Vec<(String, String)> = scenarios.into_iter().map(|(name, planned)| (name, planned.text)).collect();
    Place::create(&folder, &text, &units, &texts).map_err(|error| unable(format!("{}: {error}", folder.display())))?;
    args.printing.show(
        || json!({ "campaign": folder, "scenarios": texts.len(), "units": units.len() }),
        || format!("{}: planned {} units of {} scenarios\n", folder.display(), units.len(), texts.len()),
    )?;
    Ok(Exit::Done)
}
