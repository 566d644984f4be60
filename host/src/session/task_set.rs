// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of tasks: loads up, the probe that runs it through, loads down.
use super::child::Child;
use super::jobs::{self, Counted, JobsHeard, Phase};
use super::load::{Loads, LoadsHeard, Placed};
use super::pinned::Pinned;
use super::progress::Bar;
use super::{Stop, Watch};
use crate::exit::{Exit, Refusal, unable};
use crate::probe::Probe;
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::{Seek, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(100);
/// How long a probe may take beyond the schedule: threads settle, and its computing is calibrated twice.
const GRACE: Duration = Duration::from_secs(60);

/// A set to run.
pub struct Asked<'a> {
    /// As the probe takes it.
    pub bytes: &'a [u8],
    /// What is needed to count its jobs.
    pub tasks: Vec<Counted>,
    /// For the keys of its series.
    pub phase: Phase,
    /// The processors of its tasks.
    pub cpus: &'a [u32],
    /// What runs beside.
    pub loads: &'a [Placed],
    /// From the first instant to the last.
    pub length: Duration,
    /// Go on when the machine refuses.
    pub best_effort: bool,
}

/// What came of it.
pub struct Measured {
    /// What the probe said.
    pub jobs: JobsHeard,
    /// What the loads did.
    pub loads: LoadsHeard,
    /// Why the probe ended before its time; one line.
    pub failure: Option<String>,
    /// Why the figures are no evidence.
    pub doubts: Vec<String>,
}

/// Runs it to its end, or until it is stopped. A machine that refuses is an error; a probe that dies on the way is not: what
/// it said is kept.
pub fn run(probe: &Probe, stop: &Stop, bar: &Bar, asked: Asked<'_>) -> anyhow::Result<Measured> {
    let mut loads = Loads::start(probe, asked.loads, asked.cpus, asked.best_effort)?;
    loads.prove_alive(stop)?;
    let watch = Arc::new(Watch::default());
    let (seen, tasks, phase) = (watch.clone(), asked.tasks, asked.phase.clone());
    let listen = move |stream| jobs::listen(stream, tasks, &phase, &seen);
    let input = Stdio::from(in_memory(asked.bytes)?);
    let mut child = Child::start_with(probe, &["tasks".to_string()], asked.cpus, input, listen)?;
    let mut pinned = Pinned::to(asked.cpus);
    let hangs = follow(&mut child, stop, asked.length, |elapsed, id| {
        bar.show(elapsed, || watch.seen());
        pinned.look(id, elapsed);
    });
    let (heard, status, complaint) = child.finish();
    let loads = loads.finish(&asked.phase.load);
    let why = match (complaint.is_empty(), hangs) {
        (_, true) => "it did not end in its time, and was ended".to_string(),
        (true, _) => status.to_string(),
        _ => complaint,
    };
    let Some(mut jobs) = heard.filter(|jobs| jobs.heard.hello.is_some()) else {
        let exit = if status.code() == Some(2) { Exit::Usage } else { Exit::Unable };
        return Err(Refusal { exit, text: format!("probe: {why}") }.into());
    };
    let failed = !status.success() || jobs.heard.ending.is_none();
    jobs.heard.warnings.retain(|warning| !failed || *warning != why);
    let doubts = pinned.moved().chain(loads.still.iter().cloned()).collect();
    let failure = failed.then(|| format!("the probe ended before its time: {why}"));
    Ok(Measured { jobs, loads, failure, doubts })
}

/// Waits for the end of the probe's stream or a request to stop; `true` for a probe that hangs.
fn follow<T: Send + 'static>(
    child: &mut Child<T>,
    stop: &Stop,
    length: Duration,
    mut look: impl FnMut(Duration, u32),
) -> bool {
    let begun = Instant::now();
    while !child.wait(LOOK) {
        look(begun.elapsed(), child.id());
        let hangs = begun.elapsed() > length + GRACE;
        if hangs || stop.asked() {
            child.stop();
            return hangs;
        }
    }
    false
}

/// A file without a name, from its beginning: it is gone with the last process that has it.
fn in_memory(bytes: &[u8]) -> anyhow::Result<File> {
    let made = || -> std::io::Result<File> {
        let mut file = File::from(memfd_create(c"backwall-set", MemfdFlags::CLOEXEC)?);
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    };
    made().map_err(|error| unable(format!("the set of tasks cannot be put into memory: {error}")))
}
