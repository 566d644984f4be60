// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench iltiming`: interrupt timing analysis, with the 2002 tool's options and table.
//!
//! The timer's interrupt is the ISR, the probe's thread the IST; the kernel's trace
//! stamps the start and the end of the ISR. `docs/how-to/iltiming.md` says what each option
//! means on Linux.
use crate::deliver::{self, Output};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::{RunOutput, Seed};
use backwall_model::{Iltiming, Origin, Run, Warning};
use backwall_os::Stop;
use backwall_os::console;
use backwall_report::iltiming::{Interrupt, all, summary};
use backwall_report::wrap::narrow;
use backwall_runner::device::processors;
use backwall_runner::iltiming::{self, IltimingRequest, measure, series};
use backwall_runner::phase::Phase;
use backwall_runner::session::assemble::Assembly;
use backwall_runner::session::part::Part;
use backwall_tuning::check;

const IDLE_THREADS: [&str; 5] = ["idle1", "idle2", "idle3", "idle4", "idle5"];

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Number of interrupts
    #[arg(short = 'n', long = "interrupts", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    interrupts: u64,
    /// Ticks of 1 ms from one interrupt to the next
    #[arg(short, long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    ticks: u64,
    /// Priority of the IST, 0 (highest) to 255 [default: 0]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=255))]
    priority: Option<u64>,
    /// Idle thread, 0 for none (repeatable) [default: 1]
    ///
    /// 1 spins. 2 sets its idle priority in a loop. 3 is two threads that set and wait in turn with a timeout of 10 s,
    /// 4 the same without timeout. 5 maps and unmaps 64 KiB.
    #[arg(short, long = "idle-thread", value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    idle_threads: Vec<u8>,
    /// Leave the caches warm instead of sweeping them before each wait
    #[arg(long)]
    warm: bool,
    /// Print every interrupt, not only the summary
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let (asked, all_rows) = (asked(args)?, args.all);
    let rules = args.output.rules()?;
    let cpu = processors::choose_one(None)?.cpus[0];
    let ordinary = if asked.priority.is_none() { check::real_time_refused(IltimingRequest::highest()) } else { None };
    let (setup, phase) = (asked.setup(cpu, ordinary.is_some()), asked.phase(cpu));
    let demands = deliver::applicable(rules, iltiming::planned(&phase))?;
    let started = jiff::Timestamp::now();
    let stop = Stop::on_signals()?;
    let folder = args.output.folder("iltiming", started)?;
    let plan = asked.plan(&setup, &phase, args.seed.seed);
    let begun = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let mut assembly = Assembly::begin(Run { refused_priority: ordinary, ..begun });
    let (measured, trace) = measure(&stop, &setup, &phase, args.output.printing.quiet)?;
    let kept = trace.as_ref().ok().filter(|_| all_rows);
    let interrupts: Vec<Interrupt> = kept.into_iter().flat_map(|trace| &trace.kept).map(Interrupt::of).collect();
    let series = series(&measured, trace.as_ref().ok(), setup.schedule.period);
    let phase = Phase { traced: trace.is_ok(), ..phase };
    let staged = series.iter().find(|one| one.key.name == Iltiming::IST).map(|ist| ist.key.clone());
    assembly.take(Part::of_phase_as(&phase, series, measured));
    match trace {
        Ok(trace) => assembly.take(Part::of_own_trace(&phase, staged, trace)),
        Err(refused) => {
            assembly.warn(Warning::new("no-stages", format!("ISR and handoff not measured: {refused}")));
        }
    }
    let text = |run: &Run| all(&interrupts) + &narrow(&summary(run), console::columns());
    let output = Output { text: Some(&text), ..Output::USUAL };
    deliver::assembled(assembly, &demands, &folder, args.output.printing, output)
}

fn asked(args: &Args) -> anyhow::Result<IltimingRequest> {
    let none = args.idle_threads.contains(&0);
    if none && args.idle_threads.iter().any(|thread| *thread > 0) {
        return Err(usage("--idle-thread takes either 0 (none) or numbers from 1 to 5"));
    }
    let chosen = if args.idle_threads.is_empty() { vec![1] } else { args.idle_threads.clone() };
    let has = |number: &u8| chosen.contains(number);
    Ok(IltimingRequest {
        priority: args.priority,
        idle_threads: (1..).zip(IDLE_THREADS).filter(|(number, _)| has(number)).map(|(_, load)| load).collect(),
        ticks: args.ticks,
        interrupts: args.interrupts,
        warm: args.warm,
    })
}
