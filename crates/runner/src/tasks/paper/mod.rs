// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the experiments of the paper on event series on this machine, one after the other.
pub mod experiments;
mod figures;

use crate::device::probe::Probe;
use crate::loads::load::PlacedLoad;
use crate::session::assemble::Assembly;
use crate::session::part::Part;
use crate::session::progress::Bar;
use crate::tasks::jobs::Phase;
use crate::tasks::limit::bench::Bench;
use crate::tasks::limit::limit_of;
use crate::tasks::ready::counted;
use crate::tasks::task_set::{self, TaskSetRequest, TaskSetResult};
use backwall_model::{IDLE_AS_IS, Warning};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::Result;
use backwall_tasks::published::MIX_NS;
use backwall_tasks::set::Organisation;
use experiments::{Cpus, Experiment, LOAD, Scale};
use figures::figure;
use std::collections::BTreeSet;
use std::time::Duration;

pub const WHOLE: Scale = Scale { instants: 100, mix_ns: MIX_NS };
pub const QUICK: Scale = Scale { instants: 20, mix_ns: MIX_NS / 10 };
/// Time that an experiment takes in addition to its schedule, to start the probe and its threads.
const AROUND: Duration = Duration::from_millis(700);
/// Approximate time of the search for Figure 5.
const SEARCH: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub struct Machine<'a> {
    pub probe: &'a Probe,
    pub stop: &'a Stop,
    pub load: &'a [PlacedLoad],
    pub scale: Scale,
    pub seed: u64,
}

impl Machine<'_> {
    /// Runs the experiments until the user stops. Fails if the machine refuses the first one.
    pub fn measure(&self, experiments: &[Experiment], assembly: &mut Assembly, quiet: bool) -> Result<()> {
        let length = |experiment: &Experiment| Duration::from_nanos(experiment.length_ns(self.scale)) + AROUND;
        let whole = experiments.iter().map(length).sum::<Duration>() + SEARCH;
        let mut bar = Bar::new(whole, quiet);
        let mut said = BTreeSet::new();
        for experiment in experiments {
            if self.stop.asked() {
                assembly.interrupt();
                return Ok(());
            }
            bar.phase(&experiment.name());
            match self.one(experiment, &bar) {
                Ok(measured) => self.take(experiment, measured, assembly, &mut said),
                Err(error) if !assembly.has_figures() => return Err(error),
                Err(error) => assembly.fail(format!("{}: {error:#}", experiment.name())),
            }
            bar.passed(length(experiment));
        }
        Ok(())
    }

    fn one(&self, experiment: &Experiment, bar: &Bar) -> Result<TaskSetResult> {
        let set = experiment.set(self.scale, self.seed);
        let load = experiment.load();
        let cpus: Vec<u32> = if let Cpus::One(cpu) = experiment.cpus { vec![cpu] } else { Vec::new() };
        let _kept_off = affinity::KeptOff::all_threads(&cpus);
        let asked = TaskSetRequest {
            bytes: &set.bytes(),
            tasks: counted(&set.tasks),
            phase: Phase { load: load.to_string(), idle: IDLE_AS_IS.to_string() },
            cpus: &cpus,
            loads: if load == LOAD { self.load } else { &[] },
            length: Duration::from_nanos(set.end_ns),
            best_effort: false,
        };
        task_set::run(self.probe, self.stop, bar, asked)
    }

    /// Adds the results of an experiment. The probe's facts about the machine are the same each time, so they are added once.
    fn take(
        &self,
        experiment: &Experiment,
        measured: TaskSetResult,
        assembly: &mut Assembly,
        said: &mut BTreeSet<Warning>,
    ) {
        let TaskSetResult { mut jobs, loads, failure, doubts } = measured;
        let series = figure(experiment, &jobs);
        if assembly.has_figures() {
            jobs.heard.values.clear();
        }
        jobs.heard.warnings.retain(|warning| said.insert(warning.clone()));
        if series.known_missed() > 0 && !self.stop.asked() {
            let (lost, due) = (series.known_missed(), series.due.unwrap_or(0));
            let said = format!("{lost} of {due} events were not done, so their times are unknown");
            assembly.warn(Warning::new("events-lost", said).of(experiment.name()));
        }
        assembly.take(Part::of_made(jobs.heard, vec![series]));
        assembly.take(Part::of_loads(loads));
        let doubts = doubts.into_iter().filter(|doubt| said.insert(Warning::new(Warning::NO_EVIDENCE, doubt)));
        doubts.for_each(|doubt| assembly.discredit(&format!("{}: {doubt}", experiment.name())));
        failure.into_iter().for_each(|failure| assembly.fail(format!("{}: {failure}", experiment.name())));
    }

    pub fn search(&self, cpu: u32, assembly: &mut Assembly, quiet: bool) -> Result<()> {
        if self.stop.asked() {
            assembly.interrupt();
            return Ok(());
        }
        let mut bench = Bench::here(self.probe, self.stop, cpu, Organisation::Pool, quiet);
        let found = bench.search()?;
        assembly.take(Part { found: limit_of(&found, &bench).found(), ..Part::default() });
        if found.interrupted {
            assembly.interrupt();
        }
        bench.doubts.iter().for_each(|doubt| assembly.discredit(doubt));
        Ok(())
    }
}
