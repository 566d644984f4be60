// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch`: plans many lab runs, runs them on any engine, and merges them exactly.
mod bisect;
mod merge;
mod pairs;
mod place;
mod plan;
mod status;
mod submit;
mod work;

use crate::examples;
use backwall::exit::{Exit, usage};
use backwall_lab::batch::place::Place;
use backwall_lab::batch::unit::Unit;
use std::path::Path;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Plan the units of a matrix of scenarios and seeds
    #[command(after_help = examples::BATCH_PLAN)]
    Plan(plan::Args),
    /// Run pending units
    ///
    /// Skips finished units and those claimed by another process.
    #[command(after_help = examples::BATCH_RUN)]
    Run(work::Args),
    /// Print a job array or a manifest that runs all units
    #[command(after_help = examples::BATCH_SUBMIT)]
    Submit(submit::Args),
    /// Count planned, done, running and missing units
    #[command(after_help = examples::BATCH_STATUS)]
    Status(status::Args),
    /// Merge the units of each scenario
    ///
    /// Exits with 3 if units are missing.
    #[command(after_help = examples::BATCH_MERGE)]
    Merge(merge::Args),
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Plan(args) => plan::run(args),
        Action::Run(args) => work::run(args),
        Action::Submit(args) => submit::run(args),
        Action::Status(args) => status::run(args),
        Action::Merge(args) => merge::run(args),
    }
}

fn open(folder: &Path) -> anyhow::Result<(Place, Vec<Unit>)> {
    Place::open(folder).map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::NotFound {
            ": no batch; create one with `backwall lab batch plan`"
        } else {
            ""
        };
        usage(format!("{}: {error}{hint}", folder.display()))
    })
}
