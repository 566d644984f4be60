// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run: one execution of one plan on one device, as it is in `run.json`.
//!
//! Plain data, and the waist of the tool: sources produce a [`Run`], sinks take one. The published schema is
//! `docs/reference/run.schema.json`; the tests check one against the other. A run is begun by [`Run::begin`], filled by what measures, judged
//! and stored; a file comes back through `read`, which audits it, so that what is drawn can rely on it.
#![warn(missing_docs)]
pub mod audit;
mod blame;
pub mod column;
mod culprit;
mod device;
mod division;
mod environment;
mod event_limit;
pub mod event_series;
mod extension;
pub mod identity;
mod interrupt;
mod invalid;
mod key;
mod load_progress;
pub mod merge;
mod more;
mod origin;
pub mod papers;
mod phase;
pub mod picture;
mod plan;
mod planned;
pub mod printable;
mod priority;
pub mod processor;
pub mod read;
mod refused_priority;
mod requirement;
pub mod results;
mod self_check;
mod series;
mod session;
mod shares;
pub mod shell;
mod stages;
mod sum;
pub mod units;
mod warning;
pub mod wrapped;

pub use blame::{Blame, Cause, Moved, Wakers, WakersEnd};
pub use culprit::{Culprit, Holder, HolderDetail, Limit, Thread, Untold};
pub use device::Device;
pub use division::{Divided, Division};
pub use environment::{Check, CheckVerdict, Environment};
pub use event_limit::{EventLimit, Spread};
pub use extension::{Caches, Extension, Iltiming, Import, Interfere, Lab, Osbench, Scope, Slope, Tasks, TasksPaper};
pub use interrupt::{OWN_INTERRUPTS, OwnInterrupt};
pub use invalid::{Invalid, InvalidPhase};
pub use key::{AS_FOUND, IDLE_AS_IS, IDLE_OFF, Key, NO_LOAD, UNKNOWN};
pub use load_progress::LoadProgress;
pub use more::More;
pub use origin::Origin;
pub use phase::Phase;
pub use picture::Picture;
pub use plan::{Overrun, Plan, Policy};
pub use planned::PlannedSeries;
pub use priority::Priority;
pub use read::{Unreadable, read};
pub use refused_priority::RefusedPriority;
pub use requirement::{Outcome, Requirement};
pub use results::{Periods, Results, Sweep};
pub use self_check::SelfCheck;
pub use series::{Histogram, Quantile, Series, Slice, Span, WORST_KEPT, Worst, completion_of};
pub use session::{Ending, MeasuredPhase, Session};
pub use shares::{Share, Shares};
pub use stages::{Accusation, CauseTotal, Stage, Stages, TracingCost};
pub use sum::Sum;
pub use warning::Warning;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The value of [`Run::schema`].
pub const SCHEMA: &str = "backwall/run/4";

/// Every thread of a probe or a load of this tool has a name that begins so.
pub const THREAD_PREFIX: &str = "bw-";
/// The thread of the tool that reads what the kernel recorded.
pub const RECORDER_THREAD: &str = "backwall-trace";
/// The thread that writes the run so far.
pub const CHECKPOINT_THREAD: &str = "backwall-store";
/// The thread that serves the run so far to a browser.
pub const PAGE_THREAD: &str = "backwall-page";
/// The thread that serves recent recordings to requesters.
pub const DOOR_THREAD: &str = "backwall-door";

/// What a backwall thread is, by its name: not a probe or load, but one that works next to the measurement.
pub fn own_thread(name: &str) -> Option<&'static str> {
    const OWN: [(&str, &str); 5] = [
        (RECORDER_THREAD, "this tool's own recorder"),
        (CHECKPOINT_THREAD, "this tool's own writer of checkpoints"),
        (PAGE_THREAD, "this tool's own page"),
        (DOOR_THREAD, "this tool's own door"),
        // The tool's main thread, which has the program's name.
        ("backwall", "this tool itself"),
    ];
    OWN.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

/// Whether a word that came from outside can be a command of this tool.
pub fn is_command(word: &str) -> bool {
    (1..=32).contains(&word.len())
        && word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-')
}

/// Prefix of warnings that say why a run is invalid.
pub const NO_EVIDENCE: &str = "no evidence";

/// All stored data of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The command line, program first.
    pub command: Vec<String>,
    /// RFC 3339, UTC.
    pub started: String,
    /// Length of the whole run; without the gaps between its sessions.
    pub seconds: f64,
    /// Ended early, by a signal, a dead probe, a truncated stream or `--stop-above`; the measurement is kept.
    pub interrupted: bool,
    /// Version of the tool.
    pub version: String,
    /// `false` if the run, or a phase of it, is invalid; see `invalid`.
    pub valid: bool,
    /// Invalid parts and reasons; empty exactly if `valid` is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<Invalid>,
    /// Why ordinary threads were measured instead of real-time ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_priority: Option<RefusedPriority>,
    /// Origin of the figures.
    pub origin: Origin,
    /// The measured device.
    pub device: Device,
    /// The request.
    pub plan: Plan,
    /// Times of measurement, if kept: one session, or several of a resumed run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
    /// The figures.
    pub series: Vec<Series>,
    /// How far each load came.
    pub loads: Vec<LoadProgress>,
    /// Stages of the worst and of the typical response, if known.
    pub stages: Vec<Stages>,
    /// Our reading against the kernel's for the same wake-ups.
    pub self_check: Option<SelfCheck>,
    /// The probe's own figures (`overhead_min_cycles` …), from the first phase.
    pub values: BTreeMap<String, u64>,
    /// The same for later phases or stretches, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub later_values: BTreeMap<String, BTreeMap<String, u64>>,
    /// Figures without a distribution, such as a search's limit.
    #[serde(default, skip_serializing_if = "Results::is_empty")]
    pub results: Results,
    /// Pictures for the report.
    pub pictures: Vec<Picture>,
    /// Facts read from the machine around the run.
    pub environment: Environment,
    /// Requirements and their outcomes.
    pub requirements: Vec<Requirement>,
    /// Notes for the user besides the figures.
    pub warnings: Vec<Warning>,
}

impl Run {
    /// A new run with its plan, command and start: the only way to begin one.
    pub fn begin(origin: Origin, plan: Plan, command: Vec<String>, started: Timestamp) -> Self {
        Self {
            schema: SCHEMA.to_string(),
            command,
            started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            seconds: 0.0,
            interrupted: false,
            version: env!("CARGO_PKG_VERSION").to_string(),
            valid: true,
            invalid: Vec::new(),
            refused_priority: None,
            origin,
            device: Device::default(),
            plan,
            sessions: Vec::new(),
            series: Vec::new(),
            loads: Vec::new(),
            stages: Vec::new(),
            self_check: None,
            values: BTreeMap::new(),
            later_values: BTreeMap::new(),
            results: Results::default(),
            pictures: Vec::new(),
            environment: Environment::default(),
            requirements: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Why no requirement is decided: the run is invalid, or measured other threads than requested.
    pub fn undecided(&self) -> Option<String> {
        let typed = if self.plan.extension == Extension::Run { "; -p 0 judges ordinary threads" } else { "" };
        self.no_evidence().or_else(|| self.refused_priority.as_ref().map(|refused| refused.undecided() + typed))
    }

    /// Start time, if `started` is one.
    pub fn began(&self) -> Option<Timestamp> {
        self.started.parse().ok()
    }

    /// The series of this key.
    pub fn series_of(&self, key: &Key) -> Option<&Series> {
        self.series.iter().find(|series| series.key == *key)
    }

    /// Completion and run time of a response, if measured.
    pub fn completed(&self, response: &Series) -> Option<[&Series; 2]> {
        let to = completion_of(&response.key.name);
        let from = |from: &str| {
            let ends = |series: &&Series| series.from == from && series.to == to && series.key.beside(&response.key);
            self.series.iter().find(ends)
        };
        Some([from(&response.from)?, from(&response.key.name)?])
    }
}
