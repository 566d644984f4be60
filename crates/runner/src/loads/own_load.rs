// SPDX-License-Identifier: MIT OR Apache-2.0
//! The load of `--load-cmd`: a shell command, which counts as alive while the total CPU time of its processes grows.
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use crate::device::supervised::Supervised;
use crate::loads::load::{ALIVE_WITHIN, LoadsHeard};
use backwall_model::{LoadProgress, Warning};
use backwall_os::Stop;
use backwall_os::complaint::not_started;
use backwall_os::refusal::{Result, unable};
use std::time::{Duration, Instant};

pub const WITH: &str = "with";

#[derive(Clone, Debug)]
pub struct OwnCommand {
    pub text: String,
    /// The CPUs on which the command runs, at least one.
    pub cpus: Vec<u32>,
}

#[derive(Debug)]
pub struct OwnLoad {
    load: Supervised,
    begun: Instant,
}

impl OwnLoad {
    pub fn start(command: &OwnCommand) -> Result<Self> {
        let started = Supervised::start(&command.text, &command.cpus);
        let load =
            started.map_err(|error| unable(format!("--load-cmd: cannot start the shell: {}", not_started(&error))))?;
        Ok(Self { load, begun: Instant::now() })
    }

    /// Waits until the command has used CPU time. If the command ends before that, the phase ends too.
    pub fn prove_alive(&self, stop: &Stop) -> Result<()> {
        while self.load.used().is_zero() && self.begun.elapsed() < ALIVE_WITHIN && !stop.asked() {
            if self.begun.elapsed() > Duration::from_millis(500) && !self.load.runs() {
                return Err(unable("--load-cmd: the command ended at once; try it by hand"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub fn finish(self, heard: &mut LoadsHeard) {
        let (used, seconds) = (self.load.used(), self.begun.elapsed().as_secs_f64());
        if !self.load.runs() {
            heard.failure = Some("the command of --load-cmd ended before the phase did".to_string());
        } else if used.is_zero() {
            let said = "the command of --load-cmd used no CPU time, so there was no load";
            heard.warnings.push(Warning::new("no-load", said));
        }
        heard.progress.push(LoadProgress {
            name: WITH.to_string(),
            unit: "ms of CPU time".to_string(),
            phase: WITH.to_string(),
            done: used.as_millis() as u64,
            per_second: vec![used.as_millis() as f64 / seconds],
            each_s: 1,
        });
        self.load.end();
    }
}
