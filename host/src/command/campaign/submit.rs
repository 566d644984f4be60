// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall campaign submit CAMPAIGN`: the script of a job array.
use super::open;
use crate::console::print_data;
use crate::exit::{Exit, usage};
use ::campaign::slurm;
use std::path::PathBuf;

/// Arguments of `backwall campaign submit`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folder of a campaign, on a file system that all nodes have
    #[arg(value_name = "CAMPAIGN")]
    folder: PathBuf,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = "slurm", value_parser = ["slurm"])]
    on: String,
    /// Units of a task of the array, at least; starting one costs about a second
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    chunk: u64,
}

/// Prints the script; sbatch takes it.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let (_, units) = open(&args.folder)?;
    let whole = args.folder.canonicalize().map_err(|error| usage(format!("{}: {error}", args.folder.display())))?;
    let units = units.len() as u64;
    print_data(&slurm::script(&whole.display().to_string(), units, slurm::chunk(units, args.chunk)))?;
    Ok(Exit::Done)
}
