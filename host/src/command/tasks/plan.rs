// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of a set of tasks, as the run keeps it.
use super::options::Args;
use crate::options::Global;
use crate::run::{Extension, Plan, Tasks};
use crate::units::Nanoseconds;
use jobs::ready::Ready;

/// Everything that was asked.
pub(super) fn plan(args: &Args, global: &Global, ready: &Ready) -> Plan {
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![ready.phase.load.clone()],
        cpu: ready.used().first().copied(),
        idle: ready.phase.idle.clone(),
        seed: global.seed(),
        phase_ns: Some(Nanoseconds(ready.duration_ns)),
        best_effort: args.best_effort,
        require: global.require.clone(),
        extension: Extension::Tasks(Tasks {
            set: args.set.display().to_string(),
            organisation: ready.set.organisation.name().to_string(),
            when_overrun: ready.set.overrun.name().to_string(),
            work: args.work.name().to_string(),
            set_cpus: ready.used(),
            allow_starvation: args.allow_starvation,
        }),
        ..Plan::default()
    }
}
