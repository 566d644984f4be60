// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall watch THREADS`: measures threads that the user names one by one, from the kernel's trace alone, in one session.
use super::{Args, FOREVER};
use crate::command::run::checkpoints;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable, usage};
use crate::follow::Target;
use crate::follow::following::so_far;
use crate::follow::recipes::recipes;
use crate::invocation;
use backwall_formats::export::cyclictest;
use backwall_ftrace::attached::{self, AttachPlan, Attached};
use backwall_model::units::Unit;
use backwall_model::{Extension, Origin, Plan, PlannedSeries, Run, Warning};
use backwall_os::Stop;
use backwall_os::console;
use backwall_runner::attached::attachee::{self, AttachResult, Attachee, NOTHING_MEASURED};
use backwall_runner::attached::thread_name::{self, ThreadName};
use backwall_runner::session::assemble::Assembly;
use std::time::Duration;

pub(super) fn run(args: &Args, threads: &[ThreadName]) -> anyhow::Result<Exit> {
    let rules = args.output.rules()?;
    let length = args.duration.map_or(FOREVER, |length| Duration::from_nanos(length.0));
    let all = thread_name::all(threads)?;
    let followed: Vec<attached::AttachedThread> = all.iter().map(Attachee::followed).collect();
    let planned = attached::keys(&followed).into_iter().map(|key| PlannedSeries { key, unit: Unit::Ns });
    let demands = deliver::applicable(rules, planned.collect())?;
    let started = jiff::Timestamp::now();
    let stop = Stop::on_signals()?;
    let folder = args.output.folder("watch", started)?;
    let mut begun = Run::begin(Origin::Measured, plan(args, &all), invocation::words(), started);
    begun.device = attachee::this_device();
    let mut assembly = Assembly::begin_stretch(begun, None);
    let alone = matches!(threads, [ThreadName::Thread(_)]);
    let warnings: Vec<Warning> = all.iter().flat_map(|attachee| attachee.warnings(alone)).collect();
    if args.output.printing.is_text() {
        let told = warnings.iter().filter(|warning| warning.kind != attachee::MEASURED_SO);
        told.for_each(|warning| console::complain(&warning.to_string()));
    }
    warnings.into_iter().for_each(|warning| assembly.warn(warning));
    let deadline_ns = args.late_after.deadline.map(|deadline| deadline.0);
    let mut checkpoints = checkpoints(Duration::from_nanos(args.every.0), args.metrics.metrics.as_deref(), &folder)?;
    let each = |attached: &Attached| {
        checkpoints.look(|| attached.so_far().map(|report| so_far(&assembly, report)));
        true
    };
    let attach = AttachPlan { deadline_ns, chains: &[], buffer_mib: args.buffer };
    let followed = attachee::follow(&all, length, attach, &stop, ("watch", args.output.printing.quiet), each);
    checkpoints.finish().into_iter().for_each(|warning| assembly.warn(warning));
    let followed = followed?;
    let failure = take(&mut assembly, &all, followed).map(unable);
    let histogram = args.cyclictest.histogram.map(|last_us| move |run: &Run| cyclictest::histograms(run, last_us));
    let own = histogram.as_ref().map(|own| own as &dyn Fn(&Run) -> String);
    let output = Output {
        text: own,
        foreign: own.is_some(),
        metrics: args.metrics.metrics.as_deref(),
        verbose: args.verbose.verbose,
        ..Output::USUAL
    };
    let exit = deliver::deliver(assembly.finish(), &demands, &folder, args.output.printing, output)?;
    failure.map_or(Ok(exit), Err)
}

/// The threads named on the command line: explicit threads, or a number or name that is neither a recipe nor a process.
pub(super) fn named(args: &Args) -> anyhow::Result<Option<Vec<ThreadName>>> {
    let Some(app) = args.app.as_deref() else { return Ok(None) };
    if let Some(threads) = thread_name::explicit(app).map_err(usage)? {
        return Ok(Some(threads));
    }
    let is_recipe = recipes()?.iter().any(|recipe| recipe.name == app);
    if is_recipe || !Target::of(Some(app), &[])?.find()?.attachees.is_empty() {
        return Ok(None);
    }
    thread_name::thread(app).map_err(usage)
}

/// The real-time priority that all these threads have; `None` if they differ or have none.
fn common_priority(all: &[Attachee]) -> Option<u32> {
    let first = all.first()?.thread.real_time;
    ((1..100).contains(&first) && all.iter().all(|one| one.thread.real_time == first)).then_some(first)
}

pub(super) fn plan(args: &Args, all: &[Attachee]) -> Plan {
    Plan {
        priority: common_priority(all),
        measures: vec![attached::ATTACHED.to_string()],
        loads: vec![backwall_model::AS_FOUND.to_string()],
        phase_ns: args.duration,
        whole_ns: args.duration,
        deadline_ns: args.late_after.deadline,
        idle: attached::key().idle,
        require: args.output.require(),
        seed: args.seed.seed,
        extension: Extension::Run,
        ..Plan::default()
    }
}

/// Stores the result in the run. Returns a note if all threads ended early.
fn take(assembly: &mut Assembly, all: &[Attachee], followed: AttachResult) -> Option<String> {
    let over = followed.ended.len() == all.len();
    if followed.stopped || over {
        assembly.interrupt();
    }
    if followed.report.due() == 0 {
        assembly.discredit(NOTHING_MEASURED);
    }
    followed.into_run(all, assembly).pop().filter(|_| over)
}
