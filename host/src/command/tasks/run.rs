// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks run SET`: series of jobs with deadlines on this machine or a guest of the bench, and what became of each job.
use super::super::deliver::{self, Output};
use super::account::{csv, task_set, warn};
use super::guest;
use super::missed::{Known, Traced, refuse_untold};
use super::options::Args;
use super::plan::plan;
use super::ready::{Ready, counted, ready};
use crate::affinity;
use crate::console;
use crate::exit::{Exit, unable};
use crate::invocation;
use crate::options::Global;
use crate::probe::Probe;
use crate::report::tasks_text::text;
use crate::run::{Origin, Picture, Run};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::progress::Bar;
use crate::session::task_set::{self as session, Asked, Measured};
use crate::store::RunFolder;
use crate::units::Unit;
use std::time::Duration;

/// Runs the set, and delivers what became of its jobs.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = deliver::rules(global)?;
    let probe = args.probe.as_deref().map_or_else(Probe::carried, |file| Ok(Probe::file(file)))?;
    let ready = ready(args, global, &probe)?;
    if args.trace {
        refuse_untold(&ready)?;
    }
    let unit = if args.guest.is_some() { Unit::Instructions } else { Unit::Ns };
    let demands = deliver::applicable(rules, ready.planned(unit))?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "tasks", started)?;
    let run = Run::begin(Origin::Measured, plan(args, global, &ready), invocation::words(), started);
    let (mut assembly, measured, known) = match &args.guest {
        Some(name) => (Assembly::elsewhere(run), guest::measure(&ready, name, global)?, Known::default()),
        None => {
            let assembly = Assembly::begin(run);
            let (measured, known) = measure(&ready, &probe, &folder, args, global.quiet)?;
            (assembly, measured, known)
        }
    };
    let Measured { jobs, loads, failure, doubts } = measured;
    let kept = args.keep_samples.then(|| folder.write("jobs.csv", csv(&ready, &jobs.jobs).as_bytes()));
    let shown = task_set(&ready, &jobs);
    warn(args, &ready, &shown, &mut assembly);
    assembly.take_made(jobs.heard, jobs.series);
    assembly.take_missed(known.stages);
    assembly.values(known.values);
    known.warnings.into_iter().for_each(|warning| assembly.warn(warning));
    assembly.take_loads(loads);
    assembly.show(Picture::TaskSet(shown));
    doubts.iter().for_each(|doubt| assembly.discredit(doubt));
    failure.into_iter().for_each(|failure| assembly.fail(failure));
    let failure = assembly.failure().map(unable);
    let fitted = |run: &Run| text(run, console::columns());
    let output = Output { text: Some(&fitted), ..Output::USUAL };
    let exit = deliver::deliver(assembly.finish(), &demands, &folder, global, output)?;
    failure.map_or(kept.unwrap_or(Ok(())).map(|()| exit), Err)
}

/// On this machine, and what the kernel's trace tells of the jobs that missed their deadlines where that is wanted.
fn measure(
    ready: &Ready,
    probe: &Probe,
    folder: &RunFolder,
    args: &Args,
    quiet: bool,
) -> anyhow::Result<(Measured, Known)> {
    let stop = Stop::on_signals()?;
    let cpus = ready.used();
    let _kept_off = affinity::KeptOff::processors(&cpus);
    let length = Duration::from_nanos(ready.handed.end_ns);
    let traced = args.trace.then(|| Traced::start(probe, &cpus, folder.path()));
    let asked = Asked {
        bytes: &ready.handed.bytes(),
        tasks: counted(&ready.handed.tasks),
        phase: ready.phase.clone(),
        cpus: &cpus,
        loads: &ready.loads,
        length,
        best_effort: args.best_effort,
    };
    let measured = session::run(probe, &stop, &Bar::new(length, quiet), asked)?;
    let known = traced.map_or_else(Known::default, |traced| traced.finish(ready, &measured.jobs));
    Ok((measured, known))
}
