// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks limit`: the largest number of events in 10 ms, found by search, and what the cost of a switch lets expect.
//!
//! A generator hands each event to one of ten threads in turn, which are less urgent than it: a switch to the event's thread
//! and one back. Events come evenly, so that each costs both.
use crate::cli::Guests;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::{Destination, Printing, Requirements, Seed};
use backwall_model::units::{self, Nanoseconds, Shown, Unit};
use backwall_model::{Origin, Plan, Run};
use backwall_os::console;
use backwall_report::limit::text;
use backwall_report::text::{requirements, unproved};
use backwall_report::wrap::narrow;
use backwall_runner::Stop;
use backwall_runner::assemble::Assembly;
use backwall_runner::device::probe::Probe;
use backwall_runner::device::processors;
use backwall_runner::part::Part;
use backwall_runner::tasks::limit::bench::Bench;
use backwall_runner::tasks::limit::{planned, several};
use backwall_store::RunFolder;
use backwall_tasks::set::Organisation;
use std::path::PathBuf;

/// Arguments of `backwall tasks limit`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor [default: an isolated one, else the last]
    #[arg(short = 'a', long, value_name = "N")]
    cpu: Option<u32>,
    /// Search on a guest of the bench instead of this machine: detent-probe
    #[arg(long, value_name = "GUEST", conflicts_with_all = ["cpu", "probe"])]
    guest: Option<String>,
    /// Create a thread for each event instead of waking one that exists
    #[arg(long)]
    thread_per_event: bool,
    /// How long an event computes, a bare number is microseconds; on a guest a nanosecond is one instruction
    #[arg(long, value_name = "TIME", value_parser = units::period, default_value = "1us")]
    computation: Nanoseconds,
    /// How many searches; the middle result is shown, with the least and the most beside it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    probe: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) requirements: Requirements,
}

/// Searches, and delivers the last trial that held.
pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    let organisation = if args.thread_per_event { Organisation::ThreadPerEvent } else { Organisation::Pool };
    if let Some(name) = &args.guest {
        let guest = guests(name, Seed::default().seed)?;
        return search_with(Bench::guest(guest.as_ref(), organisation), args, Assembly::elsewhere);
    }
    let probe = Probe::behind(args.probe.as_deref())?;
    let cpu = processors::choose_one(args.cpu)?.cpus[0];
    let stop = Stop::on_signals()?;
    search_with(Bench::here(&probe, &stop, cpu, organisation, args.printing.quiet), args, Assembly::begin)
}

fn search_with(mut bench: Bench<'_>, args: &Args, begin: fn(Run) -> Assembly) -> anyhow::Result<Exit> {
    let deadline_ns = bench.rules.deadline_ns;
    if args.computation.0 == 0 || args.computation.0 >= deadline_ns {
        let most = Shown(deadline_ns, Unit::Ns);
        return Err(usage(format!(
            "--computation: an event computes more than nothing and less than its deadline of {most}"
        )));
    }
    bench.rules.computation_ns = args.computation.0;
    let demands = deliver::applicable(args.requirements.rules()?, planned(bench.unit()))?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(args.destination.out.as_deref(), "tasks-limit", started)?;
    let plan = Plan {
        require: args.requirements.require.clone(),
        ..backwall_runner::tasks::plan::of_limit(&bench, Seed::default().seed)
    };
    let mut assembly = begin(Run::begin(Origin::Measured, plan, invocation::words(), started));
    let Some((limit, shown)) = several(&mut bench, args.rounds)? else {
        return Err(unable("interrupted before the first trial was done: nothing is known"));
    };
    assembly.take(Part { found: limit.found(), ..Part::of_made(shown.heard, shown.series) });
    if limit.interrupted {
        assembly.interrupt();
    }
    bench.doubts.iter().for_each(|doubt| assembly.discredit(doubt));
    let columns = console::columns();
    let said = |run: &Run| {
        let (unproved, judged) = (narrow(&unproved(run), columns), narrow(&requirements(run), columns));
        unproved + &text(&limit, columns) + &judged
    };
    let output = Output { text: Some(&said), ..Output::USUAL };
    deliver::deliver(assembly.finish(), &demands, &folder, args.printing, output)
}
