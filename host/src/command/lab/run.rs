// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab run`: scenarios side by side, each with its own run folder.
use super::{Common, emulator, find, refusal, settings};
use crate::cli::Global;
use crate::command::deliver::{Output, deliver, rules};
use crate::exit::{Exit, usage};
use crate::lab::bench::{self, BenchRun};
use crate::lab::emulator::Emulator;
use crate::lab::result::{Judged, judge, run_of};
use crate::lab::scenario::Scenario;
use crate::lab::{guest, parallel};
use crate::report::section::Section;
use crate::report::text::text;
use crate::require::Rule;
use crate::scope::{screens, vcd_write};
use crate::store::RunFolder;
use jiff::Timestamp;
use std::path::PathBuf;

/// Arguments of `backwall lab run`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Names from `backwall lab list`, or files ending in .toml
    #[arg(required = true, value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    /// How many scenarios run at a time [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Also write the pictures as PNG files
    #[arg(long)]
    png: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs all, then delivers each in the order given; the worst exit code counts.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenarios: Vec<Scenario> = args.scenarios.iter().map(|name| find(name)).collect::<anyhow::Result<_>>()?;
    let rules: Vec<Vec<Rule>> = scenarios.iter().map(|scenario| demands(scenario, global)).collect::<Result<_, _>>()?;
    let emulator = emulator()?;
    let settings = settings(&args.common, global, false);
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let started = Timestamp::now();
    let results = parallel::map(&scenarios, jobs, |scenario| bench::run(scenario, &emulator, &settings));
    let mut worst = Exit::Done;
    let mut failure = None;
    for ((scenario, result), rules) in scenarios.iter().zip(results).zip(rules) {
        match result {
            Ok(bench) => {
                let place = Place { started, alone: scenarios.len() == 1, png: args.png };
                worst = worse(worst, present(scenario, bench, &emulator, &rules, global, &place)?);
            }
            Err(fault) => failure = failure.or(Some(refusal(scenario, fault))),
        }
    }
    failure.map_or(Ok(worst), Err)
}

/// The scenario's expectations and the command line's requirements.
fn demands(scenario: &Scenario, global: &Global) -> anyhow::Result<Vec<Rule>> {
    guest::kind_of(&scenario.guest).map_err(|error| usage(format!("lab: {}: {error}", scenario.name)))?;
    let expected = scenario.expect.iter().map(|expression| {
        expression.parse::<Rule>().map_err(|error| usage(format!("scenario {}: expect: {error}", scenario.name)))
    });
    expected.chain(rules(global)?.into_iter().map(Ok)).collect()
}

/// A failed requirement outweighs an undecided one.
fn worse(one: Exit, other: Exit) -> Exit {
    if one == Exit::Failed || other == Exit::Done { one } else { other }
}

/// Where a run goes.
struct Place {
    started: Timestamp,
    alone: bool,
    png: bool,
}

fn present(
    scenario: &Scenario,
    mut bench: BenchRun,
    emulator: &Emulator,
    rules: &[Rule],
    global: &Global,
    place: &Place,
) -> anyhow::Result<Exit> {
    let out: Option<PathBuf> =
        global.out.as_ref().map(|out| if place.alone { out.clone() } else { out.join(&scenario.name) });
    let folder = RunFolder::create(out.as_deref(), &format!("lab-{}", scenario.name), place.started)?;
    let judged = judge(scenario, &mut bench.recording.edges);
    let pictures: Vec<Section> = judged.iter().map(|judged| section(scenario, &bench, judged)).collect();
    keep(&folder, &bench)?;
    if place.png {
        judged.iter().try_for_each(|judged| write_png(&folder, scenario, &bench, judged))?;
    }
    let mut run = run_of(scenario, &bench, emulator, global.seed, place.started);
    judged.into_iter().flat_map(|judged| judged.answered).for_each(|answered| answered.add_to(&mut run));
    deliver(run, rules, &folder, global, Output { text: &text, file: None, pictures: &pictures })
}

/// Everything from which the figures could be made again.
fn keep(folder: &RunFolder, bench: &BenchRun) -> anyhow::Result<()> {
    let mut dump = Vec::new();
    vcd_write::write(&bench.recording.edges, &mut dump)?;
    folder.write("edges.vcd", &dump)?;
    folder.write("edges.bin", &std::fs::read(bench.edges_path())?)?;
    folder.write("console.txt", bench.console.as_bytes())?;
    if bench.recording.channel_bytes > 0 {
        folder.write("channel.bin", &std::fs::read(bench.channel_path())?)?;
    }
    Ok(())
}

fn section(scenario: &Scenario, bench: &BenchRun, judged: &Judged) -> Section {
    let edges = &bench.recording.edges;
    let stimulus = edges.line(judged.stimulus).expect("it was judged");
    screens::section(edges, stimulus, &judged.answered, &scenario.about, judged.stimulus)
}

fn write_png(folder: &RunFolder, scenario: &Scenario, bench: &BenchRun, judged: &Judged) -> anyhow::Result<()> {
    let edges = &bench.recording.edges;
    let stimulus = edges.line(judged.stimulus).expect("it was judged");
    for (kind, name) in screens::KINDS {
        let picture = screens::screen(edges, stimulus, &judged.answered, &scenario.about, kind);
        folder.write(&format!("{}-{name}.png", judged.stimulus), &picture.png())?;
    }
    Ok(())
}
