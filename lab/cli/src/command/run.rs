// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab run`: runs scenarios in parallel, each with its own run folder.
use super::{Several, demands, no_emulator, out_of, refusal, run_of, saturate, settings, together};
use backwall::deliver::{Delivery, Output};
use backwall::exit::Exit;
use backwall::options::{Pictures, RunOutput, Verbose};
use backwall_judge::require::Demands;
use backwall_lab::batch::place::SKIPPED;
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::emulator::Emulators;
use backwall_lab::result;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;
use backwall_model::Run;
use backwall_os::console;
use backwall_os::console::progress::each_of;
use backwall_report::paper::{
    by_mode, completions, is_beside_systems, latencies, phase_text, published_latencies, timing,
};
use backwall_report::{interference, interference_text, osbench};
use backwall_store::RunFolder;
use jiff::Timestamp;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    several: Several,
    #[command(flatten)]
    pictures: Pictures,
    /// Store why a guest failed in the run's folder
    #[arg(long, hide = true)]
    keep_fault: bool,
    #[command(flatten)]
    output: RunOutput,
    #[command(flatten)]
    verbose: Verbose,
}

/// Runs all scenarios, then delivers their runs in the given order. The worst exit code counts.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let scenarios = args.several.find()?;
    let demands: Vec<Demands> =
        scenarios.iter().map(|scenario| demands(scenario, &args.output.requirements)).collect::<Result<_, _>>()?;
    let emulators = Emulators::find(&scenarios).map_err(no_emulator)?;
    let settings = Settings { modes: true, ..settings(&args.several.common, args.several.boot)? };
    let presenter = Presenter { emulators: &emulators, args, started: Timestamp::now() };
    let groups = groups(args);
    let mut delivery = Delivery::of(args.output.printing, scenarios.len() > 1 || !groups.is_empty());
    let folders: Vec<RunFolder> =
        scenarios.iter().map(|scenario| presenter.folder(scenario, scenarios.len())).collect::<anyhow::Result<_>>()?;
    let results = each_of(&scenarios, args.several.jobs(), "scenarios done", args.output.printing.quiet, |scenario| {
        bench::run(scenario, emulators.of(scenario), &settings)
    });
    let mut pulsed = Vec::new();
    for (((scenario, result), demands), folder) in scenarios.iter().zip(results).zip(demands).zip(&folders) {
        match result {
            Ok(bench) => pulsed.extend(presenter.present(scenario, bench, &demands, folder, &mut delivery)?),
            Err(fault) => {
                if args.keep_fault && fault.is_of_guest() {
                    folder.write(SKIPPED, fault.short().as_bytes())?;
                }
                delivery.fail(refusal(scenario, fault));
            }
        }
    }
    compare(&pulsed, &delivery)?;
    let searched = search(groups, args, &mut delivery)?;
    let all: Vec<&RunFolder> = folders.iter().chain(&searched).collect();
    together::draw(&args.several.scenarios, &all, (&args.output.destination, presenter.started), &delivery)?;
    delivery.finish()
}

/// Draws several runs on one page, with the paper's figures if the runs are of the paper's systems.
fn compare(pulsed: &[Run], delivery: &Delivery) -> anyhow::Result<()> {
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

/// If all runs succeeded so far, searches the saturation frequencies of the groups whose results include such frequencies.
fn search(groups: Vec<String>, args: &Args, delivery: &mut Delivery) -> anyhow::Result<Vec<RunFolder>> {
    if !delivery.is_whole() || groups.is_empty() {
        return Ok(Vec::new());
    }
    let Several { guests, machine, boot, common, .. } = args.several;
    saturate::search_all(
        &Several { scenarios: groups, guests, machine, boot, common },
        (args.output.printing, &args.output.destination),
        "-saturate",
        delivery,
    )
}

fn groups(args: &Args) -> Vec<String> {
    let saturated = |name: &&String| shipped::group(name).is_some_and(|group| group.saturate);
    args.several.scenarios.iter().filter(saturated).cloned().collect()
}

struct Presenter<'a> {
    emulators: &'a Emulators,
    args: &'a Args,
    started: Timestamp,
}

impl Presenter<'_> {
    /// Creates the folder before anything runs, so that an unwritable folder costs no run.
    fn folder(&self, scenario: &Scenario, count: usize) -> anyhow::Result<RunFolder> {
        let out = out_of(&self.args.output.destination, scenario, count);
        Ok(RunFolder::create(out.as_deref(), &format!("lab-{}", scenario.name), self.started)?)
    }

    /// Stores the run. If a generator gave pulses, the rest of the recording is stored too, without pictures. Without a
    /// generator, the guest's stream contains all data.
    fn present(
        &self,
        scenario: &Scenario,
        mut bench: BenchRun,
        demands: &Demands,
        folder: &RunFolder,
        delivery: &mut Delivery,
    ) -> anyhow::Result<Option<Run>> {
        let judged = result::judge(scenario, &mut bench.recording.edges);
        result::keep(scenario, folder, &bench)?;
        let mut run = run_of(scenario, &bench, self.emulators.of(scenario), &self.args.several.common, self.started);
        result::complete(&mut run, scenario, &mut bench, judged)?;
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
        delivery.take(
            run,
            demands,
            folder,
            &Output {
                also: &also,
                png: self.args.pictures.png,
                text,
                verbose: self.args.verbose.verbose,
                ..Output::USUAL
            },
        )?;
        Ok(remains)
    }
}
