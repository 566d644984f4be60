// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench events --paper`: the experiments of the paper on event series, one after the other, on this machine.
use super::Args;
use crate::deliver::{self, Output};
use crate::exit::Exit;
use crate::invocation;
use backwall_model::units::Unit;
use backwall_model::{Origin, Plan, PlannedSeries, Run};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::console;
use backwall_report::paper::event_text;
use backwall_runner::device::probe::Probe;
use backwall_runner::device::processors;
use backwall_runner::loads::placing::place;
use backwall_runner::session::assemble::Assembly;
use backwall_runner::tasks::paper::experiments::{Experiment, LOAD, all};
use backwall_runner::tasks::paper::{Machine, QUICK, WHOLE};

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let rules = args.output.rules()?;
    let probe = Probe::behind(args.probe.probe.as_deref())?;
    let cpu = processors::choose_one(args.cpu.cpu)?.cpus[0];
    let scale = if args.quick { QUICK } else { WHOLE };
    let allowed = affinity::allowed();
    let experiments = all(cpu, allowed.len());
    let planned = |experiment: &Experiment| PlannedSeries { key: experiment.key(), unit: Unit::Ns };
    let demands = deliver::applicable(rules, experiments.iter().map(planned).collect())?;
    let load = place(&probe.catalogue()?, LOAD, &allowed)?;
    let started = jiff::Timestamp::now();
    let folder = args.output.folder("events", started)?;
    let plan =
        Plan { require: args.output.require(), ..backwall_runner::tasks::plan::of_paper(cpu, scale, args.seed.seed) };
    let run = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let stop = Stop::on_signals()?;
    let machine = Machine { probe: &probe, stop: &stop, load: &load, scale, seed: args.seed.seed };
    let mut assembly = Assembly::begin(run);
    machine.measure(&experiments, &mut assembly, args.output.printing.quiet)?;
    machine.search(cpu, &mut assembly, args.output.printing.quiet)?;
    let fitted = |run: &Run| event_text(run, console::columns());
    let output = Output { text: Some(&fitted), ..Output::USUAL };
    deliver::assembled(assembly, &demands, &folder, args.output.printing, output)
}
