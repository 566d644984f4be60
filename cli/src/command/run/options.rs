// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `backwall run` takes. Letters are cyclictest's where it has one with that meaning.
use super::names::{LOADS, MEASURES, Names};
use crate::options::{RunOutput, Seed, Verbose};
use backwall_ftrace::flight::{FlightPlan, Limit};
use backwall_model::units::{self, Nanoseconds};
use backwall_model::{Overrun, Policy};
use backwall_report::trace::accused;
use backwall_runner::device::processors::Processors;
use backwall_runner::phase::Idle;
use backwall_runner::request::{self, RunRequest};
use backwall_store::RunFolder;
use clap::ArgAction;
use std::path::PathBuf;

/// Arguments of `backwall run`.
#[derive(clap::Args, Clone, Debug)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Measure for ten seconds instead of a minute
    #[arg(long)]
    pub(super) quick: bool,
    /// Length of each phase [default: 15s; with --quick 1.5s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::seconds)]
    pub(super) length: Option<Nanoseconds>,
    /// How long to measure, divided among the phases
    #[arg(short = 'D', long, value_name = "TIME", value_parser = units::seconds, conflicts_with_all = ["length", "quick"])]
    pub(super) duration: Option<Nanoseconds>,
    /// Number of wakeups of each phase, instead of a time
    #[arg(short, long, value_name = "N", conflicts_with_all = ["length", "quick", "duration"],
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(super) loops: Option<u64>,
    /// Latency to measure (repeatable) [default: wakeup]
    #[arg(long, value_name = "NAME", value_parser = Names(&MEASURES))]
    pub(super) measure: Vec<String>,
    /// Load of a phase (repeatable) [default: none, then all]
    ///
    /// NAME or NAME@PRIORITY, several joined by +, none, or all, which is polygons+spin+cache+memory+syscalls+handoff+disk+loopback;
    /// hundreds of threads of varying priority as polygons*200@20-60.
    #[arg(long, value_name = "NAME", value_parser = Names(&LOADS))]
    pub(super) load: Vec<String>,
    /// Shell command to run as a load of its own, in a phase called with
    ///
    /// It ends with the run. It counts as alive while the CPU time of all its processes grows.
    #[arg(long = "load-cmd", alias = "with", value_name = "CMD")]
    pub(super) own: Option<String>,
    /// CPUs for the loads, one of each on every CPU [default: all allowed]
    #[arg(long, value_name = "LIST")]
    pub(super) load_cpu: Option<Processors>,
    /// CPUs to measure, a thread on each: 3, 2-5, 0,3, all, isolated
    ///
    /// Without a list, all. Default: an isolated CPU if there is one, else the last allowed.
    #[arg(short = 'a', long, visible_alias = "affinity", value_name = "LIST", num_args = 0..=1, default_missing_value = "all")]
    pub(super) cpu: Option<Processors>,
    /// Number of threads to measure, in turn on the CPUs [default: one on each]
    #[arg(short, long, value_name = "N", num_args = 0..=1, default_missing_value = "0",
        value_parser = clap::value_parser!(u32).range(0..=256))]
    pub(super) threads: Option<u32>,
    /// Scheduling policy of the measured threads
    ///
    /// With deadline the kernel guarantees a tenth of each period, on a CPU that it chooses. Default: fifo, or other where
    /// real-time priority is refused and neither this nor --priority was typed.
    #[arg(long, value_enum)]
    pub(super) policy: Option<Policy>,
    /// Real-time priority; 0 is the ordinary scheduler [default: 95]
    #[arg(short, long, visible_alias = "prio", value_name = "P", value_parser = clap::value_parser!(u32).range(0..=99))]
    pub(super) priority: Option<u32>,
    /// Time between two wakeups; a bare number is microseconds
    #[arg(short = 'i', long, visible_alias = "interval", value_name = "TIME", default_value = "1ms", value_parser = units::period)]
    pub(super) period: Nanoseconds,
    /// Count a response as late after this time [default: the period]
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub(super) deadline: Option<Nanoseconds>,
    /// Skip or queue wakeups that came due during a late response
    #[arg(long, value_enum, default_value_t)]
    pub(super) overrun: Overrun,
    /// Leave C-states on or keep the CPUs out of them [default: a phase of each]
    #[arg(long, value_enum)]
    pub(super) idle: Option<Idle>,
    /// Lock memory; always done, accepted as in cyclictest
    #[arg(short, long)]
    pub(super) mlockall: bool,
    /// Print histograms as cyclictest does, up to N us, instead of the table
    #[arg(short = 'h', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) histogram: Option<u32>,
    /// Continue without missing rights; mark the run invalid
    #[arg(long)]
    pub(super) best_effort: bool,
    /// Stop at the first response above this; keep its trace and name its cause
    #[arg(long, visible_alias = "breaktrace", value_name = "TIME", value_parser = units::period, conflicts_with = "snapshot_above")]
    pub(super) stop_above: Option<Nanoseconds>,
    /// Keep the trace of each response above this, name its cause, and continue
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub(super) snapshot_above: Option<Nanoseconds>,
    /// Record no kernel events in the measured phases
    #[arg(long, conflicts_with_all = ["stop_above", "snapshot_above"])]
    pub(super) no_recorder: bool,
    /// Keep every sample in samples.parquet
    #[arg(long)]
    pub(super) keep_samples: bool,
    /// Continue the unfinished run in --output, begun with the same options
    #[arg(long, requires = "out", conflicts_with = "keep_samples")]
    pub(super) resume: bool,
    /// Write the figures to a file for Prometheus at every checkpoint
    #[arg(long, value_name = "FILE")]
    pub(super) metrics: Option<PathBuf>,
    /// How often the run so far is written
    #[arg(long, value_name = "TIME", value_parser = units::seconds, default_value = "30s", hide = true)]
    pub(super) checkpoint_every: Nanoseconds,
    /// Use this program as the probe
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) probe: Option<PathBuf>,
    /// Print help; -h is the histogram, as in cyclictest
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

impl Args {
    /// Whether this could be measured here; nothing is.
    ///
    /// # Errors
    /// What would be refused, but for rights.
    pub(in crate::command) fn check(&self) -> anyhow::Result<()> {
        Ok(request::job(&self.asked()).map(drop)?)
    }

    /// What is asked of the machine.
    pub(super) fn asked(&self) -> RunRequest {
        let of = self.clone();
        RunRequest {
            quick: of.quick,
            length: of.length,
            duration: of.duration,
            loops: of.loops,
            measure: of.measure,
            load: of.load,
            own: of.own,
            load_cpu: of.load_cpu,
            cpu: of.cpu,
            threads: of.threads,
            policy: of.policy,
            ordinary: None,
            priority: of.priority,
            period: of.period,
            deadline: of.deadline,
            overrun: of.overrun,
            idle: of.idle,
            best_effort: of.best_effort,
            stop_above: of.stop_above,
            snapshot_above: of.snapshot_above,
            keep_samples: of.keep_samples,
            probe: of.probe,
        }
    }

    /// The flight recorder: with a limit its snapshots go into the run's folder, else it names the cause of each phase's maximum.
    /// A histogram is laid beside cyclictest's, which records nothing.
    pub(super) fn flight(&self, folder: &RunFolder, stretch: usize) -> Option<FlightPlan> {
        let above = self.stop_above.or(self.snapshot_above).map(|above| Limit::Above(above.0));
        let records = !self.no_recorder && self.histogram.is_none() && self.probe.is_none();
        let worst = (records && self.policy != Some(Policy::Deadline)).then_some(Limit::Worst);
        let folder = folder.path().join("trace");
        let limit = above.or(worst)?;
        Some(FlightPlan { limit, ends: self.stop_above.is_some(), folder, stretch, words: accused::line })
    }
}
