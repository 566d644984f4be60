// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of `backwall tasks run`.
use super::assumed::Assumed;
use crate::options::{BestEffort, ProbeFile, RunOutput, Seed};
use backwall_model::units::{self, Nanoseconds};
use backwall_runner::device::processors::Processors;
use backwall_runner::phase::Idle;
use backwall_runner::tasks::ready::SetOptions;
use backwall_tasks::handed::Work;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Task set file
    #[arg(value_name = "SET")]
    pub(super) set: PathBuf,
    /// How long to release jobs [default: the set's duration, or 10s]
    #[arg(short = 'D', long = "duration", alias = "for", value_name = "TIME", value_parser = units::seconds)]
    pub(super) length: Option<Nanoseconds>,
    /// CPUs that replace the set's, in order [default: an isolated CPU, else the last one; for a set of several CPUs, all]
    #[arg(short = 'a', long, value_name = "LIST")]
    pub(super) cpu: Option<Processors>,
    /// Run on a guest of the lab instead of this machine: detent-probe
    #[arg(long, value_name = "GUEST", conflicts_with_all = ["cpu", "best_effort", "idle", "probe"])]
    pub(super) guest: Option<String>,
    /// How a job computes
    #[arg(long, value_enum, default_value_t)]
    pub(super) work: Work,
    /// Load: NAME or NAME@PRIORITY, several joined by + [default: the set's, or none]
    #[arg(long, value_name = "NAME")]
    pub(super) load: Option<String>,
    /// Leave C-states on or keep the CPUs out of them
    #[arg(long, value_enum, default_value = "as-is")]
    pub(super) idle: Idle,
    #[command(flatten)]
    assumed: Assumed,
    /// Run a set even if it uses over 95 % of a CPU in some second
    #[arg(long)]
    pub(super) allow_starvation: bool,
    #[command(flatten)]
    rights: BestEffort,
    /// Name who used the time of missed deadlines
    ///
    /// Records the kernel's events: every wakeup and switch takes a little longer.
    #[arg(long, conflicts_with = "guest")]
    pub(super) trace: bool,
    /// Keep every job in jobs.csv, and with --trace the recording in trace.dat
    #[arg(long)]
    pub(super) keep_samples: bool,
    #[command(flatten)]
    pub(super) probe: ProbeFile,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

impl Args {
    pub(super) fn asked(&self) -> SetOptions {
        SetOptions {
            set: self.set.clone(),
            length: self.length,
            cpu: self.cpu.clone(),
            guest: self.guest.clone(),
            work: self.work,
            load: self.load.clone(),
            idle: self.idle,
            assign: self.assumed.assign,
            constants: self.assumed.constants.clone(),
            allow_starvation: self.allow_starvation,
            best_effort: self.rights.best_effort,
            seed: self.seed.seed,
            quiet: self.output.printing.quiet,
        }
    }
}
