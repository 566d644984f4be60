// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options that describe a measurement. If cyclictest has a short option with the same meaning, the letter is the same.
use super::names::{LOADS, MEASURES, Names};
use crate::device::processors::Processors;
use crate::phase::Idle;
use crate::schedule::Schedule;
use backwall_model::units::{self, Nanoseconds};
use backwall_model::{Policy, RefusedPriority};
use std::path::PathBuf;

/// What the user requested; `None` or empty means not given.
#[derive(clap::Args, Clone, Debug)]
pub struct RunRequest {
    /// Measure for ten seconds instead of a minute
    #[arg(long)]
    pub quick: bool,
    /// Length of each phase [default: 15s; with --quick 1.5s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::seconds)]
    pub length: Option<Nanoseconds>,
    /// How long to measure, divided among the phases
    #[arg(short = 'D', long, value_name = "TIME", value_parser = units::seconds, conflicts_with_all = ["length", "quick"])]
    pub duration: Option<Nanoseconds>,
    /// Number of wakeups of each phase, instead of a time
    #[arg(short, long, value_name = "N", conflicts_with_all = ["length", "quick", "duration"],
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub loops: Option<u64>,
    /// Latency to measure (repeatable) [default: wakeup]
    #[arg(long, value_name = "NAME", value_parser = Names(&[], &MEASURES))]
    pub measure: Vec<String>,
    /// Load of a phase (repeatable) [default: none, then all]
    ///
    /// NAME, NAME@PRIORITY, several of these joined by +, none, or all (all loads except idle1 to idle5). Example of 200 threads
    /// of varying priority: polygons*200@20-60.
    #[arg(long, value_name = "NAME", value_parser = Names(&["none", "all"], &LOADS))]
    pub load: Vec<String>,
    /// Shell command to run as a load, in a phase of its own named 'with'
    ///
    /// backwall ends the command with the run. The load counts as alive while the CPU time of all its processes grows.
    #[arg(long = "load-cmd", value_name = "CMD")]
    pub own: Option<String>,
    /// CPUs for the loads, each load once on every CPU [default: all allowed]
    #[arg(long, value_name = "LIST")]
    pub load_cpu: Option<Processors>,
    /// CPUs to measure, a thread on each: 3, 2-5, 0,3, all, isolated
    ///
    /// -a without a list measures all. Default: an isolated CPU if there is one, else the last allowed.
    #[arg(short = 'a', long, visible_alias = "affinity", value_name = "LIST", num_args = 0..=1, default_missing_value = "all")]
    pub cpu: Option<Processors>,
    /// Number of threads to measure, placed on the CPUs in turn [default: one on each]
    #[arg(short, long, value_name = "N", num_args = 0..=1, default_missing_value = "0",
        value_parser = clap::value_parser!(u32).range(0..=256))]
    pub threads: Option<u32>,
    /// Scheduling policy of the measured threads
    ///
    /// With deadline the kernel guarantees a tenth of each period, on a CPU that it chooses. Default: fifo; other if the system
    /// refuses real-time priority and you gave neither --policy nor --priority.
    #[arg(long, value_enum)]
    pub policy: Option<Policy>,
    /// Real-time priority; 0 is the ordinary scheduler [default: 95]
    #[arg(short, long, visible_alias = "prio", value_name = "P", value_parser = clap::value_parser!(u32).range(0..=99))]
    pub priority: Option<u32>,
    #[command(flatten)]
    pub schedule: Schedule,
    /// Leave C-states on or keep the CPUs out of them [default: a phase of each]
    #[arg(long, value_enum)]
    pub idle: Option<Idle>,
    /// Continue without missing rights; mark the run invalid
    #[arg(long)]
    pub best_effort: bool,
    /// Stop at the first response above this; keep its trace and name its cause
    #[arg(long, visible_alias = "breaktrace", value_name = "TIME", value_parser = units::period, conflicts_with = "snapshot_above")]
    pub stop_above: Option<Nanoseconds>,
    /// Keep the trace of each response above this, name its cause, and continue
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    pub snapshot_above: Option<Nanoseconds>,
    /// Keep every sample in samples.parquet
    #[arg(long)]
    pub keep_samples: bool,
    /// Use this program as the probe
    #[arg(long, value_name = "FILE", hide = true)]
    pub probe: Option<PathBuf>,
    /// Why ordinary threads are measured although the user did not ask for them.
    #[arg(skip)]
    pub ordinary: Option<RefusedPriority>,
}
