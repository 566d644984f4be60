// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run: one execution of one plan on one device, as stored in `run.json`.
//!
//! This crate is plain data and connects all others: commands that measure or import produce a [`Run`]; reports and exports take
//! one. The published schema is `docs/reference/run.schema.json`; a test compares both. [`Run::begin`] creates a run, the
//! measurement fills it, and it is judged and stored. `read` audits a run from a file, so code that shows a run can rely on its
//! figures.
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
pub mod log_time;
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

/// Name prefix of all threads of a probe or a load.
pub const THREAD_PREFIX: &str = "bw-";
/// The thread that reads the kernel's trace.
pub const RECORDER_THREAD: &str = "backwall-trace";
/// The thread that stores the run so far.
pub const CHECKPOINT_THREAD: &str = "backwall-store";
/// The thread that serves the page of the run so far to a browser.
pub const PAGE_THREAD: &str = "backwall-page";
/// The thread that hands out recent recordings (`trace snapshot`).
pub const DOOR_THREAD: &str = "backwall-door";

/// The role of a backwall thread, found by the thread's name. Covers the threads next to the measurement, not probes and loads.
pub fn own_thread(name: &str) -> Option<&'static str> {
    const OWN: [(&str, &str); 5] = [
        (RECORDER_THREAD, "backwall's own recorder"),
        (CHECKPOINT_THREAD, "backwall's own checkpoint writer"),
        (PAGE_THREAD, "backwall's own page server"),
        (DOOR_THREAD, "backwall's own snapshot server"),
        // The main thread of backwall, named like the program.
        ("backwall", "backwall itself"),
    ];
    OWN.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

/// Whether a word from outside could be the name of a backwall command.
pub fn is_command(word: &str) -> bool {
    (1..=32).contains(&word.len())
        && word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-')
}

/// Prefix of warnings that say why figures are invalid.
pub const NO_EVIDENCE: &str = "no evidence";

/// All stored data of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The command line, program first.
    pub command: Vec<String>,
    /// Start, in RFC 3339, UTC.
    pub started: String,
    /// Length of the whole run, without the gaps between sessions.
    pub seconds: f64,
    /// Whether the run ended early: by a signal, a dead probe, a truncated stream or `--stop-above`. The samples up to there are
    /// kept.
    pub interrupted: bool,
    /// Version of backwall.
    pub version: String,
    /// `false` if the run, or a phase of it, is invalid: see `invalid`.
    pub valid: bool,
    /// The invalid parts with reasons; empty exactly if `valid` is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<Invalid>,
    /// Why ordinary threads were measured instead of real-time ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_priority: Option<RefusedPriority>,
    /// Origin of the figures.
    pub origin: Origin,
    /// The measured device.
    pub device: Device,
    /// The requested measurement.
    pub plan: Plan,
    /// When the run measured: one session, or several if it was resumed. Empty if not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
    /// The figures.
    pub series: Vec<Series>,
    /// Progress of each load.
    pub loads: Vec<LoadProgress>,
    /// Stages of a typical and of the worst response, if known.
    pub stages: Vec<Stages>,
    /// The probe's clock readings compared with the kernel's timestamps of the same wakeups.
    pub self_check: Option<SelfCheck>,
    /// Values that the probe reported about itself (`overhead_min_cycles` …), from the first phase.
    pub values: BTreeMap<String, u64>,
    /// Values of later phases and sessions, by phase or session.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub later_values: BTreeMap<String, BTreeMap<String, u64>>,
    /// Figures without a distribution, such as the limit found by a search.
    #[serde(default, skip_serializing_if = "Results::is_empty")]
    pub results: Results,
    /// Pictures for the report.
    pub pictures: Vec<Picture>,
    /// Facts read from the machine around the run.
    pub environment: Environment,
    /// Requirements and their outcomes.
    pub requirements: Vec<Requirement>,
    /// Warnings and notes for the user.
    pub warnings: Vec<Warning>,
}

impl Run {
    /// Creates a run with its plan, command and start. There is no other way to create one.
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

    /// Why no requirement can be decided: the run is invalid, or it measured ordinary threads instead of real-time ones.
    pub fn undecided(&self) -> Option<String> {
        let typed = if self.plan.extension == Extension::Run { "; -p 0 judges ordinary threads" } else { "" };
        self.no_evidence().or_else(|| self.refused_priority.as_ref().map(|refused| refused.undecided() + typed))
    }

    /// The start time; `None` if `started` cannot be parsed.
    pub fn began(&self) -> Option<Timestamp> {
        self.started.parse().ok()
    }

    /// The series of this key.
    pub fn series_of(&self, key: &Key) -> Option<&Series> {
        self.series.iter().find(|series| series.key == *key)
    }

    /// The series of completion and run time that belong to this response series, if measured.
    pub fn completed(&self, response: &Series) -> Option<[&Series; 2]> {
        let to = completion_of(&response.key.name);
        let from = |from: &str| {
            let ends = |series: &&Series| series.from == from && series.to == to && series.key.beside(&response.key);
            self.series.iter().find(ends)
        };
        Some([from(&response.from)?, from(&response.key.name)?])
    }
}
