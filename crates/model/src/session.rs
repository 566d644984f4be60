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
    /// Its length so far, by a clock that nobody sets.
    pub seconds: f64,
    /// When it was written last: `started` and `seconds` later. RFC 3339, UTC.
    pub until: String,
    /// Seconds since boot when it began, suspended ones included.
    pub uptime: f64,
    /// What was not measured before it; absent for the first one, and where the clock on the wall was set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_seconds: Option<f64>,
    /// Absent: it goes on, or it was cut off: killed, or the power failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// What must be the same in all sessions, by name: `boot`, `kernel`, `cmdline`, `version`.
    pub conditions: BTreeMap<String, String>,
    /// What was measured, in order; the last one may be cut off.
    pub phases: Vec<MeasuredPhase>,
}

/// How a session ended that was not cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// All that was planned was measured.
    Done,
    /// It was asked to end, or could not go on.
    Interrupted,
    /// A response took longer than `--stop-above`, which ended it.
    Limit,
}

/// A phase as far as it was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPhase {
    /// The measure.
    pub measure: String,
    /// The load.
    pub load: String,
    /// `as-is` or `off`.
    pub idle: String,
    /// Whether it is one that gives stages instead of figures.
    pub traced: bool,
    /// How much of the phase it is: releases that came due times their period, else time.
    pub ns: u64,
}

impl MeasuredPhase {
    /// Whether both are of one phase.
    pub fn same_phase(&self, other: &Self) -> bool {
        (&self.measure, &self.load, &self.idle, self.traced) == (&other.measure, &other.load, &other.idle, other.traced)
    }
}

impl Run {
    /// The last session of a run that goes on or was cut off; `None` where the run came to an end of its own.
    pub fn unfinished(&self) -> Option<&Session> {
        self.sessions.last().filter(|session| session.ending.is_none())
    }

    /// Why not all that was planned was measured, in a word or two; `None` where it was, or the run is unfinished.
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
