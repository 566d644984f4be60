// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab tune`: what words of the boot line make of a Linux guest's answers, in instructions, by function.
use super::meant::refused;
use super::{Boot, Common, bad_scenario, emulator, settings};
use crate::console::columns;
use crate::exit::{Exit, usage};
use crate::lab::bench::Settings;
use crate::lab::shipped;
use crate::lab::trail::tuned::{Trials, USUAL, Untried, scenarios, tried};
use crate::options::Global;
use crate::parallel;
use crate::progress::Activity;
use crate::report::trail::{tuned, tuned_functions};
use serde_json::json;

/// Arguments of `backwall lab tune`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A name from `backwall lab list`, or a file ending in .toml, of a Linux guest
    #[arg(value_name = "NAME|FILE.toml")]
    scenario: String,
    /// Words of the boot line that are tried together; several times for several trials [default: those of docs/lab.md]
    #[arg(long, value_name = "WORDS")]
    boot: Vec<String>,
    /// The line that answers [default: the last one that did, which is the furthest from the edge]
    #[arg(long, value_name = "LINE")]
    line: Option<String>,
    /// How many guests run at a time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    #[command(flatten)]
    common: Common,
}

/// Runs the guest without any of them, then with each, and divides each difference.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenario = shipped::find_only(&args.scenario).map_err(bad_scenario)?;
    let emulator = emulator(scenario.machine)?;
    let settings = Settings { modes: true, ..settings(&args.common, Boot { fresh: false }, global)? };
    let asked: Vec<&str> =
        if args.boot.is_empty() { USUAL.to_vec() } else { args.boot.iter().map(String::as_str).collect() };
    let with = scenarios(&scenario, &asked);
    let with = with.map_err(|fault| usage(format!("lab: {}: {fault}", scenario.name)))?;
    let shown = Activity::begin(global.quiet, || "booting a guest for each trial".to_string());
    let jobs = parallel::jobs(args.jobs);
    let trials = tried(&scenario, &with, args.line.as_deref(), jobs, (&emulator, &settings));
    drop(shown);
    let Trials { without, with } = trials.map_err(|Untried { words, fault }| match words {
        Some(words) => refused(&format!("{} with {words}", args.scenario), fault),
        None => refused(&args.scenario, fault),
    })?;
    let (line, guest) = (&without.median.entered.answer.line, &without.guest);
    global.show(
        || json!({ "guest": guest, "line": line, "without": without.answers(), "with": with }),
        || {
            let tables = [tuned(without.answers(), &with), tuned_functions(&with)].map(|grid| grid.text(columns()));
            format!("{}: {guest}, line {line}\n\n{}", args.scenario, tables.join("\n"))
        },
    )?;
    Ok(Exit::Done)
}
