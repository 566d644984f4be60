// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs task sets on Detent as a lab guest.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::bench::Settings;
use super::emulator::Emulator;
use super::machine::Machine;
use super::task_set::{self, GUEST};
use backwall_os::Stop;
use backwall_os::refusal::{Result, unable, usage};
use backwall_runner::Watch;
use backwall_runner::loads::load::LoadsHeard;
use backwall_runner::tasks::guest::Guest;
use backwall_runner::tasks::jobs::{self as stream, Phase};
use backwall_runner::tasks::ready::counted;
use backwall_runner::tasks::task_set::TaskSetResult;
use backwall_tasks::handed::RunnableSet;
use std::fs::File;
use std::io::BufReader;

#[derive(Debug)]
pub struct TaskGuest {
    emulator: Emulator,
    settings: Settings,
}

impl TaskGuest {
    pub fn named(name: &str, seed: u64) -> Result<Self> {
        if name != GUEST {
            return Err(usage(format!("--guest {name}: task sets run on {GUEST}")));
        }
        let emulator = Emulator::find(Machine::usual()).map_err(|error| unable(error.to_string()))?;
        let settings = Settings { seed, stop: Stop::on_signals()?, ..Settings::default() };
        Ok(Self { emulator, settings })
    }
}

impl Guest for TaskGuest {
    fn run(&self, handed: &RunnableSet, phase: &Phase) -> Result<TaskSetResult> {
        let set = task_set::Set { bytes: &handed.bytes(), load: &phase.load, end_ns: handed.end_ns };
        let bench = task_set::run(&set, &self.emulator, &self.settings).map_err(|fault| {
            let text = format!("{GUEST}: {fault}");
            fault.refusal(GUEST).with_text(|_| text)
        })?;
        let channel =
            File::open(bench.channel_path()).map_err(|error| unable(format!("the guest's stream: {error}")))?;
        let jobs = stream::listen(BufReader::new(channel), counted(&handed.tasks), phase, &Watch::default());
        if jobs.heard.hello.is_none() {
            let said: Vec<&str> = bench.console.lines().rev().filter(|line| line.contains("probe: ")).take(1).collect();
            return Err(unable(format!("{GUEST}: {}", said.first().unwrap_or(&"no error message"))));
        }
        let failure = jobs.heard.failure().map(|why| format!("{GUEST}: {why}"));
        Ok(TaskSetResult { jobs, loads: LoadsHeard::default(), failure, doubts: Vec::new() })
    }

    fn is_stopped(&self) -> bool {
        self.settings.stop.asked()
    }
}
