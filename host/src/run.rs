// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run: one execution of one plan on one device, as it stands in `run.json`.
//!
//! Plain data. The published schema is `docs/run.schema.json`; the tests check
//! one against the other.
use crate::units::{Nanoseconds, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The value of [`Run::schema`].
pub const SCHEMA: &str = "backwall/run/1";

/// Everything that is kept of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The command line, program first.
    pub command: Vec<String>,
    /// RFC 3339, UTC.
    pub started: String,
    /// Wall-clock length of the whole run.
    pub seconds: f64,
    /// Ended by a signal, a dead probe or a cut stream: what was measured is kept.
    pub interrupted: bool,
    /// Version of the tool.
    pub version: String,
    /// `false` when the run may not be used as evidence; the warnings say why.
    pub evidence: bool,
    /// Where the figures come from.
    pub origin: Origin,
    /// What was measured.
    pub device: Device,
    /// What was asked.
    pub plan: Plan,
    /// The figures.
    pub series: Vec<Series>,
    /// How far each load came.
    pub loads: Vec<LoadProgress>,
    /// The stages of the worst and of the typical response, where they are known.
    pub stages: Vec<Stages>,
    /// Our reading against the kernel's for the same wake-ups.
    pub self_check: Option<SelfCheck>,
    /// What the probe measured about itself (`overhead_min_cycles` …).
    pub values: BTreeMap<String, u64>,
    /// What was read of the machine around the run.
    pub environment: Environment,
    /// Requirements and their outcomes.
    pub requirements: Vec<Requirement>,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// How the figures came to be; printed beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// On a real machine.
    Measured,
    /// In the lab, where time is executed instructions.
    Emulated,
    /// From a model or a scripted clock.
    Simulated,
    /// Read from another tool's file.
    Imported,
}

/// The device under test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    /// `linux`, `detent`, `fake`, `capture`.
    pub kind: String,
    /// Release and version of its kernel.
    pub kernel: String,
    /// Model of its processor.
    pub cpu: String,
    /// Processors online.
    pub cpus: u32,
    /// The clock that was read, with its source.
    pub clock: String,
    /// Counts per second of that clock.
    pub clock_hz: u64,
    /// The preemption model of the kernel.
    pub preemption: String,
    /// Anything else it said of itself.
    #[serde(flatten)]
    pub more: BTreeMap<String, String>,
}

/// What to do with releases that came due while a response was late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Overrun {
    /// They are counted as lost, and the next release is the first in the future.
    #[default]
    Skip,
    /// They are answered one after the other, each against its own release.
    Queue,
}

/// Everything that was asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Load of each phase, in order; `none` is a phase without load.
    pub loads: Vec<String>,
    /// Length of one phase.
    pub phase_ns: Nanoseconds,
    /// The processor of the probe.
    pub cpu: Option<u32>,
    /// SCHED_FIFO priority, or 0 for the ordinary scheduler.
    pub priority: u32,
    /// Distance of releases.
    pub period_ns: Nanoseconds,
    /// The overload rule.
    pub overrun: Overrun,
    /// `as-is` or `off`, per phase.
    pub idle: String,
    /// Whether raw samples were kept.
    pub keep_samples: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// What a command adds of its own (a scenario, the options of a 2002 tool).
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// One figure with its distribution: `due = done + lost`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// `wakeup`, `ist`, `app` …
    pub name: String,
    /// The point that starts it.
    pub from: String,
    /// The point that ends it.
    pub to: String,
    /// Unit of every value.
    pub unit: Unit,
    /// The load of its phase; `none` without.
    pub load: String,
    /// `as-is` or `off`: what was done about idle states in its phase.
    pub idle: String,
    /// Stimuli that were due.
    pub due: u64,
    /// Stimuli that were answered.
    pub done: u64,
    /// Stimuli that were not.
    pub lost: u64,
    /// Answers after their deadline (the next release unless the plan says otherwise).
    pub late: u64,
    /// Samples beyond the last bound of the histogram: counted, never dropped.
    pub overflow: u64,
    /// Samples taken before the steady state: kept out of the figures, counted here and in `done`.
    pub warmup: u64,
    /// Exact smallest; absent without samples.
    pub min: Option<u64>,
    /// Mean of all samples; absent without samples.
    pub mean: Option<f64>,
    /// Exact largest: the back wall of this run; absent without samples.
    pub max: Option<u64>,
    /// `max - min`.
    pub jitter: Option<u64>,
    /// Quantiles with confidence limits.
    pub quantiles: Vec<Quantile>,
    /// Counts between bounds.
    pub histogram: Histogram,
    /// The largest values, largest first.
    pub worst: Vec<Worst>,
    /// Smallest, mean and largest of successive slices of the phase, for the picture over time.
    pub over_time: Vec<Slice>,
}

/// A quantile with its confidence limits (95 %, from order statistics).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// In (0, 1).
    pub q: f64,
    /// `None`: not enough samples to say.
    pub value: Option<u64>,
    /// Lower limit.
    pub low: Option<u64>,
    /// Upper limit; `None` when the samples do not bound it.
    pub high: Option<u64>,
}

/// `counts[i]` samples fell in `[bounds[i], bounds[i + 1])`; empty classes are left out by pairs of equal counts 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// One more than counts.
    pub bounds: Vec<u64>,
    /// Samples per class.
    pub counts: Vec<u64>,
}

/// One of the largest values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// Number of the stimulus.
    pub seq: u64,
    /// Its time: the series' unit since the first stimulus.
    pub at: u64,
    /// The latency.
    pub value: u64,
    /// Who used the time, in one sentence, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<String>,
}

/// One slice of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Start, in the series' unit since the first stimulus.
    pub at: u64,
    /// Samples in the slice.
    pub done: u64,
    /// Stimuli lost in the slice.
    pub lost: u64,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// Units per second of a load, so that starvation is visible.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadProgress {
    /// Its name.
    pub name: String,
    /// What is counted.
    pub unit: String,
    /// The phase it ran in: name of the load asked for (`all` runs several).
    pub phase: String,
    /// Units over the whole phase.
    pub done: u64,
    /// Units in each second of the phase.
    pub per_second: Vec<f64>,
}

/// One stage of a response over all responses of a phase; the stages of a window sum to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stages {
    /// The series they divide.
    pub series: String,
    /// The load of the phase.
    pub load: String,
    /// `as-is` or `off`.
    pub idle: String,
    /// Wake-ups for which every stage was seen.
    pub matched: u64,
    /// Wake-ups of the series for which some stage was not.
    pub unmatched: u64,
    /// Events the kernel's ring overwrote.
    pub events_lost: u64,
    /// Median latency with the trace less the median without it: what tracing itself cost, where both were measured.
    pub tracing_cost_ns: Option<i64>,
    /// In order of time.
    pub stage: Vec<Stage>,
    /// The stages of the largest response: one duration per stage.
    pub of_worst: Vec<u64>,
    /// The largest responses of the traced phase, largest first, each with who used its time.
    pub worst: Vec<Worst>,
    /// The worst responses whose times were divided among causes.
    pub blamed: u64,
    /// The causes of those together, the largest first.
    pub causes: Vec<CauseTotal>,
}

/// One cause over the worst responses of a phase; all causes sum to the latencies of those responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTotal {
    /// Who or what; threads by their names.
    pub what: String,
    /// Its time in all of them, in nanoseconds.
    pub ns: u64,
    /// In how many of them it was the largest.
    pub largest_in: u64,
}

/// One stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// `expiry to ISR` …
    pub name: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99 % quantile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
}

/// Our reading minus the kernel's of the same wake-ups: our own error.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SelfCheck {
    /// Wake-ups compared.
    pub compared: u64,
    /// Smallest difference; negative when the kernel's stamp is later.
    pub min_ns: i64,
    /// Median difference.
    pub p50_ns: i64,
    /// 99 % quantile of the difference.
    pub p99_ns: i64,
    /// Largest difference.
    pub max_ns: i64,
    /// What was compared with what.
    pub what: String,
}

/// What was read of the machine around the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Environment {
    /// Ticks (10 ms) the hypervisor took during the run, over all processors.
    pub steal_ticks: u64,
    /// Whether real-time throttling or a fair server could take the processor.
    pub throttled: bool,
    /// One line per thing that was read.
    pub checks: Vec<Check>,
    /// Anything else, by name.
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// One line of `backwall check`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Name of the setting.
    pub name: String,
    /// What was read, and where.
    pub found: String,
    /// Whether it matters here.
    pub verdict: CheckVerdict,
    /// Why it matters.
    pub why: String,
    /// How to change it; empty when there is nothing to do.
    pub fix: String,
}

/// Whether a setting stands in the way of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// Set up for real time.
    Good,
    /// Worth knowing, no harm by itself.
    Note,
    /// Makes responses late.
    Bad,
    /// Could not be read; `found` says why.
    Unknown,
}

/// A requirement and its outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Requirement {
    /// As typed.
    pub text: String,
    /// Pass, fail or undecided.
    pub outcome: Outcome,
    /// How many more samples would decide it.
    pub needs_more: u64,
    /// The confidence of the decision, in (0, 1]; 1 for what the run itself observed.
    pub confidence: f64,
    /// One sentence with the figures that decided.
    pub because: String,
}

/// The three outcomes of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Shown to hold at the stated confidence.
    Pass,
    /// Shown not to hold.
    Fail,
    /// The samples do not decide.
    Undecided,
}
