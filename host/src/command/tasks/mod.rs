// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks`: series of jobs with deadlines.
mod predict;

use crate::examples;
use crate::exit::Exit;
use crate::options::Global;

/// Arguments of `backwall tasks`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What is done with a set.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Compute worst-case response times; 1 when a deadline can be missed
    #[command(after_help = examples::TASKS)]
    Predict(predict::Args),
}

/// Carries the command out.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Predict(args) => predict::run(args, global),
    }
}
