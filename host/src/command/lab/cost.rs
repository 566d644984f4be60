// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab cost`: executed instructions of a wake-up, of the probe and of others.
use super::{Boot, Common, emulator, refusal_of, settings};
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::lab::cost::{self, COUNT, Cost, Counted, Program};
use crate::lab::guest::programs::{Carried, files_of, is_for};
use crate::lab::machine::Machine;
use crate::lab::recorder;
use crate::options::Global;
use crate::progress::Activity;
use crate::units::grouped;
use std::path::{Path, PathBuf};

/// Arguments of `backwall lab cost`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Other programs to count, each a command in which {n} stands for the number of wake-ups that it is to make
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
    /// Count what it costs the kernel to record a thread switch instead: in its ring, in perf's or in BPF's, without its stack and with it
    #[arg(long, conflicts_with = "commands")]
    tracing: bool,
    /// The kernel: stock, rt, one of a series as rt-6.12, or the path of one
    #[arg(long, value_name = "KERNEL", default_values = ["stock", "rt"])]
    kernel: Vec<String>,
    /// The machine of the bench on which they are counted: x86-pc or arm64-virt
    #[arg(long, value_name = "MACHINE", default_value = Machine::usual().name, value_parser = with_linux)]
    machine: &'static Machine,
    /// How many wake-ups, or switches, are counted of each
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    wake_ups: u64,
    #[command(flatten)]
    common: Common,
}

/// A machine of that name, which has guests of Linux.
fn with_linux(name: &str) -> Result<&'static Machine, String> {
    let machine = Machine::named(name)?;
    let refused = || format!("no kernel of Linux is a guest of {name:?}; want x86-pc or arm64-virt");
    Some(machine).filter(|machine| machine.linux.is_some()).ok_or_else(refused)
}

/// One millisecond, and a priority above the kernel's interrupt threads.
const PERIOD_US: u64 = 1_000;
const PRIORITY: u32 = 80;
const CYCLICTEST: &str = "cyclictest";
const PROBE: &str = "/probe";

/// Counts on each kernel, and prints a table a kernel.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let machine = args.machine;
    let programs = if args.tracing { recorder::programs(machine) } else { programs(machine, &args.commands)? };
    if programs.iter().flat_map(|program| &program.files).any(|file| file.bytes.is_empty()) {
        return Err(unable(format!(
            "lab cost: this tool was built without {}, so it has no program for that machine",
            machine.compiler
        )));
    }
    let emulator = emulator(machine)?;
    let settings = settings(&args.common, Boot { fresh: true }, global)?;
    let mut all = Vec::new();
    for kernel in &args.kernel {
        let what = format!("counting on linux:{kernel}, {}", machine.name);
        let shown = Activity::begin(global.quiet, move || what.clone());
        let counted =
            cost::count((machine, &format!("linux:{kernel}")), &programs, args.wake_ups, &emulator, &settings);
        drop(shown);
        let counted = counted.map_err(|fault| refusal_of("cost", fault))?;
        if !(global.json || global.quiet) {
            let table = if args.tracing { recorded } else { table };
            print(&table(&counted, args.wake_ups))?;
        }
        all.push(counted);
    }
    if global.json {
        print(&(serde_json::to_string_pretty(&all)? + "\n"))?;
    }
    Ok(Exit::Done)
}

/// Ours, cyclictest where it is installed for that processor, and what was asked for.
fn programs(machine: &Machine, commands: &[String]) -> anyhow::Result<Vec<Program>> {
    let mut programs = vec![ours(machine)];
    if let Some(path) = on_path(CYCLICTEST) {
        let found = of(&format!("{} -q -m -p{PRIORITY} -i{PERIOD_US} -l{COUNT}", path.display()))?;
        programs.extend(Some(found).filter(|program| runs_on(program, machine)));
    }
    for command in commands {
        let program = of(command)?;
        if !runs_on(&program, machine) {
            let path = &program.words[0];
            return Err(usage(format!(
                "lab cost: {path}: not a program for {}; build it for that processor, statically",
                machine.shown
            )));
        }
        programs.push(program);
    }
    Ok(programs)
}

/// The program itself, which is the first of its files.
fn runs_on(program: &Program, machine: &Machine) -> bool {
    program.files.first().is_some_and(|file| machine.linux.is_some_and(|linux| is_for(&file.bytes, linux.elf)))
}

fn ours(machine: &Machine) -> Program {
    let words = format!(
        "{PROBE} measure wakeup --count {COUNT} --period-ns {} --cpu 0 --priority {PRIORITY}",
        PERIOD_US * 1_000
    );
    let files =
        vec![Carried { path: PROBE.into(), bytes: machine.linux.map_or(Vec::new(), |linux| linux.probe.clone()) }];
    Program { name: "backwall".to_string(), words: words.split(' ').map(str::to_string).collect(), files }
}

fn of(command: &str) -> anyhow::Result<Program> {
    let mut words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
    if !words.iter().skip(1).any(|word| word.contains(COUNT)) {
        return Err(usage(format!("lab cost: {command:?}: want a command in which {COUNT} stands for its wake-ups")));
    }
    let found = if words[0].contains('/') { Some(PathBuf::from(&words[0])) } else { on_path(&words[0]) };
    let found = found.and_then(|path| path.canonicalize().ok()).filter(|path| path.is_file());
    let path = found.ok_or_else(|| usage(format!("lab cost: {}: no such program", words[0])))?;
    let name = Path::new(&words[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = files_of(&path).map_err(|fault| usage(format!("lab cost: {fault}")))?;
    words[0] = path.display().to_string();
    Ok(Program { name, words, files })
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// A row a way to record, with what it adds to a switch that is not recorded.
fn recorded(counted: &Counted, switches: u64) -> String {
    let head = format!(
        "{}, instructions for each of {} thread switches\n{:10}  {:>10}  {:>10}  {:>10}  {:>10}\n",
        counted.guest,
        grouped(switches),
        "recorded",
        "user",
        "kernel",
        "sum",
        "added"
    );
    let rows = counted.costs.iter().zip(recorder::added(&counted.costs)).map(|(cost, added)| {
        let Cost { program, user, kernel } = cost;
        format!("{program:10}  {user:>10.1}  {kernel:>10.1}  {:>10.1}  {added:>10.1}\n", cost.sum())
    });
    std::iter::once(head).chain(rows).chain(["\n".to_string()]).collect()
}

fn table(counted: &Counted, wake_ups: u64) -> String {
    let width = counted.costs.iter().map(|cost| cost.program.len()).max().unwrap_or(0).max("program".len());
    let head = format!(
        "{}, instructions for each of {} wake-ups at {PERIOD_US} us\n{:width$}  {:>10}  {:>10}  {:>10}\n",
        counted.guest,
        grouped(wake_ups),
        "program",
        "user",
        "kernel",
        "sum"
    );
    let rows = counted.costs.iter().map(|cost| {
        format!("{:width$}  {:>10.1}  {:>10.1}  {:>10.1}\n", cost.program, cost.user, cost.kernel, cost.sum())
    });
    std::iter::once(head).chain(rows).chain(["\n".to_string()]).collect()
}
