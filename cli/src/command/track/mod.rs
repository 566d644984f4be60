// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall track`: what the kernel did, by name.
//!
//! - `export`: `backwall track export FORM TRACE -o FILE`: a recording for another tool
//! - `fetch`: `backwall track fetch`: the last minutes of what a run or watch records now
//! - `record`: `backwall track [-- COMMAND]`: records what the kernel does, and says who used the time
//! - `report`: `backwall track report TRACE`: who used the time of a recording
mod export;
mod fetch;
mod record;
mod report;

use crate::examples;
use crate::exit::Exit;

/// Arguments of `backwall track`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    record: record::Args,
}

/// What is done with a recording.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Record until the command ends, for a time, or until Ctrl-C; the same as without this word
    #[command(after_help = examples::TRACK_RECORD)]
    Record(record::Args),
    /// Fetch the last minutes of what runs and watches record now, which go on; 3 where nothing is recorded
    #[command(after_help = examples::TRACK_FETCH)]
    Fetch(fetch::Args),
    /// Say who used the time of a recording: of this tool, of trace-cmd, of perf, or the text of ftrace
    #[command(after_help = examples::TRACK_REPORT)]
    Report(report::Args),
    /// Write a recording for another tool
    #[command(after_help = examples::TRACK_EXPORT)]
    Export(export::Args),
}

/// Carries the command out.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        None => record::run(&args.record),
        Some(Action::Record(args)) => record::run(args),
        Some(Action::Fetch(args)) => fetch::run(args),
        Some(Action::Report(args)) => report::run(args),
        Some(Action::Export(args)) => export::run(args),
    }
}
