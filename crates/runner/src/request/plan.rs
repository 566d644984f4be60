// SPDX-License-Identifier: MIT OR Apache-2.0
//! The request in the form in which a run stores it.
use super::RunRequest;
use super::setup::measures;
use crate::session::job::Job;
use backwall_model::units::Nanoseconds;
use backwall_model::{Extension, Plan, Policy};

pub fn plan(asked: &RunRequest, job: &Job, require: Vec<String>, seed: u64) -> Plan {
    let setup = &job.setups[0];
    Plan {
        measures: measures(asked),
        loads: job.untraced().map(|phase| phase.load.clone()).collect(),
        phase_ns: Some(job.steps[0].phase.length),
        whole_ns: Some(job.length()),
        cpu: setup.cpus.first().copied(),
        cpus: if setup.cpus.len() > 1 { setup.cpus.clone() } else { Vec::new() },
        policy: (asked.policy() != Policy::Fifo).then_some(asked.policy()),
        runtime_ns: setup.runtime().map(Nanoseconds),
        priority: Some(setup.priority),
        period_ns: Some(asked.schedule.period),
        deadline_ns: asked.schedule.deadline,
        overrun: Some(asked.schedule.overrun),
        idle: job.untraced().map(|phase| phase.idle.name()).collect::<Vec<_>>().join(", "),
        load_cpus: job.load_cpus.clone().unwrap_or_default(),
        load_command: asked.own.clone(),
        stop_above_ns: asked.stop_above,
        snapshot_above_ns: asked.snapshot_above,
        best_effort: asked.best_effort,
        require,
        keep_samples: Some(asked.keep_samples),
        seed,
        extension: Extension::Run,
    }
}
