// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab run`: scenarios side by side, each with its own run folder.
use super::{Several, demands, no_emulator, out_of, refusal, run_of, saturate, settings, together};
use crate::command::deliver::{Delivery, Output};
use crate::console;
use crate::exit::Exit;
use crate::lab::bench::{self, BenchRun, Settings};
use crate::lab::emulator::Emulators;
use crate::lab::own_trace::TRACE;
use crate::lab::result::{divide, judge};
use crate::lab::scenario::Scenario;
use crate::lab::{parallel, shipped, stream};
use crate::options::Global;
use crate::probe::Probe;
use crate::progress::Activity;
use crate::report::paper::{
    by_mode, completions, is_beside_systems, latencies, phase_text, published_latencies, timing,
};
use crate::report::{interference, interference_text, osbench};
use crate::require::Demands;
use crate::run::{Picture, Run};
use crate::scope::{screens::screens, vcd_write};
use crate::store::RunFolder;
use anyhow::Context as _;
use jiff::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let demands: Vec<Demands> = scenarios.iter().map(|scenario| demands(scenario, global)).collect::<Result<_, _>>()?;
    let emulators = Emulators::find(&scenarios).map_err(no_emulator)?;
    let settings = Settings { modes: true, ..settings(&args.several.common, args.several.boot, global)? };
    let presenter = Presenter { emulators: &emulators, global, png: args.png, started: Timestamp::now() };
    let groups = groups(args);
    let mut delivery = Delivery::of(global, scenarios.len() > 1 || !groups.is_empty());
    let folders: Vec<RunFolder> =
        scenarios.iter().map(|scenario| presenter.folder(scenario, scenarios.len())).collect::<anyhow::Result<_>>()?;
    let results = run_all(&scenarios, args.several.jobs(), global.quiet, |scenario| {
        bench::run(scenario, emulators.of(scenario), &settings)
    });
    let mut pulsed = Vec::new();
    for (((scenario, result), demands), folder) in scenarios.iter().zip(results).zip(demands).zip(&folders) {
        match result {
            Ok(bench) => pulsed.extend(presenter.present(scenario, bench, &demands, folder, &mut delivery)?),
            Err(fault) => delivery.fail(refusal(scenario, fault)),
        }
    }
    compare(&pulsed, &delivery)?;
    let searched = search(groups, args, global, &mut delivery)?;
    let all: Vec<&RunFolder> = folders.iter().chain(&searched).collect();
    together::draw(&args.several.scenarios, &all, (global, presenter.started), &delivery)?;
    delivery.finish()
}

/// Several runs side by side, and the paper's where they are of systems.
fn compare(pulsed: &[Run], delivery: &Delivery<'_>) -> anyhow::Result<()> {
    if pulsed.len() < 2 {
        return Ok(());
    }
    let runs: Vec<&Run> = pulsed.iter().collect();
    let table_1 = timing::timing(&runs).into_iter().flat_map(|ours| [ours, timing::published()]);
    let papers = is_beside_systems(&runs).then(published_latencies);
    let grids = [latencies(&runs)].into_iter().chain(papers);
    let grids = grids.chain(completions(&runs)).chain(by_mode(&runs)).chain(table_1);
    grids.into_iter().try_for_each(|grid| delivery.say(&format!("\n{}", grid.text(console::columns()))))
}

/// The frequencies of the groups to whose result they belong, where all went well so far.
fn search(
    groups: Vec<String>,
    args: &Args,
    global: &Global,
    delivery: &mut Delivery<'_>,
) -> anyhow::Result<Vec<RunFolder>> {
    if !delivery.is_whole() || groups.is_empty() {
        return Ok(Vec::new());
    }
    let Several { jobs, boot, common, .. } = args.several;
    saturate::search_all(&Several { scenarios: groups, jobs, boot, common }, global, "-saturate", delivery)
}

/// All on `jobs` threads, while progress says how many are done.
fn run_all<R: Send>(scenarios: &[Scenario], jobs: usize, quiet: bool, each: impl Fn(&Scenario) -> R + Sync) -> Vec<R> {
    let (done, all) = (Arc::new(AtomicUsize::new(0)), scenarios.len());
    let counted = done.clone();
    let _shown = Activity::begin(quiet, move || format!("{} of {all} scenarios done", counted.load(Ordering::Relaxed)));
    parallel::map(scenarios, jobs, |scenario| {
        let result = each(scenario);
        done.fetch_add(1, Ordering::Relaxed);
        result
    })
}

/// The groups among the names whose frequencies belong to the result.
fn groups(args: &Args) -> Vec<String> {
    let saturated = |name: &&String| shipped::group(name).is_some_and(|group| group.saturate);
    args.several.scenarios.iter().filter(saturated).cloned().collect()
}

/// What all runs of one command share.
struct Presenter<'a> {
    emulators: &'a Emulators,
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

    /// Delivers the run. What remains of it, without its pictures, stands beside the others where a generator gave
    /// pulses; else all that there is comes from the guest's stream.
    fn present(
        &self,
        scenario: &Scenario,
        mut bench: BenchRun,
        demands: &Demands,
        folder: &RunFolder,
        delivery: &mut Delivery<'_>,
    ) -> anyhow::Result<Option<Run>> {
        let mut judged = judge(scenario, &mut bench.recording.edges);
        keep(scenario, folder, &bench)?;
        let mut run = run_of(scenario, &bench, self.emulators.of(scenario), self.global, self.started);
        run.values.extend(divide(&mut judged, &bench.recording.modes));
        for judged in judged {
            let edges = &bench.recording.edges;
            let stimulus = edges.line(judged.stimulus).expect("it was judged");
            run.pictures.push(Picture::Screens(screens(edges, stimulus, &judged.answered, &scenario.about)));
            judged.answered.into_iter().for_each(|answered| answered.add_to(&mut run));
        }
        if scenario.stream {
            let channel = std::fs::File::open(bench.channel_path()).context("the guest's stream")?;
            if stream::is_of_operations(scenario) {
                stream::add_operations(&mut run, scenario, &Probe::carried()?.catalogue()?.operations, channel);
            } else {
                stream::add_to(&mut run, scenario, std::io::BufReader::new(channel));
            }
        }
        let pulsed = scenario.generator.used().next().is_some();
        let remains = pulsed.then(|| Run { pictures: Vec::new(), ..run.clone() });
        let operations = |run: &Run| osbench::text(run, console::columns(), true);
        let sieve = |run: &Run| interference_text::text(run, console::columns());
        let text = match (osbench::is_of(&run), interference::of(&run)) {
            (true, _) => Some(&operations as &dyn Fn(&Run) -> String),
            (false, Some(_)) => Some(&sieve as &dyn Fn(&Run) -> String),
            (false, None) => None,
        };
        let also = phase_text(&run);
        delivery.take(run, demands, folder, &Output { also: &also, png: self.png, text, ..Output::USUAL })?;
        Ok(remains)
    }
}

/// Everything from which the figures could be made again.
fn keep(scenario: &Scenario, folder: &RunFolder, bench: &BenchRun) -> anyhow::Result<()> {
    folder.stream("edges.vcd", |file| vcd_write::write(&bench.recording.edges, file))?;
    folder.copy("edges.bin", &bench.edges_path())?;
    folder.write("console.txt", bench.console.as_bytes())?;
    if bench.recording.channel_bytes > 0 {
        let name = if traces_itself(scenario) { TRACE } else { "channel.bin" };
        folder.copy(name, &bench.channel_path())?;
    }
    Ok(())
}

/// Whether the guest's kernel traces itself; then nothing else goes through the channel.
fn traces_itself(scenario: &Scenario) -> bool {
    scenario.options.split_whitespace().any(|word| word.starts_with("bench-trace="))
}
