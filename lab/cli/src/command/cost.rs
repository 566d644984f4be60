// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab cost`: executed instructions per wakeup, for the probe and for other programs.
use super::{Boot, Common, emulator, refusal_of, settings};
use backwall::exit::{Exit, unable};
use backwall::options::Printing;
use backwall_lab::cost;
use backwall_lab::counted_programs::{PERIOD_US, programs};
use backwall_lab::machine::Machine;
use backwall_lab::recorder;
use backwall_os::console::progress::Activity;
use backwall_os::console::{print, print_json};
use backwall_report::cost as words;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Commands to count; {} stands for the number of wakeups
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
    /// Count tracing overhead per context switch instead of wakeups
    ///
    /// For ftrace, perf and BPF, with and without stacks.
    #[arg(long, conflicts_with = "commands")]
    tracing: bool,
    /// Kernel: stock, rt, a series such as rt-6.12, or a path [default: stock and rt]
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// Machine of the lab: x86-pc, arm64-virt or riscv64-virt
    #[arg(long, value_name = "MACHINE", default_value = Machine::usual().name, value_parser = Machine::named)]
    machine: &'static Machine,
    /// Wakeups to count, or context switches with --tracing
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    wake_ups: u64,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let machine = args.machine;
    let programs = if args.tracing { recorder::programs(machine) } else { programs(machine, &args.commands)? };
    if programs.iter().flat_map(|program| &program.files).any(|file| file.bytes.is_empty()) {
        return Err(unable(format!(
            "lab cost: this backwall was built without {}, so it has no program for that machine",
            machine.compiler
        )));
    }
    let emulator = emulator(machine)?;
    let settings = settings(&args.common, Boot { fresh: true })?;
    let mut all = Vec::new();
    let usual = machine.linux.kinds.iter().map(|kind| kind.to_string());
    let kernels = if args.kernel.is_empty() { usual.collect() } else { args.kernel.clone() };
    for kernel in &kernels {
        let what = format!("counting on linux:{kernel}, {}", machine.name);
        let shown = Activity::begin(args.printing.quiet, move || what.clone());
        let counted =
            cost::count((machine, &format!("linux:{kernel}")), &programs, args.wake_ups, &emulator, &settings);
        drop(shown);
        let counted = counted.map_err(|fault| refusal_of("cost", fault))?;
        if args.printing.is_text() {
            print(&match args.tracing {
                true => words::recorded(&counted, &recorder::added(&counted.costs), args.wake_ups),
                false => words::woken(&counted, args.wake_ups, PERIOD_US),
            })?;
        }
        all.push(counted);
    }
    if args.printing.json {
        print_json(&all)?;
    }
    let is_bent = all.iter().flat_map(|counted| &counted.costs).any(|cost| cost.bent.is_some());
    Ok(if is_bent { Exit::Undecided } else { Exit::Done })
}
