// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks paper`: the experiments of the paper on event series, one after the other, on this machine.
mod experiments;
mod figures;

use super::super::deliver::{self, Output};
use super::super::run::place;
use super::limit::limit_of;
use super::limit_bench::Bench;
use super::ready::counted;
use crate::affinity;
use crate::exit::{Exit, unable};
use crate::invocation;
use crate::options::Global;
use crate::probe::Probe;
use crate::processors;
use crate::report::paper::event_text;
use crate::report::paper::events::MIX_NS;
use crate::run::{Extension, IDLE_AS_IS, NO_LOAD, Origin, Plan, Planned, Run, TasksPaper};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::jobs::Phase;
use crate::session::load::Placed;
use crate::session::progress::Bar;
use crate::session::task_set::{self, Asked, Measured};
use crate::store::RunFolder;
use crate::tasks::set::Organisation;
use crate::units::Unit;
use experiments::{Cpus, Experiment, LOAD, Scale, all};
use figures::figure;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

const WHOLE: Scale = Scale { instants: 100, mix_ns: MIX_NS };
const QUICK: Scale = Scale { instants: 20, mix_ns: MIX_NS / 10 };
/// What an experiment takes beside its schedule: the probe begins, its threads settle.
const AROUND: Duration = Duration::from_millis(700);
/// The search of Figure 5, about.
const SEARCH: Duration = Duration::from_secs(15);

/// Arguments of `backwall tasks paper`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor of all experiments that have one [default: an isolated one, else the last]
    #[arg(short = 'a', long, value_name = "N")]
    cpu: Option<u32>,
    /// A tenth of each mix and a fifth of the other events
    #[arg(long)]
    quick: bool,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    probe: Option<PathBuf>,
}

/// Runs every experiment, and delivers what came of those that were done.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = deliver::rules(global)?;
    let probe = args.probe.as_deref().map_or_else(Probe::carried, |file| Ok(Probe::file(file)))?;
    let cpu = processors::choose_one(args.cpu)?.cpus[0];
    let scale = if args.quick { QUICK } else { WHOLE };
    let allowed = affinity::allowed();
    let experiments = all(cpu, allowed.len());
    let planned = |experiment: &Experiment| Planned { key: experiment.key(), unit: Unit::Ns };
    let demands = deliver::applicable(rules, experiments.iter().map(planned).collect())?;
    let load = place(&probe.catalogue()?, LOAD, &allowed)?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "tasks-paper", started)?;
    let run = Run::begin(Origin::Measured, plan(cpu, scale, global), invocation::words(), started);
    let stop = Stop::on_signals()?;
    let machine = Machine { probe: &probe, stop: &stop, load: &load, scale, seed: global.seed() };
    let mut assembly = Assembly::begin(run);
    machine.measure(&experiments, &mut assembly, global.quiet)?;
    machine.search(cpu, &mut assembly, global.quiet)?;
    let failure = assembly.failure().map(unable);
    let output = Output { text: Some(&event_text), ..Output::USUAL };
    let exit = deliver::deliver(assembly.finish(), &demands, &folder, global, output)?;
    failure.map_or(Ok(exit), Err)
}

fn plan(cpu: u32, scale: Scale, global: &Global) -> Plan {
    Plan {
        measures: vec!["tasks paper".to_string()],
        loads: vec![NO_LOAD.to_string(), LOAD.to_string()],
        cpu: Some(cpu),
        idle: IDLE_AS_IS.to_string(),
        seed: global.seed(),
        require: global.require.clone(),
        extension: Extension::TasksPaper(TasksPaper { set_cpu: cpu, instants: scale.instants, mix_ns: scale.mix_ns }),
        ..Plan::default()
    }
}

struct Machine<'a> {
    probe: &'a Probe,
    stop: &'a Stop,
    /// The background load, on every processor.
    load: &'a [Placed],
    scale: Scale,
    seed: u64,
}

impl Machine<'_> {
    /// One experiment after the other, until the user ends it. What the machine refuses to the first is refused.
    fn measure(&self, experiments: &[Experiment], assembly: &mut Assembly, quiet: bool) -> anyhow::Result<()> {
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

    fn one(&self, experiment: &Experiment, bar: &Bar) -> anyhow::Result<Measured> {
        let set = experiment.set(self.scale, self.seed);
        let load = experiment.load();
        let cpus: Vec<u32> = if let Cpus::One(cpu) = experiment.cpus { vec![cpu] } else { Vec::new() };
        let _kept_off = affinity::KeptOff::processors(&cpus);
        let asked = Asked {
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

    /// What the probe says of the machine is the same for every experiment: it is told once.
    fn take(&self, experiment: &Experiment, measured: Measured, assembly: &mut Assembly, said: &mut BTreeSet<String>) {
        let Measured { mut jobs, loads, failure, doubts } = measured;
        let series = figure(experiment, &jobs);
        if assembly.has_figures() {
            jobs.heard.values.clear();
        }
        jobs.heard.warnings.retain(|warning| said.insert(warning.clone()));
        if series.known_lost() > 0 && !self.stop.asked() {
            let (lost, due) = (series.known_lost(), series.due.unwrap_or(0));
            assembly.warn(format!(
                "{}: {lost} of {due} events were not done: their times are not known",
                experiment.name()
            ));
        }
        assembly.take_made(jobs.heard, vec![series]);
        assembly.take_loads(loads);
        let doubts = doubts.into_iter().filter(|doubt| said.insert(doubt.clone()));
        doubts.for_each(|doubt| assembly.discredit(&format!("{}: {doubt}", experiment.name())));
        failure.into_iter().for_each(|failure| assembly.fail(format!("{}: {failure}", experiment.name())));
    }

    /// Figure 5, with threads that exist.
    fn search(&self, cpu: u32, assembly: &mut Assembly, quiet: bool) -> anyhow::Result<()> {
        if self.stop.asked() {
            assembly.interrupt();
            return Ok(());
        }
        let mut bench = Bench::here(self.probe, self.stop, cpu, Organisation::Pool, quiet);
        let found = bench.search()?;
        assembly.values(limit_of(&found, &bench).values());
        if found.interrupted {
            assembly.interrupt();
        }
        bench.doubts.iter().for_each(|doubt| assembly.discredit(doubt));
        Ok(())
    }
}
