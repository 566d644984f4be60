// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench events`: series of events with deadlines, as the paper measured them.
mod limit;
mod paper;

use crate::cli::Guests;
use crate::exit::Exit;
use crate::options::{OneCpu, ProbeFile, RunOutput, Seed};
use backwall_model::units::{self, Nanoseconds};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Repeat the paper's experiments next to its figures
    ///
    /// Takes three and a half minutes.
    #[arg(long, conflicts_with_all = ["guest", "thread_per_event", "wcet", "rounds"])]
    paper: bool,
    /// With --paper, run a tenth of each mix and a fifth of the other events
    #[arg(long, requires = "paper")]
    quick: bool,
    #[command(flatten)]
    cpu: OneCpu,
    /// Search on a guest of the lab instead of this machine: detent-probe
    #[arg(long, value_name = "GUEST", conflicts_with_all = ["cpu", "probe"])]
    guest: Option<String>,
    /// Create a thread for each event instead of waking one that exists
    #[arg(long)]
    thread_per_event: bool,
    /// Computing time of an event
    ///
    /// On a guest a nanosecond is one instruction.
    #[arg(long, value_name = "TIME", value_parser = units::duration, default_value = "1us")]
    wcet: Nanoseconds,
    /// Number of searches
    ///
    /// backwall prints their median, minimum and maximum.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    #[command(flatten)]
    probe: ProbeFile,
    #[command(flatten)]
    output: RunOutput,
    #[command(flatten)]
    seed: Seed,
}

pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    if args.paper { paper::run(args) } else { limit::run(args, guests) }
}
