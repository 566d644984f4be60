// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall run`: measures this machine.
mod job;
mod lengths;
mod names;
mod options;
mod phases;
mod plan;
mod setup;

pub use options::Args;

use super::deliver::{self, Output};
use crate::console;
use crate::exit::{Exit, unable};
use crate::invocation;
use crate::options::Global;
use crate::report::cyclictest;
use crate::run::{Origin, Run};
use crate::samples::SamplesError;
use crate::session::assemble::Assembly;
use crate::session::keep::Keeper;
use crate::store::RunFolder;
use job::Job;

/// Measures, and delivers what was measured.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = deliver::rules(global)?;
    let job = Job::new(args)?;
    let demands = deliver::applicable(rules, job.planned())?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "run", started)?;
    let plan = plan::plan(args, global, &job);
    let mut assembly = Assembly::begin(Run::begin(Origin::Measured, plan, invocation::words(), started));
    if let (Some(because), false) = (&job.because, global.quiet || global.json) {
        console::complain(because);
    }
    let keeper = args.keep_samples.then(|| Keeper::begin(folder.handle())).transpose();
    let keeper = keeper.map_err(refused)?;
    job.measure((keeper.clone(), args.flight(&folder)), global.quiet, &mut assembly)?;
    let kept = keeper.map_or(Ok(()), Keeper::finish).map_err(refused);
    kept.as_ref().err().into_iter().for_each(|error| assembly.warn(error.to_string()));
    add_conditions(args, &folder, &mut assembly);
    let failure = assembly.failure().map(unable);
    let histogram = args.histogram.map(|last_us| move |run: &Run| cyclictest::histograms(run, last_us));
    let own = histogram.as_ref().map(|own| own as &dyn Fn(&Run) -> String);
    let output = Output { text: own, ..Output::USUAL };
    let exit = deliver::deliver(assembly.finish(), &demands, &folder, global, output)?;
    failure.map_or(kept.map(|()| exit), Err)
}

/// What bears on every figure.
fn add_conditions(args: &Args, folder: &RunFolder, assembly: &mut Assembly) {
    if args.goes_without_idle_off() {
        assembly.warn("no figure with idle states off: /dev/cpu_dma_latency cannot be written".to_string());
    }
    if args.flight(folder).is_some() {
        assembly.warn("the flight recorder was on: what it costs is part of every figure".to_string());
    }
    if args.best_effort {
        assembly.discredit("--best-effort allowed the probe to go on without what the machine refuses");
    }
}

fn refused(error: SamplesError) -> anyhow::Error {
    unable(error.to_string())
}
