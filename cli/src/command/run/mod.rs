// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall run`: measures this machine.
mod options;

pub use options::Args;

use super::export;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable};
use crate::invocation;
use backwall_formats::export::cyclictest;
use backwall_model::units::Nanoseconds;
use backwall_model::{Origin, Plan, Run, Warning};
use backwall_os::Stop;
use backwall_os::console;
use backwall_os::refusal::Refusal;
use backwall_report::trace::accused;
use backwall_runner::request::{self, RunRequest};
use backwall_runner::session::assemble::Assembly;
use backwall_runner::session::checkpoint::Checkpoints;
use backwall_runner::session::job::Aids;
use backwall_runner::session::resumable::resumable;
use backwall_runner::stream::keep::Keeper;
use backwall_store::RunFolder;
use backwall_store::samples::SamplesError;
use jiff::Timestamp;
use std::path::Path;
use std::time::Duration;

/// If a run is at least this long, backwall reads the machine before the run as well, so that checkpoints include the machine.
/// That takes half a second.
const LONG: Nanoseconds = Nanoseconds(120_000_000_000);

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    export::refuse_unwritable("--metrics", args.metrics.metrics.as_deref())?;
    let rules = args.output.rules()?;
    let mut request = args.request.clone();
    request.settle_for_what_is_granted()?;
    let job = request::job(&request)?;
    let demands = deliver::applicable(rules, job.planned())?;
    let started = jiff::Timestamp::now();
    let plan = request::plan(&request, &job, args.output.require(), args.seed.seed);
    // Handle signals before the folder exists: a process killed by a signal could not remove it.
    let stop = Stop::on_signals()?;
    let (folder, before) = folder(args, &plan, started)?;
    let begun = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let run = Run { refused_priority: request.ordinary.clone(), ..begun };
    let mut assembly = Assembly::begin_stretch(run, before);
    if let (Some(because), false) = (&job.because, !args.output.printing.is_text()) {
        console::complain(because);
    }
    if job.length() >= LONG {
        assembly.read_settings();
    }
    let keeper = request.keep_samples.then(|| Keeper::begin(folder.handle())).transpose().map_err(refused)?;
    let checkpoints =
        checkpoints(Duration::from_nanos(args.checkpoint_every.0), args.metrics.metrics.as_deref(), &folder)?;
    let flight = args.flight(&folder, assembly.stretch());
    let mut aids = Aids { keeper, flight, words: accused::line, checkpoints };
    let measured = job.measure(&stop, &mut aids, args.output.printing.quiet, &mut assembly);
    let Aids { keeper, checkpoints, flight, .. } = aids;
    checkpoints.finish().into_iter().for_each(|warning| assembly.warn(warning));
    measured?;
    let kept = keeper.map_or(Ok(()), Keeper::finish).map_err(refused);
    kept.as_ref().err().into_iter().for_each(|error| assembly.warn(Warning::new("samples-unkept", error.to_string())));
    add_conditions(&request, flight.is_some(), &mut assembly);
    let histogram = args.cyclictest.histogram.map(|last_us| move |run: &Run| cyclictest::histograms(run, last_us));
    let own = histogram.as_ref().map(|own| own as &dyn Fn(&Run) -> String);
    let output = Output {
        text: own,
        foreign: own.is_some(),
        metrics: args.metrics.metrics.as_deref(),
        verbose: args.verbose.verbose,
        ..Output::USUAL
    };
    let exit = deliver::assembled(assembly, &demands, &folder, args.output.printing, output)?;
    kept.map(|()| exit)
}

/// Creates a folder, or opens that of the resumed run and reads its earlier measurements.
fn folder(args: &Args, plan: &Plan, started: Timestamp) -> anyhow::Result<(RunFolder, Option<Run>)> {
    match args.output.destination.out.as_deref().filter(|_| args.resume) {
        Some(out) => {
            let refused = |why: String| Refusal::Input(format!("--resume {}: {why}", out.display()));
            Ok(RunFolder::resume(out, "run", started, |before| resumable(before, plan).map_err(refused))?)
        }
        None => Ok((args.output.folder("run", started)?, None)),
    }
}

/// Reports the first failure at once, so that the user of a day's run learns of it.
pub(in crate::command) fn checkpoints(
    every: Duration,
    metrics: Option<&Path>,
    folder: &RunFolder,
) -> anyhow::Result<Checkpoints> {
    let file = folder.checkpoint()?;
    let mut told = false;
    let mut metrics = metrics.map(|file| export::metrics(file.to_path_buf()));
    let save = move |run: &Run| {
        let written =
            file.write(run).map_err(anyhow::Error::from).and(metrics.iter_mut().try_for_each(|write| write(run)));
        if let (Err(error), false) = (&written, std::mem::replace(&mut told, written.is_err())) {
            console::complain(&format!("backwall: cannot write a checkpoint; measuring continues: {error:#}"));
        }
        written.map_err(|error| Refusal::Unable(format!("{error:#}")))
    };
    Ok(Checkpoints::begin(every, save))
}

fn add_conditions(request: &RunRequest, recorder: bool, assembly: &mut Assembly) {
    if request.goes_without_idle_off() {
        let said = "C-states were not disabled: cannot write /dev/cpu_dma_latency";
        assembly.warn(Warning::new("no-idle-off", said));
    }
    match recorder {
        true if !assembly.has_warning(Warning::UNRECORDED) => {
            let said = "the flight recorder was on; its cost is part of every figure";
            assembly.warn(Warning::new(Warning::RECORDER_ON, said).mended_by("--no-recorder measures without it"));
        }
        true => {}
        // Another probe (`--probe`) has no flight recorder, so there is nothing to say about it.
        false if request.probe.is_some() => {}
        false => assembly.warn(Warning::new(Warning::UNRECORDED, "the recorder was off")),
    }
    if request.best_effort {
        assembly.discredit_best_effort();
    }
}

fn refused(error: SamplesError) -> anyhow::Error {
    unable(error.to_string())
}
