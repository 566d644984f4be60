// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sessions of a run: each a time of measuring without a gap. A run that was resumed has several.
use super::Run;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// From the start, or from the resumption, of a run to its end or to the moment it was cut off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// RFC 3339, UTC, by the clock on the wall.
    pub started: String,
    /// Its length so far, by a monotonic clock.
    pub seconds: f64,
    /// When it was written last: `started` and `seconds` later. RFC 3339, UTC.
    pub until: String,
    /// Seconds since boot when it began, suspended ones included.
    pub uptime: f64,
    /// Gap before it; absent for the first, and if the wall clock was set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_seconds: Option<f64>,
    /// Absent: in progress, or cut off by a kill or power failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Conditions that must match in all sessions, by name: `boot`, `kernel`, `cmdline`, `version`.
    pub conditions: BTreeMap<String, String>,
    /// The measured phases in order; the last may be cut off.
    pub phases: Vec<MeasuredPhase>,
}

/// How a session ended that was not cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// All that was planned was measured.
    Done,
    /// It was asked to stop, or could not continue.
    Interrupted,
    /// A response was longer than `--stop-above`.
    Limit,
}

/// A phase as far as measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPhase {
    /// The measure.
    pub measure: String,
    /// The load.
    pub load: String,
    /// `as-is` or `off`.
    pub idle: String,
    /// Whether it gives stages instead of figures.
    pub traced: bool,
    /// Progress of the phase: due releases times their period, otherwise time.
    pub ns: u64,
}

impl MeasuredPhase {
    /// Whether both belong to one phase.
    pub fn same_phase(&self, other: &Self) -> bool {
        (&self.measure, &self.load, &self.idle, self.traced) == (&other.measure, &other.load, &other.idle, other.traced)
    }
}

impl Run {
    /// The last session of a run that continues or was cut off; `None` for a finished run.
    pub fn unfinished(&self) -> Option<&Session> {
        self.sessions.last().filter(|session| session.ending.is_none())
    }

    /// Why the measurement is incomplete, in a word or two; `None` if complete or unfinished.
    pub fn ended_early(&self) -> Option<&'static str> {
        let by = if self.crossed() { "ended by --stop-above" } else { "interrupted" };
        (self.interrupted && self.unfinished().is_none()).then_some(by)
    }

    /// Whether a response that took longer than `--stop-above` ended it.
    pub fn crossed(&self) -> bool {
        self.sessions.last().is_some_and(|session| session.ending == Some(Ending::Limit))
    }

    /// How much of a phase all sessions measured together.
    pub fn measured_of(&self, phase: &MeasuredPhase) -> u64 {
        let phases = self.sessions.iter().flat_map(|session| &session.phases);
        phases.filter(|other| other.same_phase(phase)).fold(0, |sum, other| sum.saturating_add(other.ns))
    }
}
