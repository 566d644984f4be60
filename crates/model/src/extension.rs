// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each command adds to the plan. A new command needs one variant here and one definition in the schema.
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Distinguished by `command`; its members are next to those of the plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Extension {
    /// `backwall run`: no data of its own.
    Run,
    /// `backwall bench iltiming`.
    Iltiming(Iltiming),
    /// `backwall bench osbench`.
    Osbench(Osbench),
    /// `backwall lab`: all its actions.
    Lab(Lab),
    /// `backwall scope`.
    Scope(Scope),
    /// `backwall import`.
    Import(Import),
    /// `backwall tasks`: all its actions but the next.
    Tasks(Tasks),
    /// `backwall bench interfere`.
    Interfere(Interfere),
    /// `backwall bench events --paper`.
    TasksPaper(TasksPaper),
    /// A command of another version.
    #[default]
    #[serde(other)]
    Other,
}

/// The options of the 2002 tool, as typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iltiming {
    /// Priority of the IST on Windows CE's scale, 0 highest.
    pub ce_priority: u64,
    /// Ticks of 1 ms between interrupts.
    pub ticks: u64,
    /// Interrupts.
    pub interrupts: u64,
    /// Cache treatment before each interrupt.
    pub caches: Caches,
}

impl Iltiming {
    /// Name of the series from the timer's expiry to the start of the interrupt's service routine.
    pub const ISR: &str = "isr";
    /// Name of the series from the timer's expiry to the first instruction of the waiting thread.
    pub const IST: &str = "ist";
    /// Name of the series from the end of the service routine to that instruction.
    pub const HANDOFF: &str = "handoff";
}

/// The options of the 2002 tool, as typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Osbench {
    /// The tests that were asked for.
    pub tests: Vec<String>,
    /// Samples of each, warm-up not included.
    pub samples: u64,
    /// The CPU of the second thread, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpu: Option<u32>,
}

/// Cache treatment before each interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caches {
    /// Nothing.
    Warm,
    /// They are filled with other data.
    Swept,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// The scenario with all its fields.
    pub scenario: Value,
}

/// Which change of a line's level counts. The schema once had the longer words.
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
    /// The line that stimulates.
    pub stimulus: String,
    /// The lines that answer.
    pub responses: Vec<String>,
    /// The ends of their pulses are series too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completion: bool,
    /// Which edge of it is a stimulus.
    pub stimulus_edge: Slope,
    /// Which edge of a line is a response, unless the line says otherwise.
    pub response_edge: Slope,
    /// Response pulses shorter than this are glitches.
    pub shortest_pulse_ticks: u64,
    /// Deadline of an answer in ticks; absent: the next stimulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ticks: Option<u64>,
}

/// What another tool wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Name of the file.
    pub file: String,
    /// Tool and format: `cyclictest-json`.
    pub format: String,
    /// The tool, with its version if known.
    pub tool: String,
    /// The tool's command line, if the file has it.
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
    /// Handling of a release while the previous job ran: `skip`, `queue` or `abort`.
    pub when_overrun: String,
    /// `loop` or `cpu-time`.
    pub work: String,
    /// CPUs of the tasks; empty if the kernel chooses.
    pub set_cpus: Vec<u32>,
    /// Whether a set that starves a processor was allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_starvation: bool,
}

/// Which experiments of parts alone and together, and how large.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interfere {
    /// `sieve`, `throughput`, `browser`.
    pub experiments: Vec<String>,
    /// Rounds of each case.
    pub rounds: u64,
    /// The sieve finds the primes up to this number.
    pub primes: u64,
    /// Reports at every this many found; absent in runs with a fixed 2,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_every: Option<u64>,
    /// Bytes that are moved in one direction, once.
    pub bytes: u64,
    /// Images of one page.
    pub images: u64,
}

/// The experiments of the paper on event series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TasksPaper {
    /// The processor of all experiments that have one.
    pub set_cpu: u32,
    /// Number of event times in each experiment except the mixes.
    pub instants: u64,
    /// Length of each mix of Table III, in nanoseconds.
    pub mix_ns: u64,
}

impl Extension {
    /// Its members by name, to list all requests.
    pub fn members(&self) -> Vec<(String, Value)> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members.into_iter().filter(|(name, _)| name != "command").collect(),
            _ => Vec::new(),
        }
    }
}
