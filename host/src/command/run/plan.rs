// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked, as the run keeps it.
use super::options::Args;
use super::setup::measures;
use crate::options::Global;
use crate::run::{Extension, Plan, Policy};
use crate::session::job::Job;
use crate::units::Nanoseconds;

pub(super) fn plan(args: &Args, global: &Global, job: &Job) -> Plan {
    let setup = &job.setups[0];
    Plan {
        measures: measures(args),
        loads: job.untraced().map(|phase| phase.load.clone()).collect(),
        phase_ns: Some(job.steps[0].phase.length),
        whole_ns: Some(job.length()),
        cpu: setup.cpus.first().copied(),
        cpus: if setup.cpus.len() > 1 { setup.cpus.clone() } else { Vec::new() },
        policy: (args.policy() != Policy::Fifo).then_some(args.policy()),
        runtime_ns: setup.runtime().map(Nanoseconds),
        priority: Some(setup.priority),
        period_ns: Some(args.period),
        deadline_ns: args.deadline,
        overrun: Some(args.overrun),
        idle: job.untraced().map(|phase| phase.idle.name()).collect::<Vec<_>>().join(", "),
        load_cpus: job.load_cpus.clone().unwrap_or_default(),
        with: args.own.clone(),
        stop_above_ns: args.stop_above,
        snapshot_above_ns: args.snapshot_above,
        best_effort: args.best_effort,
        require: global.require.clone(),
        keep_samples: Some(args.keep_samples),
        seed: global.seed(),
        extension: Extension::Run,
    }
}
