// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet`: measures many devices, each separately, and never pools their results.
mod call;
mod import;
mod report;
mod snapshot;
mod work;

use crate::examples;
use crate::exit::{Exit, unable};
use backwall_fleet::place::Place;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Measure on every device of a file
    ///
    /// Exits with 3 if a device gave no run.
    #[command(after_help = examples::FLEET_RUN)]
    Run(call::Args),
    /// Fetch the last minutes of what every device records now
    ///
    /// The measurement continues. Exits with 3 if a device gave nothing.
    #[command(after_help = examples::FLEET_SNAPSHOT)]
    Snapshot(call::Args),
    /// Store the runs that devices have pushed, each run once
    ///
    /// Exits with 3 if something was not a run.
    #[command(after_help = examples::FLEET_IMPORT)]
    Import(import::Args),
    /// Report each device: history, worst cause, kernel changes
    #[command(after_help = examples::FLEET_REPORT)]
    Report(report::Args),
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Run(args) => work::run(args),
        Action::Snapshot(args) => snapshot::run(args),
        Action::Import(args) => import::run(args),
        Action::Report(args) => report::run(args),
    }
}

#[derive(clap::Args, Debug)]
struct Folder {
    /// Folder of the fleet, created if missing
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    out: PathBuf,
}

fn create(folder: &Folder) -> anyhow::Result<Place> {
    Place::create(&folder.out).map_err(|error| unable(format!("{}: {error}", folder.out.display())))
}
