// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of tasks on a guest of the bench: the same probe, the same instants, and figures in executed instructions.
use super::ready::{Ready, counted};
use crate::exit::{Refusal, unable, usage};
use crate::lab::bench::Settings;
use crate::lab::emulator::Emulator;
use crate::lab::task_set::{self, GUEST};
use crate::options::Global;
use crate::session::jobs;
use crate::session::load::LoadsHeard;
use crate::session::task_set::Measured;
use crate::session::{Stop, Watch};
use crate::tasks::handed::Work;
use std::fs::File;
use std::io::BufReader;

/// Runs the set on the guest of this name.
pub(super) fn measure(ready: &Ready, name: &str, global: &Global) -> anyhow::Result<Measured> {
    if name != GUEST {
        return Err(usage(format!("--guest {name}: sets of tasks run on {GUEST}")));
    }
    if ready.handed.work == Work::CpuTime {
        return Err(usage("--work cpu-time: Detent keeps no account of a thread's processor time; leave it out"));
    }
    let emulator = Emulator::find().map_err(|error| unable(error.to_string()))?;
    let settings = Settings { seed: global.seed(), stop: Stop::on_signals()?, ..Settings::default() };
    let set = task_set::Set { bytes: &ready.handed.bytes(), load: &ready.phase.load, end_ns: ready.handed.end_ns };
    let bench = task_set::run(&set, &emulator, &settings)
        .map_err(|fault| Refusal { exit: fault.exit(), text: format!("{GUEST}: {fault}") })?;
    let channel = File::open(bench.channel_path()).map_err(|error| unable(format!("the guest's stream: {error}")))?;
    let jobs = jobs::listen(BufReader::new(channel), counted(&ready.handed.tasks), &ready.phase, &Watch::default());
    if jobs.heard.hello.is_none() {
        let said: Vec<&str> = bench.console.lines().rev().filter(|line| line.contains("probe: ")).take(1).collect();
        return Err(unable(format!("{GUEST}: {}", said.first().unwrap_or(&"it said nothing"))));
    }
    let failure = jobs.heard.failure().map(|why| format!("{GUEST}: {why}"));
    Ok(Measured { jobs, loads: LoadsHeard::default(), failure, doubts: Vec::new() })
}
