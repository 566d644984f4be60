// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a probe stream from a file or another machine to a run. Reads nothing about this machine.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use crate::Watch;
use crate::session::assemble::Assembly;
use crate::session::part::Part;
use crate::stream::probe_report::{Conditions, ProbeReport, listen};
use backwall_model::units::Nanoseconds;
use backwall_model::{Plan, Run, Warning};
use backwall_os::{Stop, regular_file};
use backwall_wire::is_stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const STREAM_START: u64 = 16;

const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

#[derive(Debug)]
pub struct Collected {
    /// The run, up to the first error in the stream.
    pub run: Run,
    pub fault: Option<String>,
}

/// Whether a probe wrote this input: a file must begin with a probe's first record; a pipe or device is assumed to come from a
/// probe.
pub fn is_one(file: &Path) -> bool {
    let Ok(source) = regular_file::open(file) else { return file == Path::new("-") || file.exists() };
    let mut start = Vec::new();
    source.take(STREAM_START).read_to_end(&mut start).is_ok() && is_stream(&start)
}

/// Reads `input` to its end, or until stopped, and completes `run`. The load is the one that the user names, otherwise the
/// stream's. A stream without a series is an error: one line says why.
pub fn collect(input: File, stop: &Stop, load: Option<String>, run: Run) -> Result<Collected, String> {
    let mut assembly = Assembly::elsewhere(run);
    let conditions = Conditions { load, idle: None, recorder: None, flight: None, keeper: None };
    let input = BufReader::with_capacity(1 << 16, Interruptible { input, stop });
    let mut heard = listen(input, conditions, &Watch::default());
    let fault = heard.fault.take();
    if heard.series.is_empty() {
        return Err(fault.unwrap_or_else(|| nothing(&heard, stop).to_string()));
    }
    if fault.is_none() && heard.ending.is_none() && !stop.asked() {
        let said = "the stream is truncated: it was cut off in transfer, or the probe was killed";
        assembly.warn(Warning::new("cut", said));
    }
    if heard.asked.contains_key("best_effort") {
        assembly.discredit_best_effort();
    }
    assembly.plan(|plan| complete(plan, &heard));
    assembly.take(Part::of_stream(heard));
    Ok(Collected { run: assembly.finish(), fault })
}

fn nothing(heard: &ProbeReport, stop: &Stop) -> &'static str {
    match heard.hello {
        _ if stop.asked() => "interrupted before the first series",
        None => "the stream is empty",
        Some(_) => "the stream has no series: it belongs to a load, or ends before its first sample",
    }
}

fn complete(plan: &mut Plan, heard: &ProbeReport) {
    let keys: Vec<_> = heard.series.iter().map(|series| series.key()).collect();
    let said = |key: &str| heard.asked.get(key).cloned();
    plan.measures = vec![said("measure").unwrap_or_else(|| keys[0].name.clone())];
    plan.loads = vec![keys[0].load.clone()];
    plan.idle = keys[0].idle.clone();
    plan.priority = said("priority").and_then(|priority| priority.parse().ok());
    plan.cpu = said("measured_cpu").and_then(|cpu| cpu.parse().ok());
    if let (Some(schedule), Some(hello)) = (heard.schedule, &heard.hello) {
        plan.period_ns = Some(Nanoseconds(hello.rate.ns_of(schedule.period.get())));
        plan.overrun = Some(schedule.overrun);
    }
}

/// A file or pipe. A stop request ends a read even if there is no writer.
struct Interruptible<'a> {
    input: File,
    stop: &'a Stop,
}

impl Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.stop.asked() {
            let mut wanted = [PollFd::new(&self.input, PollFlags::IN)];
            match poll(&mut wanted, Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => return self.input.read(buffer),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }
}
