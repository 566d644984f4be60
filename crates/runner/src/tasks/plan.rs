// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans of task sets in the form in which a run stores them. The commands add their own fields.
use crate::tasks::limit::bench::Bench;
use crate::tasks::paper::experiments::{LOAD, Scale};
use crate::tasks::ready::{Ready, SetOptions};
use backwall_model::units::Nanoseconds;
use backwall_model::{Extension, IDLE_AS_IS, NO_LOAD, Plan, Tasks, TasksPaper};
use backwall_tasks::handed::Work;
use backwall_tasks::set::Overrun;

pub fn of_set(asked: &SetOptions, ready: &Ready) -> Plan {
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![ready.phase.load.clone()],
        cpu: ready.used().first().copied(),
        idle: ready.phase.idle.clone(),
        seed: asked.seed,
        phase_ns: Some(Nanoseconds(ready.duration_ns)),
        best_effort: asked.best_effort,
        extension: Extension::Tasks(Tasks {
            set: asked.set.display().to_string(),
            organisation: ready.set.organisation.name().to_string(),
            when_overrun: ready.set.overrun.name().to_string(),
            work: asked.work.name().to_string(),
            set_cpus: ready.used(),
            allow_starvation: asked.allow_starvation,
        }),
        ..Plan::default()
    }
}

pub fn of_limit(bench: &Bench<'_>, seed: u64) -> Plan {
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![NO_LOAD.to_string()],
        cpu: Some(bench.cpu),
        idle: IDLE_AS_IS.to_string(),
        seed,
        extension: Extension::Tasks(Tasks {
            set: "limit".to_string(),
            organisation: bench.organisation.name().to_string(),
            when_overrun: Overrun::Queue.name().to_string(),
            work: Work::Loop.name().to_string(),
            set_cpus: vec![bench.cpu],
            allow_starvation: false,
        }),
        ..Plan::default()
    }
}

pub fn of_paper(cpu: u32, scale: Scale, seed: u64) -> Plan {
    Plan {
        measures: vec!["tasks paper".to_string()],
        loads: vec![NO_LOAD.to_string(), LOAD.to_string()],
        cpu: Some(cpu),
        idle: IDLE_AS_IS.to_string(),
        seed,
        extension: Extension::TasksPaper(TasksPaper { set_cpu: cpu, instants: scale.instants, mix_ns: scale.mix_ns }),
        ..Plan::default()
    }
}
