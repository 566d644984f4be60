// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench NAME`: the suites of the 2002 papers, and one that measures how much computing slows displaying and the
//! reverse.
mod events;
mod iltiming;
mod interfere;
mod osbench;

use crate::cli::Guests;
use crate::examples;
use crate::exit::Exit;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(clap::Subcommand, Debug)]
enum Suite {
    /// Measure when an interrupt's routine (ISR) and its thread (IST) start
    #[command(after_help = examples::ILTIMING)]
    Iltiming(iltiming::Args),
    /// Measure what the kernel's operations cost
    #[command(after_help = examples::OSBENCH)]
    Osbench(osbench::Args),
    /// Measure what computing and displaying cost each other
    #[command(after_help = examples::INTERFERE)]
    Interfere(interfere::Args),
    /// Find the largest number of events in 10 ms, or repeat the paper's experiments
    #[command(after_help = examples::EVENTS)]
    Events(events::Args),
}

pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    match &args.suite {
        Suite::Iltiming(args) => iltiming::run(args),
        Suite::Osbench(args) => osbench::run(args),
        Suite::Interfere(args) => interfere::run(args),
        Suite::Events(args) => events::run(args, guests),
    }
}
