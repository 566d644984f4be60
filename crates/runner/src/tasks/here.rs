// SPDX-License-Identifier: MIT OR Apache-2.0
//! The short measurement for `--constants here`: wakeups and switches of this machine, without load.
use crate::device::probe::Probe;
use crate::device::processors;
use crate::osbench::operation::{self, Setup};
use crate::session::progress::Bar;
use crate::tasks::jobs::{JobCounter, Phase};
use crate::tasks::task_set::{self, TaskSetRequest};
use backwall_model::{IDLE_AS_IS, NO_LOAD, Series};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::{Refusal, Result, unable};
use backwall_tasks::arrivals::Release;
use backwall_tasks::handed::{RunnableSet, Scheduling, Task, Work};
use backwall_tasks::set::{Organisation, Overrun};
use std::time::Duration;

const COUNT: u64 = 2_000;
const PERIOD_NS: u64 = 1_000_000;
const COMPUTATION_NS: u64 = 10_000;
const PRIORITY: u32 = 80;
/// The operation that measures a thread switch: a yield to a thread of the same process and priority.
pub const SWITCH: &str = "4.00";

pub fn measured(quiet: bool) -> Result<(u32, Vec<Series>)> {
    let probe = Probe::carried()?;
    let cpu = processors::choose_one(None)?.cpus[0];
    let stop = Stop::on_signals()?;
    let _kept_off = affinity::KeptOff::all_threads(&[cpu]);
    let mut series = wakeups(&probe, &stop, cpu, quiet).map_err(refused)?;
    if !stop.asked() {
        series.push(switches(&probe, &stop, cpu).map_err(refused)?);
    }
    match stop.asked() {
        true => Err(unable(
            "interrupted before the constants were measured; name a run that measured them, or give NAME=TIME",
        )),
        false => Ok((cpu, series)),
    }
}

/// Replaces the probe's usual advice to continue without the permission: constants of an invalid run give no bounds.
fn refused(error: Refusal) -> Refusal {
    let said = match &error {
        Refusal::NoRight { what, remedy } => format!("{what} is refused: {remedy}"),
        other => other.to_string(),
    };
    error.with_text(|_| {
        format!("--constants here: {said}; or name a run that measured the constants, or give NAME=TIME")
    })
}

fn wakeups(probe: &Probe, stop: &Stop, cpu: u32, quiet: bool) -> Result<Vec<Series>> {
    let set = set(cpu);
    let length = Duration::from_nanos(set.end_ns);
    let asked = TaskSetRequest {
        bytes: &set.bytes(),
        tasks: set.tasks.iter().map(counted).collect(),
        phase: Phase { load: NO_LOAD.to_string(), idle: IDLE_AS_IS.to_string() },
        cpus: &[cpu],
        loads: &[],
        length,
        best_effort: false,
    };
    let measured = task_set::run(probe, stop, &Bar::new(length, quiet), asked)?;
    let doubt = measured.doubts.into_iter().next();
    measured.failure.or(doubt).map_or(Ok(measured.jobs.series), |why| Err(unable(why)))
}

fn counted(task: &Task) -> JobCounter {
    let nominal_ns = task.releases.iter().map(|release| release.nominal_ns).collect();
    JobCounter { name: task.name.clone(), deadline_ns: task.deadline_ns, nominal_ns }
}

fn set(cpu: u32) -> RunnableSet {
    let at = |number: u64| Release { nominal_ns: number * PERIOD_NS, arrival_ns: number * PERIOD_NS };
    let task = Task {
        name: "wakeup".to_string(),
        computation_ns: COMPUTATION_NS,
        deadline_ns: PERIOD_NS,
        scheduling: Scheduling::Fifo(PRIORITY),
        cpu: Some(cpu),
        sections: Vec::new(),
        releases: (0..COUNT).map(at).collect(),
    };
    RunnableSet {
        tasks: vec![task],
        locks: Vec::new(),
        end_ns: (COUNT + 1) * PERIOD_NS,
        overrun: Overrun::Skip,
        organisation: Organisation::ThreadPerSeries,
        work: Work::Loop,
        idle_off: false,
        best_effort: false,
        generator_priority: PRIORITY + 1,
    }
}

fn switches(probe: &Probe, stop: &Stop, cpu: u32) -> Result<Series> {
    let known = probe.catalogue()?.operations;
    let listed = known.iter().find(|listed| listed.test == SWITCH);
    let listed = listed.ok_or_else(|| unable(format!("this probe lacks the operation {SWITCH}")))?;
    let setup = Setup {
        cpu,
        other_cpu: cpu,
        priority: PRIORITY,
        samples: COUNT,
        mark: None,
        equal: false,
        warmup: 10,
        best_effort: false,
    };
    let measured = operation::measure(probe, stop, &setup, listed, false)?;
    measured.row.failure.map_or(Ok(measured.series), |failure| Err(unable(failure)))
}
