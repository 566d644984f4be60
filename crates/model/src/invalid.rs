// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which figures of a run are invalid and why: those of a phase, or all.
use super::{IDLE_AS_IS, Key, NO_EVIDENCE, NO_LOAD, Run, Warning};
use serde::{Deserialize, Serialize};

/// A reason why figures are invalid, and the phase to which it applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invalid {
    /// Absent: applies to the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<InvalidPhase>,
    /// One line, without a full stop.
    pub reason: String,
}

/// Identifies a phase in its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvalidPhase {
    /// The phase's load; `none` if it has none.
    pub load: String,
    /// C-state setting of the phase: `as-is` or `off`.
    pub idle: String,
    /// True for a traced phase: only its stages and causes are invalid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub traced: bool,
}

impl InvalidPhase {
    /// The load that is every load at once.
    pub const ALL: &str = "all";

    fn has(&self, key: &Key) -> bool {
        !self.traced && self.load == key.load && self.idle == key.idle
    }
}

impl std::fmt::Display for InvalidPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.load.as_str() {
            NO_LOAD => f.write_str("idle")?,
            Self::ALL => f.write_str("all loads")?,
            load => write!(f, "load {load}")?,
        }
        if self.idle != IDLE_AS_IS {
            write!(f, ", C-states {}", self.idle)?;
        }
        f.write_str(if self.traced { ", traced" } else { "" })
    }
}

impl Run {
    /// Marks all figures of the run as invalid because of `why`.
    pub fn spoil(&mut self, why: impl Into<String>) {
        self.take_spoiled(Invalid { phase: None, reason: why.into() });
    }

    /// Marks the figures of `phase` as invalid because of `why`.
    pub fn spoil_phase(&mut self, phase: InvalidPhase, why: impl Into<String>) {
        self.take_spoiled(Invalid { phase: Some(phase), reason: why.into() });
    }

    fn take_spoiled(&mut self, spoiled: Invalid) {
        let warning = Warning::new(Warning::NO_EVIDENCE, &spoiled.reason);
        self.warnings.push(match &spoiled.phase {
            Some(phase) => warning.of(phase),
            None => warning,
        });
        self.valid = false;
        self.invalid.push(spoiled);
    }

    /// Why all figures of the run are invalid; `None` if some are valid.
    pub fn no_evidence(&self) -> Option<String> {
        self.whole_reason().map(|why| format!("{NO_EVIDENCE}: {why}"))
    }

    fn whole_reason(&self) -> Option<&str> {
        let whole = self.invalid.iter().find(|spoiled| spoiled.phase.is_none());
        whole.map(|whole| whole.reason.as_str())
    }

    /// Why this series is invalid: because of the whole run, or because of its phase.
    pub fn no_evidence_of(&self, key: &Key) -> Option<String> {
        let of_phase = |spoiled: &&Invalid| spoiled.phase.as_ref().is_some_and(|phase| phase.has(key));
        let phase = || self.invalid.iter().find(of_phase);
        self.no_evidence().or_else(|| phase().map(|spoiled| format!("{NO_EVIDENCE}: {}", spoiled.reason)))
    }

    /// What is invalid and why, in one line: the run with its first reason, or each phase.
    pub fn spoiled_line(&self) -> Option<String> {
        if self.valid {
            return None;
        }
        if let Some(why) = self.whole_reason() {
            return Some(format!("({why})"));
        }
        let mut told: Vec<(&InvalidPhase, &str, usize)> = Vec::new();
        for Invalid { phase, reason: why } in &self.invalid {
            let Some(phase) = phase else { continue };
            match told.iter_mut().find(|(known, ..)| *known == phase) {
                Some((.., more)) => *more += 1,
                None => told.push((phase, why, 0)),
            }
        }
        let more = |more| if more > 0 { format!(", and {more} more") } else { String::new() };
        let mut reasons: Vec<(String, Vec<&InvalidPhase>)> = Vec::new();
        for (phase, why, n) in told {
            let why = format!("{why}{}", more(n));
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, phases)) => phases.push(phase),
                None => reasons.push((why, vec![phase])),
            }
        }
        let one = |(why, phases): &(String, Vec<&InvalidPhase>)| match &phases[..] {
            [phase] => format!("of {phase} ({why})"),
            several => format!("of {} phases ({why})", several.len()),
        };
        Some(reasons.iter().map(one).collect::<Vec<String>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Plan};

    fn run() -> Run {
        Run::begin(Origin::Measured, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH)
    }

    fn all(traced: bool) -> InvalidPhase {
        InvalidPhase { load: "all".into(), idle: "as-is".into(), traced }
    }

    #[test]
    fn a_phase_spoils_its_own_figures_and_no_others() {
        let mut run = run();
        let key = |load| Key::new("wakeup", load, "as-is");
        assert_eq!((run.no_evidence(), run.no_evidence_of(&key("all")), run.spoiled_line()), (None, None, None));
        run.spoil_phase(all(true), "load disk did nothing");
        assert_eq!((run.valid, run.no_evidence_of(&key("all"))), (false, None), "its figures are another phase's");
        run.spoil_phase(all(false), "load spin did nothing");
        run.spoil_phase(all(false), "load spin said nothing");
        assert_eq!(run.no_evidence_of(&key("all")).as_deref(), Some("no evidence: load spin did nothing"));
        assert_eq!((run.no_evidence(), run.no_evidence_of(&key("none"))), (None, None));
        assert_eq!(run.no_evidence_of(&key("all").with_idle("off")), None);
        assert_eq!(
            run.spoiled_line().unwrap(),
            "of all loads, traced (load disk did nothing), of all loads (load spin did nothing, and 1 more)"
        );
        assert_eq!(run.warnings[1].to_string(), "no evidence: all loads: load spin did nothing");
    }

    #[test]
    fn phases_with_one_reason_are_counted() {
        let mut run = run();
        for load in ["a", "b"] {
            let phase = InvalidPhase { load: load.into(), idle: "as-is".into(), traced: false };
            run.spoil_phase(phase, "another run");
        }
        run.spoil_phase(all(false), "load spin did nothing");
        assert_eq!(run.spoiled_line().unwrap(), "of 2 phases (another run), of all loads (load spin did nothing)");
    }

    #[test]
    fn the_whole_run_spoils_all() {
        let mut run = run();
        run.spoil("--best-effort");
        let why = Some("no evidence: --best-effort".to_string());
        assert_eq!((run.no_evidence(), run.no_evidence_of(&Key::new("a", "b", "c"))), (why.clone(), why));
        assert_eq!(run.spoiled_line().unwrap(), "(--best-effort)");
    }
}
