// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall campaign`: many lab runs as one: planned, carried out by any engine, merged exactly.
//!
//! - `bisect`: a search in rounds, each planned by what was found in the one before
//! - `merge`: `backwall campaign merge`: what the units of each scenario come to together
//! - `pairs`: what each function adds to the difference of two guests, for every pair
//! - `plan`: `backwall campaign plan`: from a matrix to units, each with its key
//! - `status`: `backwall campaign status`: how far it is
//! - `submit`: `backwall campaign submit`: the script of a job array, or a manifest
//! - `work`: `backwall campaign run`: carries units out, by as many processes as are wanted
mod bisect;
mod merge;
mod pairs;
mod plan;
mod status;
mod submit;
mod work;

use crate::examples;
use crate::exit::{Exit, usage};
use crate::options::Global;
use backwall_lab::batch::place::Place;
use backwall_lab::batch::unit::Unit;
use std::path::{Path, PathBuf};

/// Arguments of `backwall campaign`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    global: Global,
}

/// What is done.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Make units of a matrix of scenarios and seeds, each with a key of all that decides its result
    #[command(after_help = examples::CAMPAIGN_PLAN)]
    Plan(plan::Args),
    /// Carry units out; those that are done, or that another process is at, are passed over
    #[command(after_help = examples::CAMPAIGN_RUN)]
    Run(work::Args),
    /// Print the script of a job array, or a manifest, that carries all units out
    #[command(after_help = examples::CAMPAIGN_SUBMIT)]
    Submit(submit::Args),
    /// Say how many units are planned, done, being done and missing
    #[command(after_help = examples::CAMPAIGN_STATUS)]
    Status(Folder),
    /// Put the units of each scenario together; 3 where some are missing
    #[command(after_help = examples::CAMPAIGN_MERGE)]
    Merge(Folder),
}

/// Which campaign.
#[derive(clap::Args, Debug)]
struct Folder {
    /// Folder of a campaign
    #[arg(value_name = "CAMPAIGN")]
    folder: PathBuf,
}

/// Carries the command out.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let global = &args.global;
    match &args.action {
        Action::Plan(args) => plan::run(args, global),
        Action::Run(args) => work::run(args, global),
        Action::Submit(args) => submit::run(args),
        Action::Status(args) => status::run(&args.folder, global),
        Action::Merge(args) => merge::run(&args.folder, global),
    }
}

/// A campaign that is there.
fn open(folder: &Path) -> anyhow::Result<(Place, Vec<Unit>)> {
    Place::open(folder).map_err(|error| {
        let hint = if error.kind() == std::io::ErrorKind::NotFound {
            ": no campaign is there; `backwall campaign plan` makes one"
        } else {
            ""
        };
        usage(format!("{}: {error}{hint}", folder.display()))
    })
}
