// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench events`: searches for the largest number of events in 10 ms and predicts it from the cost of a switch.
//!
//! A generator hands each event to one of ten threads in turn. The threads have a lower priority than the generator, so each
//! event costs a switch to its thread and one back. The events are evenly spaced.
use super::Args;
use crate::cli::Guests;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use backwall_model::units::{DisplayedValue, Unit};
use backwall_model::{Origin, Plan, Run};
use backwall_os::Stop;
use backwall_os::console;
use backwall_report::limit::text;
use backwall_report::text::{requirements, unproved};
use backwall_report::wrap::narrow;
use backwall_runner::device::probe::Probe;
use backwall_runner::device::processors;
use backwall_runner::session::assemble::Assembly;
use backwall_runner::session::part::Part;
use backwall_runner::tasks::limit::bench::Bench;
use backwall_runner::tasks::limit::{planned, several};
use backwall_tasks::set::Organisation;

pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    let organisation = if args.thread_per_event { Organisation::ThreadPerEvent } else { Organisation::Pool };
    if let Some(name) = &args.guest {
        let guest = guests(name, args.seed.seed)?;
        return search_with(Bench::guest(guest.as_ref(), organisation), args, Assembly::elsewhere);
    }
    let probe = Probe::behind(args.probe.probe.as_deref())?;
    let cpu = processors::choose_one(args.cpu.cpu)?.cpus[0];
    let stop = Stop::on_signals()?;
    search_with(Bench::here(&probe, &stop, cpu, organisation, args.output.printing.quiet), args, Assembly::begin)
}

fn search_with(mut bench: Bench<'_>, args: &Args, begin: fn(Run) -> Assembly) -> anyhow::Result<Exit> {
    let deadline_ns = bench.rules.deadline_ns;
    if args.wcet.0 == 0 || args.wcet.0 >= deadline_ns {
        let most = DisplayedValue(deadline_ns, Unit::Ns);
        return Err(usage(format!("--wcet must be above 0 and below the deadline, {most}")));
    }
    bench.rules.computation_ns = args.wcet.0;
    let demands = deliver::applicable(args.output.rules()?, planned(bench.unit()))?;
    let started = jiff::Timestamp::now();
    let folder = args.output.folder("events", started)?;
    let plan =
        Plan { require: args.output.require(), ..backwall_runner::tasks::plan::of_limit(&bench, args.seed.seed) };
    let mut assembly = begin(Run::begin(Origin::Measured, plan, invocation::words(), started));
    let Some((limit, shown)) = several(&mut bench, args.rounds)? else {
        return Err(unable("interrupted before the first trial ended; no result"));
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
    deliver::deliver(assembly.finish(), &demands, &folder, args.output.printing, output)
}
