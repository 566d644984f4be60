// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands: one file each, with its arguments in `Args` and its work in `run`.
mod answer_options;
mod batch;
mod bisect;
mod cost;
mod diff;
mod explain;
mod irqsoff;
mod jobs;
mod one_scenario;
mod output_line;
mod replay;
mod run;
mod saturate;
mod sweep;
mod together;
mod tune;

use crate::examples;
use backwall::deliver;
use backwall::exit::{Exit, unable, usage};
use backwall::invocation;
use backwall::options::{Destination, Printing, Requirements, Seed};
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
use backwall_os::Stop;
use backwall_os::console::complain;
use backwall_os::parallel;
use backwall_runner::device::probe::{Catalogue, Probe};
use jiff::Timestamp;
use jobs::Jobs;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Subcommand, Debug)]
pub enum Action {
    /// List the shipped scenarios
    #[command(after_help = examples::LIST)]
    List(ListArgs),
    /// Run scenarios: generator, guest, scope
    #[command(after_help = examples::RUN)]
    Run(run::Args),
    /// Find the highest rates a guest sustains: MF-ISR, MF-IST, MF-APP, SF
    #[command(after_help = examples::SATURATE)]
    Saturate(saturate::Args),
    /// Try every arrival instant of a span; find the longest irqs-off section
    #[command(after_help = examples::SWEEP)]
    Sweep(sweep::Args),
    /// Show one answer function by function, to the instruction
    #[command(after_help = examples::EXPLAIN)]
    Explain(explain::Args),
    /// Divide the difference between two guests by function, to the instruction
    #[command(after_help = examples::DIFF)]
    Diff(diff::Args),
    /// List the longest sections with interrupts disabled, by function
    #[command(after_help = examples::IRQSOFF)]
    Irqsoff(irqsoff::Args),
    /// Repeat one answer of a run, with a debugger if you want
    #[command(after_help = examples::REPLAY)]
    Replay(replay::Args),
    /// Count instructions per wakeup: the probe, cyclictest, any program
    #[command(after_help = examples::COST)]
    Cost(cost::Args),
    /// Measure, in instructions, the effect of kernel command line options on Linux
    #[command(after_help = examples::TUNE)]
    Tune(tune::Args),
    /// Find the first revision of a guest that fails a requirement
    #[command(after_help = examples::BISECT)]
    Bisect(bisect::Args),
    /// Plan many lab runs, run them anywhere, merge them exactly
    #[command(after_help = examples::BATCH)]
    Batch(batch::Args),
}

#[derive(clap::Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    printing: Printing,
}

#[derive(clap::Args, Clone, Copy, Debug)]
struct Common {
    /// Give up on a guest after this time [default: the scenario's]
    #[arg(long, value_name = "TIME", value_parser = backwall_model::units::duration)]
    wall_limit: Option<Nanoseconds>,
    #[command(flatten)]
    seed: Seed,
}

#[derive(clap::Args, Clone, Copy, Debug)]
struct Boot {
    /// Boot each guest, and neither use nor keep saved states
    #[arg(long)]
    fresh: bool,
}

pub fn run(action: &Action) -> anyhow::Result<Exit> {
    match action {
        Action::List(args) => list(args),
        Action::Run(args) => run::run(args),
        Action::Saturate(args) => saturate::run(args),
        Action::Sweep(args) => sweep::run(args),
        Action::Explain(args) => explain::run(args),
        Action::Diff(args) => diff::run(args),
        Action::Irqsoff(args) => irqsoff::run(args),
        Action::Replay(args) => replay::run(args),
        Action::Cost(args) => cost::run(args),
        Action::Tune(args) => tune::run(args),
        Action::Bisect(args) => bisect::run(args),
        Action::Batch(args) => batch::run(args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<Exit> {
    let scenarios: Vec<Scenario> = shipped::all().collect::<Result<_, _>>().map_err(bad_scenario)?;
    // The compiler that was missing when this program was built. This program therefore has no guest for the scenario.
    let missing = |scenario: &Scenario| scenario.machine.bare.is_empty().then_some(scenario.machine.compiler);
    let scenarios =
        scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario.about.as_str(), missing(scenario)));
    let groups = GROUPS.iter().map(|group| (group.name, group.about, None));
    let lines: Vec<(&str, &str, Option<&str>)> = scenarios.chain(groups).collect();
    let width = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let one = |(name, about, missing): &(&str, &str, Option<&str>)| match missing {
        Some(compiler) => json!({ "name": name, "about": about, "built_without": compiler }),
        None => json!({ "name": name, "about": about }),
    };
    let text = || lines.iter().map(|(name, about, missing)| line(name, about, *missing, width)).collect();
    args.printing.show(|| lines.iter().map(one).collect::<Vec<_>>(), text)?;
    Ok(Exit::Done)
}

/// A scenario's line in the list, with a mark if this program has no guest for it.
fn line(name: &str, about: &str, missing: Option<&str>, width: usize) -> String {
    let mark = missing.map_or(String::new(), |compiler| format!(" (not in this build: {compiler} was missing)"));
    format!("{name:width$}  {about}{mark}\n")
}

#[derive(clap::Args, Debug)]
struct Several {
    /// Scenarios: names from `lab list`, or .toml files
    #[arg(required = true, value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    #[command(flatten)]
    guests: Jobs,
    /// Move the scenarios to x86-pc, arm64-virt or riscv64-virt
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
        parallel::jobs(self.guests.jobs)
    }
}

/// Where the run of one of `count` scenarios goes. The run of a single scenario goes into `--output` itself.
fn out_of(destination: &Destination, scenario: &Scenario, count: usize) -> Option<PathBuf> {
    destination.out.as_ref().map(|out| if count == 1 { out.clone() } else { out.join(&scenario.name) })
}

fn no_emulator(fault: NoEmulator) -> anyhow::Error {
    unable(fault.to_string())
}

fn emulator(machine: &'static Machine) -> anyhow::Result<Emulator> {
    Emulator::find(machine).map_err(no_emulator)
}

fn settings(common: &Common, boot: Boot) -> anyhow::Result<Settings> {
    let wall_limit = common.wall_limit.map(|limit| Duration::from_nanos(limit.0));
    let states = if boot.fresh { None } else { shelf() };
    Ok(Settings { seed: common.seed.seed, wall_limit, states, stop: Stop::on_signals()?, ..Settings::default() })
}

fn shelf() -> Option<Shelf> {
    Shelf::of_user()
        .map_err(|error| complain(&format!("lab: cannot use saved states, so every guest boots: {error}")))
        .ok()
}

/// The scenario's requirements and those of the command line, checked against the series that the scenario will give.
fn demands(scenario: &Scenario, requirements: &Requirements) -> anyhow::Result<Demands> {
    guest::kind_for(scenario).map_err(|error| usage(format!("lab: {}: {error}", scenario.name)))?;
    held(scenario, rules(scenario, requirements)?)
}

fn rules(scenario: &Scenario, requirements: &Requirements) -> anyhow::Result<Vec<Rule>> {
    Ok(expected(scenario)?.into_iter().chain(requirements.rules()?).collect())
}

fn expected(scenario: &Scenario) -> anyhow::Result<Vec<Rule>> {
    let read = |expression: &String| {
        expression.parse::<Rule>().map_err(|error| usage(format!("scenario {}: expect: {error}", scenario.name)))
    };
    scenario.expect.iter().map(read).collect()
}

/// Checks requirements against the series that the scenario will give, if they are known in advance.
fn held(scenario: &Scenario, rules: Vec<Rule>) -> anyhow::Result<Demands> {
    // The probe in a guest has the same measures as the carried one.
    let catalogue = if scenario.stream { Probe::carried()?.catalogue()? } else { Catalogue::default() };
    match result::planned(scenario, |measure| catalogue.figures_of(measure)) {
        Some(planned) => deliver::applicable(rules, planned),
        None => Ok(Demands::without_plan(rules)),
    }
}

fn run_of(scenario: &Scenario, bench: &BenchRun, emulator: &Emulator, common: &Common, started: Timestamp) -> Run {
    result::run_of(scenario, bench, emulator, common.seed.seed, invocation::words(), started)
}

fn bad_scenario(error: BadScenario) -> anyhow::Error {
    usage(error.to_string())
}

fn refusal(scenario: &Scenario, fault: BenchFault) -> anyhow::Error {
    refusal_of(&scenario.name, fault)
}

fn refusal_of(name: &str, fault: BenchFault) -> anyhow::Error {
    fault.refusal(name).into()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_scenario_whose_guest_this_build_lacks_is_marked() {
        assert_eq!(line("arm64-bare", "a guest", None, 12), "arm64-bare    a guest\n");
        let marked = line("arm64-bare", "a guest", Some("aarch64-linux-gnu-gcc"), 12);
        assert_eq!(marked, "arm64-bare    a guest (not in this build: aarch64-linux-gnu-gcc was missing)\n");
    }
}
