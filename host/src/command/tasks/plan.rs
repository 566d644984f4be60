// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of a set of tasks, as the run keeps it.
use super::options::Args;
use super::ready::Ready;
use crate::options::Global;
use crate::run::{Extension, Plan, Tasks};
use crate::tasks::handed::Work;
use crate::tasks::set::{Organisation, Overrun};
use crate::units::Nanoseconds;

/// Everything that was asked.
pub(super) fn plan(args: &Args, global: &Global, ready: &Ready) -> Plan {
    let organisation = match ready.set.organisation {
        Organisation::ThreadPerSeries => "thread-per-series",
        Organisation::Pool => "pool",
        Organisation::ThreadPerEvent => "thread-per-event",
    };
    let when_overrun = match ready.set.overrun {
        Overrun::Skip => "skip",
        Overrun::Queue => "queue",
        Overrun::Abort => "abort",
    };
    let work = match args.work {
        Work::Loop => "loop",
        Work::CpuTime => "cpu-time",
    };
    let longest_ns = ready.handed.tasks.iter().map(|task| task.deadline_ns).max().unwrap_or(0);
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![ready.phase.load.clone()],
        idle: ready.phase.idle.clone(),
        seed: global.seed,
        phase_ns: Some(Nanoseconds(ready.handed.end_ns - longest_ns)),
        best_effort: args.best_effort,
        require: global.require.clone(),
        extension: Extension::Tasks(Tasks {
            set: args.set.display().to_string(),
            organisation: organisation.to_string(),
            when_overrun: when_overrun.to_string(),
            work: work.to_string(),
            set_cpus: ready.used(),
            allow_starvation: args.allow_starvation,
        }),
        ..Plan::default()
    }
}
