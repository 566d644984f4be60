// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `backwall tasks run` takes.
use crate::options::{Destination, Printing, Requirements, Seed};
use backwall_model::units::{self, Nanoseconds};
use backwall_runner::device::processors::Processors;
use backwall_runner::phase::Idle;
use backwall_runner::tasks::ready::SetOptions;
use backwall_tasks::assign::Assign;
use backwall_tasks::handed::Work;
use std::path::PathBuf;

/// Arguments of `backwall tasks run`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The set of tasks: a file
    #[arg(value_name = "SET")]
    pub(super) set: PathBuf,
    /// How long to release jobs [default: the set's duration, or 10s]
    #[arg(short = 'D', long = "duration", alias = "for", value_name = "TIME", value_parser = units::seconds)]
    pub(super) length: Option<Nanoseconds>,
    /// The processors, in the order of the set's [default: an isolated one, else the last; all for a set of several]
    #[arg(short = 'a', long, value_name = "LIST")]
    pub(super) cpu: Option<Processors>,
    /// Run it on a guest of the bench instead of this machine: detent-probe
    #[arg(long, value_name = "GUEST", conflicts_with_all = ["cpu", "best_effort", "idle", "probe"])]
    pub(super) guest: Option<String>,
    /// How a job computes
    #[arg(long, value_enum, default_value_t)]
    pub(super) work: Work,
    /// The load beside it: NAME or NAME@PRIORITY, several joined by +, or none [default: the set's, or none]
    #[arg(long, value_name = "NAME")]
    pub(super) load: Option<String>,
    /// What is done about idle states
    #[arg(long, value_enum, default_value = "as-is")]
    pub(super) idle: Idle,
    /// Give the series that name no processor to those of the set, so that the analysis accepts each
    #[arg(long, value_enum)]
    pub(super) assign: Option<Assign>,
    /// What the system costs, for the prediction beside the figures: NAME=TIME, a run that measured it, here (measured now), detent (repeatable)
    #[arg(long, value_name = "NAME=TIME|RUN|here|detent")]
    pub(super) constants: Vec<String>,
    /// Run a set even if it leaves less than a twentieth of some second to everything else on a processor
    #[arg(long)]
    pub(super) allow_starvation: bool,
    /// Go on without the rights that are missing; the run is then no evidence
    #[arg(long)]
    pub(super) best_effort: bool,
    /// Record the kernel's events too, and say who used the time of missed deadlines; every wake-up and switch takes a little longer
    #[arg(long, conflicts_with = "guest")]
    pub(super) trace: bool,
    /// Keep every job in jobs.csv
    #[arg(long)]
    pub(super) keep_samples: bool,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) probe: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) requirements: Requirements,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

impl Args {
    /// What is asked of the set.
    pub(super) fn asked(&self) -> SetOptions {
        SetOptions {
            set: self.set.clone(),
            length: self.length,
            cpu: self.cpu.clone(),
            guest: self.guest.clone(),
            work: self.work,
            load: self.load.clone(),
            idle: self.idle,
            assign: self.assign,
            constants: self.constants.clone(),
            allow_starvation: self.allow_starvation,
            best_effort: self.best_effort,
            seed: self.seed.seed,
            quiet: self.printing.quiet,
        }
    }
}
