// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab run`: scenarios side by side, each with its own run folder.
use super::{Several, demands, emulator, out_of, refusal, run_of, saturate, settings};
use crate::command::deliver::{Output, deliver};
use crate::console::print;
use crate::exit::Exit;
use crate::lab::bench::{self, BenchRun};
use crate::lab::emulator::Emulator;
use crate::lab::result::judge;
use crate::lab::scenario::Scenario;
use crate::lab::{parallel, shipped, stream};
use crate::options::Global;
use crate::report::paper::latencies;
use crate::require::Rule;
use crate::run::{Picture, Run};
use crate::scope::{screens::screens, vcd_write};
use crate::store::RunFolder;
use anyhow::Context as _;
use jiff::Timestamp;

/// Arguments of `backwall lab run`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    several: Several,
    /// Also write the pictures as PNG files
    #[arg(long)]
    png: bool,
}

/// Runs all, then delivers each in the order given; the worst exit code counts.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenarios = args.several.find()?;
    let rules: Vec<Vec<Rule>> = scenarios.iter().map(|scenario| demands(scenario, global)).collect::<Result<_, _>>()?;
    let emulator = emulator()?;
    let settings = settings(&args.several.common, global, false)?;
    let presenter = Presenter { emulator: &emulator, global, png: args.png, started: Timestamp::now() };
    let folders: Vec<RunFolder> =
        scenarios.iter().map(|scenario| presenter.folder(scenario, scenarios.len())).collect::<anyhow::Result<_>>()?;
    let results = parallel::map(&scenarios, args.several.jobs(), |scenario| bench::run(scenario, &emulator, &settings));
    let mut presented = Vec::new();
    let mut failure = None;
    for (((scenario, result), rules), folder) in scenarios.iter().zip(results).zip(rules).zip(folders) {
        match result {
            Ok(bench) => presented.push(presenter.present(scenario, bench, &rules, &folder)?),
            Err(fault) => failure = failure.or(Some(refusal(scenario, fault))),
        }
    }
    let pulsed = presented.iter().filter(|one| one.pulsed).count();
    if pulsed > 1 && !global.json && !global.quiet {
        print(&format!("\n{}", side_by_side(&presented)))?;
    }
    if failure.is_none() {
        search_groups(args, global)?;
    }
    failure.map_or(Ok(presented.iter().fold(Exit::Done, |worst, one| worse(worst, one.exit))), Err)
}

/// The groups whose frequencies belong to the result.
fn search_groups(args: &Args, global: &Global) -> anyhow::Result<()> {
    let named = |name: &&String| shipped::group(name).is_some_and(|group| group.saturate);
    let groups: Vec<String> = args.several.scenarios.iter().filter(named).cloned().collect();
    if groups.is_empty() {
        return Ok(());
    }
    let common = super::Common { wall_limit: args.several.common.wall_limit };
    let several = Several { scenarios: groups, jobs: args.several.jobs, common };
    saturate::search_all(&saturate::Args { several }, global).map(|_| ())
}

/// A failed requirement outweighs an undecided one.
fn worse(one: Exit, other: Exit) -> Exit {
    if one == Exit::Failed || other == Exit::Done { one } else { other }
}

/// What remains of a run that was delivered.
struct Presented {
    /// A generator gave pulses; else all that there is comes from the guest's stream.
    pulsed: bool,
    /// Without its pictures.
    run: Run,
    exit: Exit,
}

fn side_by_side(presented: &[Presented]) -> String {
    let runs: Vec<&Run> = presented.iter().filter(|one| one.pulsed).map(|one| &one.run).collect();
    latencies(&runs).text()
}

/// What all runs of one command share.
struct Presenter<'a> {
    emulator: &'a Emulator,
    global: &'a Global,
    png: bool,
    started: Timestamp,
}

impl Presenter<'_> {
    /// Made before anything runs: a folder that cannot be written must not cost a run.
    fn folder(&self, scenario: &Scenario, count: usize) -> anyhow::Result<RunFolder> {
        let out = out_of(self.global, scenario, count);
        RunFolder::create(out.as_deref(), &format!("lab-{}", scenario.name), self.started)
    }

    fn present(
        &self,
        scenario: &Scenario,
        mut bench: BenchRun,
        rules: &[Rule],
        folder: &RunFolder,
    ) -> anyhow::Result<Presented> {
        let judged = judge(scenario, &mut bench.recording.edges);
        keep(folder, &bench)?;
        let mut run = run_of(scenario, &bench, self.emulator, self.global, self.started);
        for judged in judged {
            let edges = &bench.recording.edges;
            let stimulus = edges.line(judged.stimulus).expect("it was judged");
            run.pictures.push(Picture::Screens(screens(edges, stimulus, &judged.answered, &scenario.about)));
            judged.answered.into_iter().for_each(|answered| answered.add_to(&mut run));
        }
        if scenario.stream {
            let channel = std::fs::File::open(bench.channel_path()).context("the guest's stream")?;
            stream::add_to(&mut run, scenario, std::io::BufReader::new(channel));
        }
        let pulsed = scenario.generator.used().next().is_some();
        let remains = Run { pictures: Vec::new(), ..run.clone() };
        let exit = deliver(run, rules, folder, self.global, Output { png: self.png, ..Output::TABLE })?;
        Ok(Presented { pulsed, run: remains, exit })
    }
}

/// Everything from which the figures could be made again.
fn keep(folder: &RunFolder, bench: &BenchRun) -> anyhow::Result<()> {
    let mut dump = Vec::new();
    vcd_write::write(&bench.recording.edges, &mut dump)?;
    folder.write("edges.vcd", &dump)?;
    folder.copy("edges.bin", &bench.edges_path())?;
    folder.write("console.txt", bench.console.as_bytes())?;
    if bench.recording.channel_bytes > 0 {
        folder.copy("channel.bin", &bench.channel_path())?;
    }
    Ok(())
}
