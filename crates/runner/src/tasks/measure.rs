// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a prepared task set on this machine.
use crate::device::probe::Probe;
use crate::session::progress::Bar;
use crate::tasks::missed::{MissedJobs, Traced};
use crate::tasks::ready::{Ready, counted};
use crate::tasks::task_set::{self, TaskSetRequest, TaskSetResult};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::Result;
use std::path::Path;
use std::time::Duration;

/// Runs the set on this machine. With `traced` (a folder for the recording, and whether to keep it) it also returns the causes of
/// missed deadlines.
pub fn measure(
    ready: &Ready,
    probe: &Probe,
    traced: Option<(&Path, bool)>,
    quiet: bool,
) -> Result<(TaskSetResult, MissedJobs)> {
    let stop = Stop::on_signals()?;
    let cpus = ready.used();
    let _kept_off = affinity::KeptOff::all_threads(&cpus);
    let length = Duration::from_nanos(ready.handed.end_ns);
    let traced = traced.map(|(place, keeps)| Traced::start(probe, &cpus, place, keeps));
    let asked = TaskSetRequest {
        bytes: &ready.handed.bytes(),
        tasks: counted(&ready.handed.tasks),
        phase: ready.phase.clone(),
        cpus: &cpus,
        loads: &ready.loads,
        length,
        best_effort: ready.handed.best_effort,
    };
    let measured = task_set::run(probe, &stop, &Bar::new(length, quiet), asked)?;
    let known = traced.map_or_else(MissedJobs::default, |traced| traced.finish(ready, &measured.jobs));
    Ok((measured, known))
}
