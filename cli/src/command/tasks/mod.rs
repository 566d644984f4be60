// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks`: runs and predicts series of jobs with deadlines.
mod assumed;
mod options;
mod predict;
mod recorded;
mod run;

use crate::cli::Guests;
use crate::examples;
use crate::exit::Exit;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Run a task set on this machine and account for each job
    #[command(after_help = examples::TASKS_RUN)]
    Run(options::Args),
    /// Compute worst-case response times
    ///
    /// Exits with 1 if a deadline can be missed.
    #[command(after_help = examples::TASKS)]
    Predict(predict::Args),
}

pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Run(args) => run::run(args, guests),
        Action::Predict(args) => predict::run(args),
    }
}
