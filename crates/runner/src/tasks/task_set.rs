// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a task set: starts the loads, runs the probe, ends the loads.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use crate::Watch;
use crate::conditions::pinned::Pinned;
use crate::conditions::quotas::Quotas;
use crate::device::probe::Probe;
use crate::loads::load::{Loads, LoadsHeard, PlacedLoad};
use crate::session::progress::Bar;
use crate::stream::child::{Child, ProbeEnd};
use crate::tasks::jobs::{self, JobCounter, JobsHeard, Phase};
use backwall_os::Stop;
use backwall_os::refusal::{Result, unable};
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::{Seek, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

/// Extra time for a probe in addition to the schedule: its threads must start, and it calibrates its computation twice.
const GRACE: Duration = Duration::from_secs(60);

pub struct TaskSetRequest<'a> {
    pub bytes: &'a [u8],
    pub tasks: Vec<JobCounter>,
    pub phase: Phase,
    pub cpus: &'a [u32],
    pub loads: &'a [PlacedLoad],
    pub length: Duration,
    pub best_effort: bool,
}

pub struct TaskSetResult {
    pub jobs: JobsHeard,
    pub loads: LoadsHeard,
    /// Why the probe ended early; one line.
    pub failure: Option<String>,
    pub doubts: Vec<String>,
}

/// Runs the set to its end, or until stopped. If the machine refuses it, that is an error. If the probe dies, its output so far
/// is kept.
pub fn run(probe: &Probe, stop: &Stop, bar: &Bar, asked: TaskSetRequest<'_>) -> Result<TaskSetResult> {
    let mut loads = Loads::start(probe, asked.loads, asked.cpus, asked.best_effort)?;
    loads.prove_alive(stop)?;
    let watch = Arc::new(Watch::default());
    let (seen, tasks, phase) = (watch.clone(), asked.tasks, asked.phase.clone());
    let listen = move |stream| jobs::listen(stream, tasks, &phase, &seen);
    let input = Stdio::from(in_memory(asked.bytes)?);
    let child = Child::start_with(probe, &["tasks".to_string()], asked.cpus, input, listen)?;
    // With `--best-effort` the set may run as ordinary threads, to which cgroup quotas apply.
    let quotas = Quotas::of_probe(probe, child.id(), asked.best_effort);
    let mut pinned = Pinned::to(asked.cpus);
    let mut ended = child.attend(stop, asked.length + GRACE, |elapsed, id| {
        bar.show(elapsed, || watch.seen());
        pinned.look(id, elapsed);
    });
    let throttled = quotas.warnings();
    let loads = loads.finish(&asked.phase.load);
    let Some(mut jobs) = ended.result.take().filter(|jobs| jobs.heard.hello.is_some()) else {
        return Err(ended.refusal("probe"));
    };
    let ProbeEnd { status, why, .. } = ended;
    let failed = !status.success() || jobs.heard.ending.is_none();
    jobs.heard.warnings.retain(|warning| !failed || warning.text != why);
    jobs.heard.warnings.extend(throttled);
    let doubts = pinned.moved().chain(loads.still.iter().cloned()).collect();
    let failure = failed.then(|| format!("the probe ended early: {why}"));
    Ok(TaskSetResult { jobs, loads, failure, doubts })
}

/// A file in memory without a name, opened at its beginning. It disappears with the last process that has it open.
fn in_memory(bytes: &[u8]) -> Result<File> {
    let made = || -> std::io::Result<File> {
        let mut file = File::from(memfd_create(c"backwall-set", MemfdFlags::CLOEXEC)?);
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    };
    made().map_err(|error| unable(format!("cannot put the task set into memory: {error}")))
}
