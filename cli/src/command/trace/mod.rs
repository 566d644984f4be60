// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace`: records and reads kernel scheduling events.
mod export;
mod monitors;
pub(in crate::command) mod record;
mod report;
mod rules;
mod snapshot;

use crate::examples;
use crate::exit::Exit;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Record until the command ends, for a time, or until Ctrl-C
    #[command(after_help = examples::TRACE_RECORD)]
    Record(record::Args),
    /// Fetch the last minutes of what runs and watches record now
    ///
    /// The runs and watches continue. Exits with 3 if nothing is recorded.
    #[command(after_help = examples::TRACE_SNAPSHOT)]
    Snapshot(snapshot::Args),
    /// Show who used the time of a recording
    #[command(after_help = examples::TRACE_REPORT)]
    Report(report::Args),
    /// Write a recording for another tool
    #[command(after_help = examples::TRACE_EXPORT)]
    Export(export::Args),
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Record(args) => record::run(args),
        Action::Snapshot(args) => snapshot::run(args),
        Action::Report(args) => report::run(args),
        Action::Export(args) => export::run(args),
    }
}
