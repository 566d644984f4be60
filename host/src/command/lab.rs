// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab`: the bench in a box.
use crate::cli::{Global, print};
use crate::exit::{Exit, Refusal, unable, usage};
use crate::lab::bench::{self, BenchFault, BenchRun, Settings};
use crate::lab::emulator::Emulator;
use crate::lab::guest::{self, BadGuest};
use crate::lab::scenario::{BadScenario, Scenario};
use crate::lab::{parallel, shipped};
use crate::scope::pairing::{Rule, pair};
use crate::units::Nanoseconds;
use std::fmt::Write as _;
use std::time::Duration;

/// Arguments of `backwall lab`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What the bench is to do.
#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Print the shipped scenarios, one a line, the name first
    List,
    /// Run scenarios: generator, guest, scope
    Run(RunArgs),
}

#[derive(clap::Args, Debug)]
struct RunArgs {
    /// Names from `backwall lab list`, or files ending in .toml
    #[arg(required = true, value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    /// How many scenarios run at a time [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Give a guest up after this time [default: the scenario's]
    #[arg(long, value_name = "TIME", value_parser = crate::units::duration)]
    wall_limit: Option<Nanoseconds>,
}

/// Carries the command out.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.action {
        Action::List => list(),
        Action::Run(args) => run_scenarios(args, global),
    }
}

fn list() -> anyhow::Result<Exit> {
    let scenarios: Vec<Scenario> = shipped::all().collect::<Result<_, _>>().map_err(bad_scenario)?;
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for scenario in scenarios {
        writeln!(text, "{:width$}  {}", scenario.name, scenario.about)?;
    }
    print(&text)?;
    Ok(Exit::Done)
}

fn run_scenarios(args: &RunArgs, global: &Global) -> anyhow::Result<Exit> {
    let scenarios: Vec<Scenario> =
        args.scenarios.iter().map(|name| shipped::find(name)).collect::<Result<_, _>>().map_err(bad_scenario)?;
    let emulator = Emulator::find().map_err(|error| unable(error.to_string()))?;
    let settings = Settings {
        seed: global.seed,
        addresses: false,
        wall_limit: args.wall_limit.map(|limit| Duration::from_nanos(limit.0)),
    };
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let results = parallel::map(&scenarios, jobs, |scenario| bench::run(scenario, &emulator, &settings));
    for (scenario, result) in scenarios.iter().zip(results) {
        print(&counts(scenario, &result.map_err(|fault| refusal(scenario, fault))?)?)?;
    }
    Ok(Exit::Done)
}

fn bad_scenario(error: BadScenario) -> anyhow::Error {
    usage(error.to_string())
}

/// Input that is wrong is 2; everything the machine or the guest could not do is 4.
fn refusal(scenario: &Scenario, fault: BenchFault) -> anyhow::Error {
    let wrong_input = matches!(fault, BenchFault::Guest(BadGuest::Name { .. }));
    let exit = if wrong_input { Exit::Usage } else { Exit::Unable };
    Refusal { exit, text: format!("lab: {}: {fault}", scenario.name) }.into()
}

fn counts(scenario: &Scenario, run: &BenchRun) -> anyhow::Result<String> {
    let edges = &run.recording.edges;
    let mut text = format!("{}: {}, {:.1} s\n", scenario.name, run.description, run.seconds);
    let (kind, _) = guest::kind_of(&scenario.guest)?;
    let Some(stimulus) = edges.line("stimulus_a").or(edges.line("stimulus_b")) else { return Ok(text) };
    for line in kind.answers.iter().filter_map(|name| edges.line(name)) {
        let counts = pair(edges, stimulus, &[line], &Rule::default())[0].nearest.counts;
        writeln!(text, "  {}: {counts:?}", line.name)?;
    }
    Ok(text)
}
