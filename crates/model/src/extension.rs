// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each command adds to the stored plan. A new command needs one variant here and one definition in the schema.
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The member `command` selects the variant. The other members are stored next to those of the plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Extension {
    /// `backwall run`: no data of its own.
    Run,
    /// `backwall bench iltiming`.
    Iltiming(Iltiming),
    /// `backwall bench osbench`.
    Osbench(Osbench),
    /// `backwall lab`: all its subcommands.
    Lab(Lab),
    /// `backwall scope`.
    Scope(Scope),
    /// `backwall import`.
    Import(Import),
    /// `backwall tasks run` and `backwall bench events`.
    Tasks(Tasks),
    /// `backwall bench interfere`.
    Interfere(Interfere),
    /// `backwall bench events --paper`.
    TasksPaper(TasksPaper),
    /// A command that this version does not know.
    #[default]
    #[serde(other)]
    Other,
}

/// The options of the 2002 tool ILTiming, as typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iltiming {
    /// Priority of the IST on Windows CE's scale, 0 highest.
    pub ce_priority: u64,
    /// Ticks of 1 ms between two interrupts.
    pub ticks: u64,
    /// Number of interrupts.
    pub interrupts: u64,
    /// Cache treatment before each interrupt.
    pub caches: Caches,
}

impl Iltiming {
    /// Series from timer expiry to the start of the ISR.
    pub const ISR: &str = "isr";
    /// Series from timer expiry to the first instruction of the waiting thread.
    pub const IST: &str = "ist";
    /// Series from the end of the ISR to the first instruction of the waiting thread.
    pub const HANDOFF: &str = "handoff";
}

/// The options of the 2002 tool OSBench, as typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Osbench {
    /// The requested tests.
    pub tests: Vec<String>,
    /// Samples of each test, without the warm-up.
    pub samples: u64,
    /// The CPU of the second thread, if it differs from the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpu: Option<u32>,
}

/// Cache treatment before each interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caches {
    /// Nothing.
    Warm,
    /// The caches are filled with other data.
    Swept,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// The scenario file with all its fields.
    pub scenario: Value,
}

/// Which edge of a line counts. Files of older versions say `rising` and `falling`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slope {
    /// Low to high.
    #[serde(alias = "rising")]
    Rise,
    /// High to low.
    #[serde(alias = "falling")]
    Fall,
}

/// How edges became stimuli and responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The stimulus line.
    pub stimulus: String,
    /// The response lines.
    pub responses: Vec<String>,
    /// Whether the ends of response pulses are series too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completion: bool,
    /// Which edge of the stimulus line counts as a stimulus.
    pub stimulus_edge: Slope,
    /// Which edge of a response line counts as a response, unless the line has its own setting.
    pub response_edge: Slope,
    /// Response pulses shorter than this count as glitches.
    pub shortest_pulse_ticks: u64,
    /// Deadline of a response in ticks; absent: the next stimulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ticks: Option<u64>,
}

/// A result file of another tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Name of the file.
    pub file: String,
    /// Tool and format: `cyclictest-json`.
    pub format: String,
    /// The tool's name, with its version if known.
    pub tool: String,
    /// The tool's command line, if the file contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

/// A set of tasks and how it was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tasks {
    /// Name of the file.
    pub set: String,
    /// `thread-per-series`, `pool` or `thread-per-event`.
    pub organisation: String,
    /// What happens to a release while the previous job still runs: `skip`, `queue` or `abort`.
    pub when_overrun: String,
    /// How a job consumes its computing time: `loop` or `cpu-time`.
    pub work: String,
    /// CPUs of the tasks; empty if the kernel chooses them.
    pub set_cpus: Vec<u32>,
    /// Whether the user allowed a set that leaves ordinary threads no CPU time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_starvation: bool,
}

/// The experiments of `bench interfere`, and their size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interfere {
    /// `sieve`, `throughput`, `browser`.
    pub experiments: Vec<String>,
    /// Rounds of each case.
    pub rounds: u64,
    /// The sieve finds the primes up to this number.
    pub primes: u64,
    /// The sieve reports progress each time it has found this many primes; absent in older runs, which always used 2,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_every: Option<u64>,
    /// Bytes moved in one direction, once.
    pub bytes: u64,
    /// Number of images on one page.
    pub images: u64,
}

/// The 2002 paper's experiments on event series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TasksPaper {
    /// The CPU of all single-CPU experiments.
    pub set_cpu: u32,
    /// Number of event times in each experiment except the mixes.
    pub instants: u64,
    /// Length of each mix of Table III, in nanoseconds.
    pub mix_ns: u64,
}

impl Extension {
    /// The members by name, to list the whole request.
    pub fn members(&self) -> Vec<(String, Value)> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members.into_iter().filter(|(name, _)| name != "command").collect(),
            _ => Vec::new(),
        }
    }
}
