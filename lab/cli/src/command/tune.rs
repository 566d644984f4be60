// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab tune`: the effect of kernel command line options on the answers of a Linux guest, as instructions
//! per function.
use super::answer_options::refused;
use super::output_line::OutputLine;
use super::{Boot, Common, bad_scenario, emulator, settings};
use crate::command::jobs::Jobs;
use backwall::exit::{Exit, usage};
use backwall::options::Printing;
use backwall_capture::trail::tuned::{Answers, Tuned};
use backwall_lab::bench::Settings;
use backwall_lab::shipped;
use backwall_lab::trail::tuned::{Trials, USUAL, scenarios, tried};
use backwall_os::console::progress::Activity;
use backwall_os::console::{columns, complain};
use backwall_os::parallel;
use backwall_report::trail::{tuned, tuned_functions};
use serde_json::json;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Linux scenarios: names from `lab list`, or .toml files
    #[arg(value_name = "NAME|FILE.toml", required = true)]
    scenarios: Vec<String>,
    /// Kernel command line options of one trial (repeatable) [default: twenty trials]
    #[arg(long, value_name = "WORDS")]
    boot: Vec<String>,
    #[command(flatten)]
    output: OutputLine,
    #[command(flatten)]
    guests: Jobs,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
}

/// Runs each guest without options and with each option, and divides each difference by function. Exit code 3 if a guest gave no
/// answers.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables: Vec<Table> = args.scenarios.iter().map(|name| table(name, args)).collect::<anyhow::Result<_>>()?;
    let rows = || match &tables[..] {
        [one] => one.json(),
        several => several.iter().map(Table::json).collect(),
    };
    args.printing.show(rows, || tables.iter().map(Table::text).collect::<Vec<_>>().join("\n"))?;
    Ok(if tables.iter().all(|table| table.is_whole) { Exit::Done } else { Exit::Undecided })
}

struct Table {
    line: String,
    guest: String,
    without: Answers,
    with: Vec<Tuned>,
    is_whole: bool,
}

impl Table {
    fn json(&self) -> serde_json::Value {
        let Table { line, guest, without, with, .. } = self;
        json!({ "guest": guest, "line": line, "without": without, "with": with })
    }

    fn text(&self) -> String {
        let Table { line, guest, without, with, .. } = self;
        let tables = [tuned(*without, with), tuned_functions(with)].map(|grid| grid.text(columns()));
        format!("{guest}, line {line}\n\n{}", tables.join("\n"))
    }
}

fn table(name: &str, args: &Args) -> anyhow::Result<Table> {
    let scenario = shipped::find_only(name).map_err(bad_scenario)?;
    let asked: Vec<&str> =
        if args.boot.is_empty() { USUAL.to_vec() } else { args.boot.iter().map(String::as_str).collect() };
    let with = scenarios(&scenario, &asked);
    let with = with.map_err(|fault| usage(format!("lab: {}: {fault}", scenario.name)))?;
    let emulator = emulator(scenario.machine)?;
    let settings = Settings { modes: true, ..settings(&args.common, Boot { fresh: false })? };
    let what = format!("{name}: booting a guest for each trial");
    let shown = Activity::begin(args.printing.quiet, move || what.clone());
    let jobs = parallel::jobs(args.guests.jobs);
    let trials = tried(&scenario, &with, args.output.line.as_deref(), jobs, (&emulator, &settings));
    drop(shown);
    let Trials { without, with, untried } = trials.map_err(|fault| refused(name, fault))?;
    let (line, is_whole) = (without.median.entered.answer.line.clone(), untried.is_empty());
    for (words, fault) in untried {
        complain(&format!("backwall: {}", refused(&format!("{name} with {words}"), fault)));
    }
    Ok(Table { line, guest: format!("{name}: {}", without.guest), without: without.answers(), with, is_whole })
}
