// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab batch submit BATCH`: prints the script of a Slurm job array or a Kubernetes manifest that starts all
//! units on such an engine.
use super::open;
use super::place::BatchFolder;
use backwall::exit::{Exit, usage};
use backwall_lab::batch::chunks::Chunks;
use backwall_lab::batch::{kubernetes, slurm};
use backwall_os::console::print_data;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    batch: BatchFolder,
    /// Engine that runs the units
    #[arg(long, value_name = "ENGINE", default_value = "slurm", value_parser = ["slurm", "kubernetes"])]
    on: String,
    /// Minimum number of units per task or pod
    ///
    /// Starting a task or pod costs about a second.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    chunk: u64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let (_, units) = open(&args.batch.folder)?;
    let chunks = Chunks::of(units.len() as u64, args.chunk);
    if args.on == "kubernetes" {
        print_data(&kubernetes::manifest(chunks))?;
        return Ok(Exit::Done);
    }
    let whole =
        args.batch.folder.canonicalize().map_err(|error| usage(format!("{}: {error}", args.batch.folder.display())))?;
    print_data(&slurm::script(&whole.display().to_string(), chunks))?;
    Ok(Exit::Done)
}
