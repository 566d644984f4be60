// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench osbench`: what the kernel's operations cost, with the 2002 tool's options, tests and blocks.
//!
//! `docs/how-to/osbench.md` says what each operation is on Linux, how its loop works, and where the probe reads the clock.
use crate::command::export;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::{BestEffort, OneCpu, Printing, ProbeFile, RunOutput, Seed};
use backwall_judge::require::Demands;
use backwall_model::units::Unit;
use backwall_model::{Origin, PlannedSeries, RefusedPriority, Run};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::console;
use backwall_report::osbench::{TESTS, csv, text};
use backwall_runner::device::probe::{ListedOperation, Probe};
use backwall_runner::device::processors;
use backwall_runner::osbench::operation::{self, Setup};
use backwall_runner::osbench::peers::{self, Suite};
use backwall_runner::osbench::rows::{self, Rows};
use backwall_runner::session::assemble::Assembly;
use backwall_store::RunFolder;
use backwall_tuning::check;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Real-time priority of the measured thread; the second thread's is one higher. If the kernel refuses them, both threads run at
/// ordinary priority.
const PRIORITY: u32 = 80;
/// Warm-up samples, which are not counted; the first one is shown separately.
const WARMUP: u64 = 10;
/// Sample limit per row, which keeps a run within its memory.
const SAMPLES_MOST: u64 = 1_000_000;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Measure this test, or one row such as 1.02, and print its block (repeatable)
    #[arg(short, long, value_name = "ID")]
    test: Vec<String>,
    /// Measure all tests and print the block of each [default: the table alone]
    #[arg(long)]
    all: bool,
    /// Samples of each row
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=SAMPLES_MOST))]
    samples: u64,
    /// List the tests
    #[arg(long, conflicts_with_all = ["out", "require", "seed", "test", "all"])]
    list: bool,
    /// Print every sample
    #[arg(short, long)]
    verbose: bool,
    /// Also write the rows to a CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Mark each clock read on this parallel port, such as 0x378
    #[arg(short, long, value_name = "ADDRESS", value_parser = address)]
    mark: Option<u64>,
    #[command(flatten)]
    cpu: OneCpu,
    #[command(flatten)]
    rights: BestEffort,
    /// Also run another suite's tools, after backwall's rows (repeatable)
    #[arg(long, value_name = "SUITE", value_enum)]
    compare: Vec<Suite>,
    #[command(flatten)]
    probe: ProbeFile,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

#[derive(Debug)]
struct OsbenchRequest<'a> {
    rows: Vec<ListedOperation>,
    samples: u64,
    mark: Option<u64>,
    every: bool,
    /// Whether to print each row as a block in the 2002 tool's format, above the table.
    blocks: bool,
    file: Option<&'a Path>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        let one = |(test, about): &(u32, &str)| json!({ "test": test, "about": about });
        let text = || TESTS.iter().map(|(id, about)| format!("TestId {id} : {about}\n")).collect();
        args.output.printing.show(|| TESTS.iter().map(one).collect::<Vec<_>>(), text)?;
        return Ok(Exit::Done);
    }
    let probe = Probe::behind(args.probe.probe.as_deref())?;
    let asked = asked(args, &probe.catalogue()?.operations)?;
    export::refuse_unwritable("--csv", args.csv.as_deref())?;
    let rules = args.output.rules()?;
    let ordinary = ordinary(args);
    let (setup, other_cpu) = setup(args, &asked, ordinary.is_some())?;
    let planned = asked.rows.iter().map(|row| PlannedSeries { key: operation::key(row), unit: Unit::Ns }).collect();
    let demands = deliver::applicable(rules, planned)?;
    let started = jiff::Timestamp::now();
    let stop = Stop::on_signals()?;
    let folder = args.output.folder("osbench", started)?;
    let plan = rows::plan(&asked.rows, &setup, other_cpu, args.seed.seed);
    let begun = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let mut assembly = Assembly::begin(Run { refused_priority: ordinary, ..begun });
    if args.rights.best_effort {
        assembly.discredit_best_effort();
    }
    let every = asked.every;
    let mut rows = Rows { probe: &probe, stop, setup, other_cpu, every, suites: &args.compare };
    let samples = rows.measure(&asked.rows, &mut assembly)?;
    delivered(assembly, &asked, &samples, &demands, &folder, args.output.printing)
}

/// Why the kernel refuses the higher priority; `None` if it grants it, or if the user chose how to continue without it.
fn ordinary(args: &Args) -> Option<RefusedPriority> {
    if args.rights.best_effort || args.probe.probe.is_some() { None } else { check::real_time_refused(PRIORITY + 1) }
}

fn setup(args: &Args, asked: &OsbenchRequest<'_>, ordinary: bool) -> anyhow::Result<(Setup, Option<u32>)> {
    let cpu = processors::choose_one(args.cpu.cpu)?.cpus[0];
    let other_cpu = affinity::allowed().into_iter().find(|other| *other != cpu);
    let setup = Setup {
        cpu,
        other_cpu: other_cpu.unwrap_or(cpu),
        priority: if ordinary { 0 } else { PRIORITY },
        samples: asked.samples,
        mark: asked.mark,
        equal: false,
        warmup: WARMUP,
        best_effort: args.rights.best_effort,
    };
    Ok((setup, other_cpu))
}

/// Delivers the run and writes its rows to a file if requested; `samples` is the text before the blocks.
fn delivered(
    assembly: Assembly,
    asked: &OsbenchRequest<'_>,
    samples: &str,
    demands: &Demands,
    folder: &RunFolder,
    printing: Printing,
) -> anyhow::Result<Exit> {
    let failure = assembly.failure().map(unable);
    let run = assembly.finish();
    let rows = csv(&run);
    let text = |run: &Run| format!("{samples}{}", text(run, console::columns(), asked.blocks));
    let output = Output { text: Some(&text), ..Output::USUAL };
    let delivered = deliver::in_spite_of(failure, run, demands, folder, printing, output);
    asked.file.map(|file| export::write(file, &rows)).transpose()?; // the run is already stored
    delivered
}

fn asked<'a>(args: &'a Args, known: &[ListedOperation]) -> anyhow::Result<OsbenchRequest<'a>> {
    let compared = args.compare.iter().flat_map(|suite| peers::tools(*suite)).map(|tool| tool.test);
    let named: Vec<&str> = args.test.iter().map(String::as_str).chain(compared).collect();
    let unknown = |name: String| {
        usage(format!("--test {name}: unknown test; expected 0 to {} (--list prints them)", TESTS.len() - 1))
    };
    let chosen = rows::chosen(&named, known).map_err(unknown)?;
    Ok(OsbenchRequest {
        rows: if args.all || named.is_empty() { known.to_vec() } else { chosen },
        samples: args.samples,
        mark: args.mark,
        every: args.verbose,
        blocks: args.all || !args.test.is_empty(),
        file: args.csv.as_deref(),
    })
}

/// Parses an address: `0x` and hexadecimal digits, or decimal digits.
fn address(text: &str) -> Result<u64, String> {
    let number =
        text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok());
    let wanted = || "expected the address of a parallel port, such as 0x378".to_string();
    number.filter(|address| *address > 0).ok_or_else(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches};

    fn read(words: &[&str]) -> anyhow::Result<(Vec<String>, u64)> {
        let words = ["osbench"].iter().chain(words);
        let parsed =
            Args::from_arg_matches(&Args::augment_args(clap::Command::new("osbench")).try_get_matches_from(words)?)?;
        let known = ["1.00", "1.01", "10.00", "2.00"]
            .map(|test| ListedOperation { test: test.into(), ..ListedOperation::default() });
        let asked = asked(&parsed, &known)?;
        Ok((asked.rows.into_iter().map(|row| row.test).collect(), asked.samples))
    }

    #[test]
    fn tests_are_named_by_id_or_row_and_come_in_the_order_of_the_table() {
        assert_eq!(read(&["-t", "2", "-t", "1"]).unwrap(), (vec!["1.00".into(), "1.01".into(), "2.00".into()], 100));
        assert_eq!(read(&["-t", "1.01", "-n", "7"]).unwrap(), (vec!["1.01".into()], 7));
        assert_eq!(read(&["--all"]).unwrap().0.len(), 4);
        assert_eq!(read(&[]).unwrap().0.len(), 4);
    }

    #[test]
    fn what_is_not_there_or_cannot_be_is_refused_in_one_line() {
        for (words, line) in [
            (&["-t", "77"][..], "--test 77: unknown test; expected 0 to 9 (--list prints them)"),
            (&["-t", "1.77"], "--test 1.77: unknown test; expected 0 to 9 (--list prints them)"),
            (&["--all", "-n", "0"], "invalid value '0' for '--samples <N>'"),
            (&["--all", "-n", "99999999999"], "invalid value '99999999999' for '--samples <N>'"),
        ] {
            let why = read(words).unwrap_err().to_string();
            assert!(why.contains(line), "{why}");
        }
    }
}
