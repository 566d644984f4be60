// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sessions of a run. A session is a time of measuring without a gap; a resumed run has several.
use super::{Run, shell};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One session: from the start or resumption of a run until it ended or was cut off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Start by the wall clock, in RFC 3339, UTC.
    pub started: String,
    /// Length so far, by a monotonic clock.
    pub seconds: f64,
    /// When the session was last stored: `seconds` after `started`, in RFC 3339, UTC.
    pub until: String,
    /// Uptime at the session's start, in seconds, with suspended time.
    pub uptime: f64,
    /// Gap before this session; absent for the first one, and if the wall clock was set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_seconds: Option<f64>,
    /// How the session ended; absent if it is in progress, or was cut off by a kill or a power failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Conditions that must be equal in all sessions, by name: `boot`, `kernel`, `cmdline`, `version`.
    pub conditions: BTreeMap<String, String>,
    /// Measured phases in order. The last one may be incomplete.
    pub phases: Vec<MeasuredPhase>,
}

/// How a session ended, if it was not cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Everything planned was measured.
    Done,
    /// A signal stopped the session, or it could not continue.
    Interrupted,
    /// A response was longer than `--stop-above`.
    Limit,
}

/// A phase and how much of it was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPhase {
    /// The measure.
    pub measure: String,
    /// The load.
    pub load: String,
    /// `as-is` or `off`.
    pub idle: String,
    /// Whether the phase was traced, so that it gives stages and causes instead of figures.
    pub traced: bool,
    /// Measured time of the phase: due releases times the period; without a period, elapsed time.
    pub ns: u64,
}

impl MeasuredPhase {
    /// Whether both are parts of the same phase.
    pub fn same_phase(&self, other: &Self) -> bool {
        (&self.measure, &self.load, &self.idle, self.traced) == (&other.measure, &other.load, &other.idle, other.traced)
    }
}

impl Run {
    /// The last session of a run that is in progress or was cut off; `None` if it ended.
    pub fn unfinished(&self) -> Option<&Session> {
        self.sessions.last().filter(|session| session.ending.is_none())
    }

    /// The command that finishes the run in `folder`; `None` if its command cannot resume.
    pub fn resume_command(&self, folder: &str) -> Option<String> {
        let words = self.command.get(1..).filter(|words| words.first().is_some_and(|word| word == "run"))?;
        let names_folder = |word: &String| {
            word == "--output" || word.starts_with("--output=") || word.starts_with("-o") && !word.starts_with("--")
        };
        let output = (!words.iter().any(names_folder)).then_some(["-o", folder]);
        let resume = (!words.iter().any(|word| word == "--resume")).then_some("--resume");
        let typed = self.command.iter().map(String::as_str);
        Some(shell::line(&typed.chain(output.into_iter().flatten()).chain(resume).collect::<Vec<_>>()))
    }

    /// Why the measurement ended early, in a word or two; `None` if it is complete or still unfinished.
    pub fn ended_early(&self) -> Option<&'static str> {
        let by = if self.crossed() { "ended by --stop-above" } else { "interrupted" };
        (self.interrupted && self.unfinished().is_none()).then_some(by)
    }

    /// Whether a response longer than `--stop-above` ended the run.
    pub fn crossed(&self) -> bool {
        self.sessions.last().is_some_and(|session| session.ending == Some(Ending::Limit))
    }

    /// How much of a phase all sessions together measured.
    pub fn measured_of(&self, phase: &MeasuredPhase) -> u64 {
        let phases = self.sessions.iter().flat_map(|session| &session.phases);
        phases.filter(|other| other.same_phase(phase)).fold(0, |sum, other| sum.saturating_add(other.ns))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Origin, Plan, Run};

    #[test]
    fn a_run_is_finished_by_its_own_command_with_what_it_lacks() {
        let of = |words: &[&str]| {
            let command = words.iter().map(|word| word.to_string()).collect();
            Run::begin(Origin::Measured, Plan::default(), command, jiff::Timestamp::UNIX_EPOCH).resume_command("a b")
        };
        assert_eq!(of(&["backwall", "run", "-D", "1h"]).as_deref(), Some("backwall run -D 1h -o 'a b' --resume"));
        let whole = ["bin/backwall", "run", "--output=soak", "--resume"];
        assert_eq!(of(&whole).as_deref(), Some("bin/backwall run --output=soak --resume"));
        assert_eq!(of(&["backwall", "run", "-osoak"]).as_deref(), Some("backwall run -osoak --resume"));
        assert_eq!((of(&["backwall", "watch", "jack"]), of(&[])), (None, None));
    }
}
