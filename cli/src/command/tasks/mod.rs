// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks`: series of jobs with deadlines.
//!
//! - `limit`: `backwall tasks limit`: the largest number of events in 10 ms, found by search
//! - `options`: what `backwall tasks run` takes
//! - `paper`: `backwall tasks paper`: the experiments of the paper on event series, one after the other, on this machine
//! - `predict`: `backwall tasks predict SET`: worst-case response times, and whether every deadline is met
//! - `run`: `backwall tasks run SET`: series of jobs with deadlines on this machine or a guest of the bench
mod limit;
mod options;
mod paper;
mod predict;
mod run;

use crate::cli::Guests;
use crate::examples;
use crate::exit::Exit;

/// Arguments of `backwall tasks`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What is done with a set.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Run it on this machine, and count what became of each job
    #[command(after_help = examples::TASKS_RUN)]
    Run(options::Args),
    /// Find the largest number of events in 10 ms, beside what the cost of a switch lets expect
    #[command(after_help = examples::TASKS_LIMIT)]
    Limit(limit::Args),
    /// Repeat the experiments of the paper on event series, beside its figures; some three minutes
    #[command(after_help = examples::TASKS_PAPER)]
    Paper(paper::Args),
    /// Compute worst-case response times; 1 when a deadline can be missed
    #[command(after_help = examples::TASKS)]
    Predict(predict::Args),
}

/// Carries the command out.
pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Run(args) => run::run(args, guests),
        Action::Limit(args) => limit::run(args, guests),
        Action::Paper(args) => paper::run(args),
        Action::Predict(args) => predict::run(args),
    }
}
