// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab`: the bench in a box.
//!
//! - `bisect`: `backwall lab bisect`: the first revision of a guest's sources that fails a requirement
//! - `cost`: `backwall lab cost`: executed instructions of a wake-up, of the probe and of others
//! - `diff`: `backwall lab diff`: what each function adds to the difference of two answers
//! - `explain`: `backwall lab explain`: one answer as the functions that were executed between its edge and it
//! - `masked`: `backwall lab masked`: the longest stretches in which a guest let no interrupt through
//! - `meant`: which answer of which run is meant, by those who look at one to the instruction
//! - `replay`: `backwall lab replay`: goes to an answer again, and stands at its edge where a debugger is wanted
//! - `run`: `backwall lab run`: scenarios side by side, each with its own run folder
//! - `saturate`: `backwall lab saturate`: the highest frequencies that guests bear
//! - `sweep`: `backwall lab sweep`: every arrival instant of a span
//! - `together`: one page for all runs of a command, which leads to the page of each
//! - `tune`: `backwall lab tune`: what words of the boot line make of a Linux guest's answers
mod bisect;
mod cost;
mod diff;
mod explain;
mod masked;
mod meant;
mod replay;
mod run;
pub(super) mod saturate;
mod sweep;
mod together;
mod tune;

use crate::deliver;
use crate::examples;
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::Global;
use backwall_judge::require::{Demands, Rule};
use backwall_lab::bench::{BenchFault, BenchRun, Settings};
use backwall_lab::emulator::{Emulator, NoEmulator};
use backwall_lab::guest;
use backwall_lab::machine::Machine;
use backwall_lab::result;
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::{BadScenario, Scenario};
use backwall_lab::shipped::{self, GROUPS};
use backwall_model::Run;
use backwall_model::units::Nanoseconds;
use backwall_os::console::complain;
use backwall_os::parallel;
use backwall_runner::Stop;
use backwall_runner::device::probe::{Catalogue, Probe};
use jiff::Timestamp;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `backwall lab`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    global: Global,
}

/// What the bench is to do.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Print the shipped scenarios, one a line, the name first
    #[command(after_help = examples::LAB_LIST)]
    List,
    /// Run scenarios: generator, guest, scope
    #[command(after_help = examples::LAB_RUN)]
    Run(run::Args),
    /// Find the highest frequencies a guest bears: MF-ISR, MF-IST, MF-APP, and SF of its load
    #[command(after_help = examples::LAB_SATURATE)]
    Saturate(saturate::Args),
    /// Try every arrival instant of a span, one instruction apart, and find the longest masked stretch
    #[command(after_help = examples::LAB_SWEEP)]
    Sweep(sweep::Args),
    /// Show one answer as the functions that were executed between its edge and it, to the instruction
    #[command(after_help = examples::LAB_EXPLAIN)]
    Explain(explain::Args),
    /// Divide the difference of two guests, kernels or scenarios by function, to the instruction
    #[command(after_help = examples::LAB_DIFF)]
    Diff(diff::Args),
    /// List the longest stretches in which a guest let no interrupt through, by who began and who ended them
    #[command(after_help = examples::LAB_MASKED)]
    Masked(masked::Args),
    /// Go to one answer of a run again, identical, and stand at its edge where a debugger is wanted
    #[command(after_help = examples::LAB_REPLAY)]
    Replay(replay::Args),
    /// Count the instructions of a wake-up, user and kernel mode apart: of the probe, of cyclictest, of any program
    #[command(after_help = examples::LAB_COST)]
    Cost(cost::Args),
    /// Try words of the boot line on a Linux guest: what each makes of its answers, in instructions and by function
    #[command(after_help = examples::LAB_TUNE)]
    Tune(tune::Args),
    /// Find the first revision of a guest's sources that fails a requirement: build, run, halve
    #[command(after_help = examples::LAB_BISECT)]
    Bisect(bisect::Args),
}

/// What all actions on the bench take.
#[derive(clap::Args, Clone, Copy, Debug)]
struct Common {
    /// Give up on a guest after this time [default: the scenario's]
    #[arg(long, value_name = "TIME", value_parser = backwall_model::units::duration)]
    wall_limit: Option<Nanoseconds>,
}

/// How guests get to where they answer.
#[derive(clap::Args, Clone, Copy, Debug)]
struct Boot {
    /// Boot each guest, and keep no saved state of it
    #[arg(long)]
    fresh: bool,
}

/// Carries the command out.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let global = &args.global;
    match &args.action {
        Action::List => list(global),
        Action::Run(args) => run::run(args, global),
        Action::Saturate(args) => saturate::run(args, global),
        Action::Sweep(args) => sweep::run(args, global),
        Action::Explain(args) => explain::run(args, global),
        Action::Diff(args) => diff::run(args, global),
        Action::Masked(args) => masked::run(args, global),
        Action::Replay(args) => replay::run(args, global),
        Action::Cost(args) => cost::run(args, global),
        Action::Tune(args) => tune::run(args, global),
        Action::Bisect(args) => bisect::run(args, global),
    }
}

fn list(global: &Global) -> anyhow::Result<Exit> {
    let scenarios: Vec<Scenario> = shipped::all().collect::<Result<_, _>>().map_err(bad_scenario)?;
    let scenarios = scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario.about.as_str()));
    let lines: Vec<(&str, &str)> = scenarios.chain(GROUPS.iter().map(|group| (group.name, group.about))).collect();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let one = |(name, about): &(&str, &str)| json!({ "name": name, "about": about });
    let text = || lines.iter().map(|(name, about)| format!("{name:width$}  {about}\n")).collect();
    global.show(|| lines.iter().map(one).collect::<Vec<_>>(), text)?;
    Ok(Exit::Done)
}

/// What several scenarios at once take.
#[derive(clap::Args, Debug)]
struct Several {
    /// Names from `backwall lab list`, or files ending in .toml
    #[arg(required = true, value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    /// How many scenarios, and trials of a search, run at a time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Another machine of the bench than the scenarios name: x86-pc, arm64-virt or riscv64-virt
    #[arg(long, value_name = "MACHINE", value_parser = Machine::named)]
    machine: Option<&'static Machine>,
    #[command(flatten)]
    boot: Boot,
    #[command(flatten)]
    common: Common,
}

impl Several {
    fn find(&self) -> anyhow::Result<Vec<Scenario>> {
        let found: Vec<Vec<Scenario>> =
            self.scenarios.iter().map(|name| shipped::find(name)).collect::<Result<_, _>>().map_err(bad_scenario)?;
        let found = found.into_iter().flatten();
        match self.machine {
            Some(machine) => found.map(|scenario| scenario.on(machine)).collect::<Result<_, _>>().map_err(bad_scenario),
            None => Ok(found.collect()),
        }
    }

    fn jobs(&self) -> usize {
        parallel::jobs(self.jobs)
    }
}

/// Where the run of one of `count` scenarios goes: `--out` itself for a single one.
fn out_of(global: &Global, scenario: &Scenario, count: usize) -> Option<PathBuf> {
    global.out.as_ref().map(|out| if count == 1 { out.clone() } else { out.join(&scenario.name) })
}

fn no_emulator(fault: NoEmulator) -> anyhow::Error {
    unable(fault.to_string())
}

fn emulator(machine: &'static Machine) -> anyhow::Result<Emulator> {
    Emulator::find(machine).map_err(no_emulator)
}

fn settings(common: &Common, boot: Boot, global: &Global) -> anyhow::Result<Settings> {
    let wall_limit = common.wall_limit.map(|limit| Duration::from_nanos(limit.0));
    let states = if boot.fresh { None } else { shelf() };
    Ok(Settings { seed: global.seed(), wall_limit, states, stop: Stop::on_signals()?, ..Settings::default() })
}

/// Where the states of guests are kept; without one they boot.
fn shelf() -> Option<Shelf> {
    Shelf::of_user().map_err(|error| complain(&format!("lab: no saved states: {error}"))).ok()
}

/// The scenario's expectations and the command line's requirements, all about series that the scenario will give.
fn demands(scenario: &Scenario, global: &Global) -> anyhow::Result<Demands> {
    guest::kind_for(scenario).map_err(|error| usage(format!("lab: {}: {error}", scenario.name)))?;
    held(scenario, rules(scenario, global)?)
}

/// The same as rules, whatever they will be held against.
pub(super) fn rules(scenario: &Scenario, global: &Global) -> anyhow::Result<Vec<Rule>> {
    Ok(expected(scenario)?.into_iter().chain(global.rules()?).collect())
}

/// What the scenario expects.
pub(super) fn expected(scenario: &Scenario) -> anyhow::Result<Vec<Rule>> {
    let read = |expression: &String| {
        expression.parse::<Rule>().map_err(|error| usage(format!("scenario {}: expect: {error}", scenario.name)))
    };
    scenario.expect.iter().map(read).collect()
}

/// Requirements held against the series that the scenario will give, where that is known.
fn held(scenario: &Scenario, rules: Vec<Rule>) -> anyhow::Result<Demands> {
    // The probe in a guest is made of the same measures as the one that this tool carries.
    let catalogue = if scenario.stream { Probe::carried()?.catalogue()? } else { Catalogue::default() };
    match result::planned(scenario, |measure| catalogue.figures_of(measure)) {
        Some(planned) => deliver::applicable(rules, planned),
        None => Ok(Demands::without_plan(rules)),
    }
}

/// A run of the scenario with all but its series.
fn run_of(scenario: &Scenario, bench: &BenchRun, emulator: &Emulator, global: &Global, started: Timestamp) -> Run {
    result::run_of(scenario, bench, emulator, global.seed(), invocation::words(), started)
}

fn bad_scenario(error: BadScenario) -> anyhow::Error {
    usage(error.to_string())
}

fn refusal(scenario: &Scenario, fault: BenchFault) -> anyhow::Error {
    refusal_of(&scenario.name, fault)
}

fn refusal_of(name: &str, fault: BenchFault) -> anyhow::Error {
    fault.refusal(name)
}
