// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch status BATCH`: shows how far a batch is.
use super::open;
use super::place::BatchFolder;
use backwall::exit::Exit;
use backwall::options::Printing;
use backwall_lab::batch::counts::Counts;
use serde_json::json;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    batch: BatchFolder,
    #[command(flatten)]
    printing: Printing,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = &args.batch.folder;
    let (place, units) = open(folder)?;
    let counts = Counts::of(&place, &units);
    let Counts { done, running, missing } = counts;
    args.printing.show(
        || json!({ "planned": units.len(), "done": done, "running": running, "missing": missing }),
        || format!("{}: {}\n", folder.display(), counts.sentence()),
    )?;
    Ok(Exit::Done)
}
