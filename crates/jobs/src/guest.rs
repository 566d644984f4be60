// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks on a guest of the bench: the same probe, the same instants, and figures in executed instructions.
use crate::ready::{Ready, counted};
use exit::{Refusal, unable, usage};
use lab::bench::Settings;
use lab::emulator::Emulator;
use lab::machine::Machine;
use lab::task_set::{self, GUEST};
use session::jobs::{self, Phase};
use session::load::LoadsHeard;
use session::task_set::Measured;
use session::{Stop, Watch};
use std::fs::File;
use std::io::BufReader;
use tasks::handed::{Handed, Work};

/// The guest that takes sets, and what it is run with.
#[derive(Debug)]
pub struct Guest {
    emulator: Emulator,
    settings: Settings,
}

impl Guest {
    /// The guest of this name.
    pub fn of(name: &str, seed: u64) -> anyhow::Result<Self> {
        if name != GUEST {
            return Err(usage(format!("--guest {name}: sets of tasks run on {GUEST}")));
        }
        let emulator = Emulator::find(Machine::usual()).map_err(|error| unable(error.to_string()))?;
        let settings = Settings { seed, stop: Stop::on_signals()?, ..Settings::default() };
        Ok(Self { emulator, settings })
    }

    /// Whether the user wants to end.
    pub fn is_stopped(&self) -> bool {
        self.settings.stop.asked()
    }

    /// Runs a set to its end.
    pub fn run(&self, handed: &Handed, phase: &Phase) -> anyhow::Result<Measured> {
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
pub fn measure(ready: &Ready, name: &str, seed: u64) -> anyhow::Result<Measured> {
    if ready.handed.work == Work::CpuTime {
        return Err(usage("--work cpu-time: Detent keeps no account of a thread's processor time; leave it out"));
    }
    Guest::of(name, seed)?.run(&ready.handed, &ready.phase)
}
