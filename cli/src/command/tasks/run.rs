// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks run SET`: runs series of jobs with deadlines on this machine or a guest of the lab, and accounts for each job.
use super::options::Args;
use crate::cli::Guests;
use crate::deliver::{self, Output};
use crate::exit::Exit;
use crate::invocation;
use backwall_model::units::Unit;
use backwall_model::{Origin, Picture, Plan, Run};
use backwall_os::console;
use backwall_report::tasks_text::text;
use backwall_runner::device::probe::Probe;
use backwall_runner::session::assemble::Assembly;
use backwall_runner::session::part::Part;
use backwall_runner::tasks::account::{csv, task_set, warn};
use backwall_runner::tasks::missed::{MissedJobs, refuse_untold};
use backwall_runner::tasks::ready::ready;
use backwall_runner::tasks::task_set::TaskSetResult;
use backwall_runner::tasks::{guest, measure::measure};

pub fn run(args: &Args, guests: Guests<'_>) -> anyhow::Result<Exit> {
    let rules = args.output.rules()?;
    let probe = Probe::behind(args.probe.probe.as_deref())?;
    let asked = args.asked();
    let ready = ready(&asked, &probe)?;
    if args.trace {
        refuse_untold(&ready)?;
    }
    let on_guest = args.guest.as_ref().map(|name| guests(name, args.seed.seed)).transpose()?;
    let unit = if args.guest.is_some() { Unit::Instructions } else { Unit::Ns };
    let demands = deliver::applicable(rules, ready.planned(unit))?;
    let started = jiff::Timestamp::now();
    let folder = args.output.folder("tasks", started)?;
    let plan = Plan { require: args.output.require(), ..backwall_runner::tasks::plan::of_set(&asked, &ready) };
    let run = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let (mut assembly, measured, known) = match &on_guest {
        Some(on_guest) => (Assembly::elsewhere(run), guest::measure(&ready, on_guest.as_ref())?, MissedJobs::default()),
        None => {
            let assembly = Assembly::begin(run);
            let traced = args.trace.then(|| (folder.path(), args.keep_samples));
            let (measured, known) = measure(&ready, &probe, traced, args.output.printing.quiet)?;
            (assembly, measured, known)
        }
    };
    let TaskSetResult { jobs, loads, failure, doubts } = measured;
    let kept = args.keep_samples.then(|| folder.write("jobs.csv", csv(&ready, &jobs.jobs).as_bytes()));
    let shown = task_set(&ready, &jobs, args.trace && args.keep_samples);
    warn(&ready, &shown, &mut assembly);
    assembly.take(Part::of_made(jobs.heard, jobs.series));
    assembly.take(known.part());
    assembly.take(Part::of_loads(loads));
    assembly.show(Picture::TaskSet(shown));
    doubts.iter().for_each(|doubt| assembly.discredit(doubt));
    failure.into_iter().for_each(|failure| assembly.fail(failure));
    let fitted = |run: &Run| text(run, console::columns());
    let output = Output { text: Some(&fitted), ..Output::USUAL };
    let exit = deliver::assembled(assembly, &demands, &folder, args.output.printing, output)?;
    kept.unwrap_or(Ok(()))?;
    Ok(exit)
}
