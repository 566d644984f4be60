// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `backwall run` takes. Letters are cyclictest's where it has one with that meaning.
use super::names::{LOADS, MEASURES, Names};
use crate::options::{Destination, Printing, Requirements, Seed, Verbose};
use backwall_ftrace::flight::FlightPlan;
use backwall_model::units::{self, Nanoseconds};
use backwall_model::{Overrun, Policy};
use backwall_report::trace::accused;
use backwall_runner::asked::{self, Asked};
use backwall_runner::device::processors::Processors;
use backwall_runner::named::Named;
use backwall_runner::phase::Idle;
use backwall_store::RunFolder;
use clap::ArgAction;
use std::path::PathBuf;

/// Arguments of `backwall run`.
#[derive(clap::Args, Clone, Debug)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// A tour of about ten seconds instead of a minute
    #[arg(long)]
    pub(super) quick: bool,
    /// Length of each phase; a bare number is seconds [default: 15s; with --quick 1.5s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::seconds)]
    pub(super) length: Option<Nanoseconds>,
    /// Length of the whole run, divided among its phases; a bare number is seconds
    #[arg(short = 'D', long, value_name = "TIME", value_parser = units::seconds, conflicts_with_all = ["length", "quick"])]
    pub(super) duration: Option<Nanoseconds>,
    /// Releases of each phase, instead of a time
    #[arg(short, long, value_name = "N", conflicts_with_all = ["length", "quick", "duration"],
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(super) loops: Option<u64>,
    /// What to measure (repeatable) [default: wakeup]
    #[arg(long, value_name = "NAME", value_parser = Names(&MEASURES))]
    pub(super) measure: Vec<String>,
    /// The load of a phase: NAME or NAME@PRIORITY, several joined by +, none, or all, which is polygons+spin+cache+memory+syscalls+handoff+disk+loopback;
    /// hundreds of threads of varying priority as polygons*200@20-60 (repeatable) [default: none, then all]
    #[arg(long, value_name = "NAME", value_parser = Names(&LOADS))]
    pub(super) load: Vec<String>,
    /// A load of your own in a phase called with: a command for the shell, ended with the run however that ends; it counts as
    /// alive while the processor time of all it started grows
    #[arg(long = "with", value_name = "CMD")]
    pub(super) own: Option<String>,
    /// The processors the loads run on, one of each on every one [default: all that ordinary programs of this user may use]
    #[arg(long, value_name = "LIST")]
    pub(super) load_cpu: Option<Processors>,
    /// The processors to measure, a thread on each: 3, 2-5, 0,3, all, isolated; without a list, all
    /// [default: an isolated one if there is one, else the last allowed]
    #[arg(short = 'a', long, visible_alias = "affinity", value_name = "LIST", num_args = 0..=1, default_missing_value = "all")]
    pub(super) cpu: Option<Processors>,
    /// How many threads to measure, in turn on the processors of --cpu; without a number, one on each [default: one on each]
    #[arg(short, long, value_name = "N", num_args = 0..=1, default_missing_value = "0",
        value_parser = clap::value_parser!(u32).range(0..=256))]
    pub(super) threads: Option<u32>,
    /// Scheduler of the measured threads; with deadline the kernel guarantees a tenth of each period, on a processor that it chooses
    /// [default: fifo, or other where real-time priority is refused and neither this nor --priority was typed]
    #[arg(long, value_enum)]
    pub(super) policy: Option<Policy>,
    /// Real-time priority of the measured threads; 0 is the ordinary scheduler [default: 95]
    #[arg(short, long, visible_alias = "prio", value_name = "P", value_parser = clap::value_parser!(u32).range(0..=99))]
    pub(super) priority: Option<u32>,
    /// Distance of releases; a bare number is microseconds
    #[arg(short = 'i', long, visible_alias = "interval", value_name = "TIME", default_value = "1ms", value_parser = units::period)]
    pub(super) period: Nanoseconds,
    /// A response later than this is late [default: the period]; a bare number is microseconds
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub(super) deadline: Option<Nanoseconds>,
    /// What to do with releases that came due while a response was late
    #[arg(long, value_enum, default_value_t)]
    pub(super) overrun: Overrun,
    /// Leave idle states as they are, or keep the processors out of them [default: the tour tries both]
    #[arg(long, value_enum)]
    pub(super) idle: Option<Idle>,
    /// Accepted for those who are used to it: memory is always locked
    #[arg(short, long)]
    pub(super) mlockall: bool,
    /// Print the histograms as cyclictest does, up to so many microseconds, instead of the table
    #[arg(short = 'h', long, value_name = "US", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) histogram: Option<u32>,
    /// Go on without the rights that are missing; the run is then no evidence
    #[arg(long)]
    pub(super) best_effort: bool,
    /// End at the first response that takes longer: the trace around it is kept in trace/, its cause named
    #[arg(long, value_name = "TIME", value_parser = units::period, conflicts_with = "snapshot_above")]
    pub(super) stop_above: Option<Nanoseconds>,
    /// Keep the trace around each response that takes longer, name its cause, and go on; a bare number is microseconds
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub(super) snapshot_above: Option<Nanoseconds>,
    /// Follow threads of your own instead of a probe, from the kernel's trace alone: numbers, names, process:PID, with commas
    /// between; from each timer or wake-up until the thread runs, and who used that time; ps -eLo tid,comm lists threads
    #[arg(long, value_name = "THREADS", value_parser = Named::parse, value_delimiter = ',',
        conflicts_with_all = ["quick", "loops", "measure", "load", "own", "load_cpu", "cpu", "threads", "policy", "priority",
            "period", "overrun", "idle", "best_effort", "stop_above", "snapshot_above", "keep_samples", "resume", "probe"])]
    pub(super) attach: Option<Vec<Named>>,
    /// Keep every sample in samples.parquet
    #[arg(long)]
    pub(super) keep_samples: bool,
    /// Go on with the unfinished run in --out, which was begun with the same options; without one there it begins
    #[arg(long, requires = "out", conflicts_with_all = ["keep_samples", "attach"])]
    pub(super) resume: bool,
    /// Keep the figures so far in a file for Prometheus' node_exporter, in its text format, at every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    pub(super) metrics: Option<PathBuf>,
    /// How often the run so far is written
    #[arg(long, value_name = "TIME", value_parser = units::seconds, default_value = "30s", hide = true)]
    pub(super) checkpoint_every: Nanoseconds,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) probe: Option<PathBuf>,
    /// Print help; -h is the histogram, as in cyclictest
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) requirements: Requirements,
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
        let asked = self.asked();
        match &self.attach {
            Some(_) => asked::attached(&asked).map(drop),
            None => asked::job(&asked).map(drop),
        }
    }

    /// What is asked of the machine.
    pub(super) fn asked(&self) -> Asked {
        let of = self.clone();
        Asked {
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

    /// The flight recorder, whose snapshots go into the run's folder.
    pub(super) fn flight(&self, folder: &RunFolder, stretch: usize) -> Option<FlightPlan> {
        let above = self.stop_above.or(self.snapshot_above)?;
        let folder = folder.path().join("trace");
        Some(FlightPlan { above_ns: above.0, ends: self.stop_above.is_some(), folder, stretch, words: accused::line })
    }
}
