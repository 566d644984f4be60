// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab tune`: what words of the boot line make of a Linux guest's answers, in instructions, by function.
use super::meant::refused;
use super::{Boot, Common, bad_scenario, emulator, settings};
use crate::console::{columns, print};
use crate::exit::{Exit, usage};
use crate::lab::bench::Settings;
use crate::lab::emulator::Emulator;
use crate::lab::parallel;
use crate::lab::scenario::Scenario;
use crate::lab::shipped;
use crate::lab::trail::answer::Which;
use crate::lab::trail::entered::{BadEntry, Explained, Subject};
use crate::options::Global;
use crate::progress::Activity;
use crate::report::trail::{tuned, tuned_functions};
use crate::scope::trail::tuned::{Answers, Tuned};
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

/// What is tried where nothing is named. Words that keep processors apart want a second processor, which the lab has not.
const USUAL: [&str; 8] = [
    "threadirqs",
    "preempt=none",
    "preempt=full",
    "mitigations=off",
    "rcu_nocbs=0",
    "nohz=off",
    "idle=poll",
    "isolcpus=0 nohz_full=0",
];

/// A word that no kernel knows and none hands on: what differs with it comes from when the answers fall, which a longer boot line moves.
const NO_WORD: &str = "backwall.nothing";

/// A guest with its answers.
struct Tried {
    guest: String,
    median: Explained,
    worst: u64,
}

/// Runs the guest without any of them, then with each, and divides each difference.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenario = shipped::find_only(&args.scenario).map_err(bad_scenario)?;
    let emulator = emulator(scenario.machine)?;
    let settings = Settings { modes: scenario.machine.modes, ..settings(&args.common, Boot { fresh: false }, global)? };
    let asked: Vec<&str> =
        if args.boot.is_empty() { USUAL.to_vec() } else { args.boot.iter().map(String::as_str).collect() };
    let words: Vec<&str> = std::iter::once(NO_WORD).chain(asked).collect();
    let scenarios: Vec<Scenario> = words.iter().map(|words| with(&scenario, words)).collect::<anyhow::Result<_>>()?;
    let shown = Activity::begin(global.quiet, || "booting a guest for each trial".to_string());
    let tried = |scenario: &Scenario| tried(scenario, args.line.as_deref(), &emulator, &settings);
    let name = |fault| refused(&args.scenario, fault);
    let without = tried(&scenario).map_err(name)?;
    let results = parallel::map(&scenarios, parallel::jobs(args.jobs), tried);
    drop(shown);
    let mut rows = Vec::new();
    for (words, result) in words.iter().zip(results) {
        let with = result.map_err(|fault| refused(&format!("{} with {words}", args.scenario), fault))?;
        rows.push(Tuned::of(words, answers(&with), [&without.median.visits, &with.median.visits]));
    }
    tell(args, global, &without, &rows)?;
    Ok(Exit::Done)
}

fn tell(args: &Args, global: &Global, without: &Tried, rows: &[Tuned]) -> anyhow::Result<()> {
    if global.json {
        let told = json!({ "guest": without.guest, "line": without.median.entered.answer.line, "without": answers(without), "with": rows });
        return print(&(serde_json::to_string_pretty(&told)? + "\n"));
    }
    let (line, guest) = (&without.median.entered.answer.line, &without.guest);
    let head = format!("{}: {guest}, line {line}", args.scenario);
    let tables = [tuned(answers(without), rows), tuned_functions(rows)].map(|grid| grid.text(columns()));
    print(&format!("{head}\n\n{}", tables.join("\n")))
}

fn with(scenario: &Scenario, words: &str) -> anyhow::Result<Scenario> {
    let boot = [scenario.boot.as_str(), words].join(" ").trim().to_string();
    let with = Scenario { boot, ..scenario.clone() };
    match with.fault_of_boot() {
        Some(fault) => Err(usage(format!("lab: {}: {fault}", scenario.name))),
        None => Ok(with),
    }
}

fn tried(scenario: &Scenario, line: Option<&str>, emulator: &Emulator, settings: &Settings) -> Result<Tried, BadEntry> {
    let subject = Subject::of_scenario(scenario.clone(), emulator, settings)?;
    let median = subject.explain(subject.find(line, Which::Median)?, emulator, settings)?;
    let worst = subject.find(line, Which::Worst(1))?.latency();
    Ok(Tried { guest: median.entered.guest.clone(), median, worst })
}

fn answers(tried: &Tried) -> Answers {
    Answers { median: tried.median.entered.answer.latency(), worst: tried.worst }
}
