// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks on a guest of the bench: the same probe, the same instants, and figures in executed instructions.
use super::ready::{Ready, counted};
use crate::exit::{Refusal, unable, usage};
use crate::lab::bench::Settings;
use crate::lab::emulator::Emulator;
use crate::lab::machine::Machine;
use crate::lab::task_set::{self, GUEST};
use crate::options::Global;
use crate::session::jobs::{self, Phase};
use crate::session::load::LoadsHeard;
use crate::session::task_set::Measured;
use crate::session::{Stop, Watch};
use crate::tasks::handed::{Handed, Work};
use std::fs::File;
use std::io::BufReader;

/// The guest that takes sets, and what it is run with.
pub(super) struct Guest {
    emulator: Emulator,
    settings: Settings,
}

impl Guest {
    /// The guest of this name.
    pub(super) fn of(name: &str, global: &Global) -> anyhow::Result<Self> {
        if name != GUEST {
            return Err(usage(format!("--guest {name}: sets of tasks run on {GUEST}")));
        }
        let emulator = Emulator::find(Machine::usual()).map_err(|error| unable(error.to_string()))?;
        let settings = Settings { seed: global.seed(), stop: Stop::on_signals()?, ..Settings::default() };
        Ok(Self { emulator, settings })
    }

    /// Whether the user wants to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.settings.stop.asked()
    }

    /// Runs a set to its end.
    pub(super) fn run(&self, handed: &Handed, phase: &Phase) -> anyhow::Result<Measured> {
        let set = task_set::Set { bytes: &handed.bytes(), load: &phase.load, end_ns: handed.end_ns };
        let bench = task_set::run(&set, &self.emulator, &self.settings)
            .map_err(|fault| Refusal { exit: fault.exit(), text: format!("{GUEST}: {fault}") })?;
        let channel =
            File::open(bench.channel_path()).map_err(|error| unable(format!("the guest's stream: {error}")))?;
        let jobs = jobs::listen(BufReader::new(channel), counted(&handed.tasks), phase, &Watch::default());
        if jobs.heard.hello.is_none() {
            let said: Vec<&str> = bench.console.lines().rev().filter(|line| line.contains("probe: ")).take(1).collect();
            return Err(unable(format!("{GUEST}: {}", said.first().unwrap_or(&"it said nothing"))));
        }
        let failure = jobs.heard.failure().map(|why| format!("{GUEST}: {why}"));
        Ok(Measured { jobs, loads: LoadsHeard::default(), failure, doubts: Vec::new() })
    }
}

/// Runs a set that is ready on the guest of this name.
pub(super) fn measure(ready: &Ready, name: &str, global: &Global) -> anyhow::Result<Measured> {
    if ready.handed.work == Work::CpuTime {
        return Err(usage("--work cpu-time: Detent keeps no account of a thread's processor time; leave it out"));
    }
    Guest::of(name, global)?.run(&ready.handed, &ready.phase)
}
