// SPDX-License-Identifier: MIT OR Apache-2.0
//! A warning or note for the user: text, subject and remedy.
use super::NO_EVIDENCE;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Kinds whose texts vary: two warnings of such a kind are alike only if they have the same text.
const OTHERS_WORDS: [&str; 4] = [Warning::NOTE, Warning::NO_EVIDENCE, Warning::PROBE, Warning::FAILED];

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Warning {
    /// Kind of the warning, such as `load-waited`. Two warnings of one kind differ only in subject and figures.
    pub kind: Cow<'static, str>,
    /// The phase, load or series that the warning concerns; absent: the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// One line, without a full stop.
    pub text: String,
    /// How to fix the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Warning {
    /// The figures that the warning concerns are invalid.
    pub const NO_EVIDENCE: &str = "no-evidence";
    /// Message of a probe or a load.
    pub const PROBE: &str = "probe";
    /// Something failed or was refused during the run.
    pub const FAILED: &str = "failed";
    /// From a version whose warnings had no kind.
    pub const NOTE: &str = "note";

    /// A warning about the whole run.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind: Cow::Borrowed(kind), of: None, text: text.into(), remedy: None }
    }

    /// The flight recorder was on in the measured phases, so every figure includes its cost.
    pub const RECORDER_ON: &str = "recorder-on";
    /// The flight recorder was off in the measured phases, so responses have no causes; the text says why.
    pub const UNRECORDED: &str = "unrecorded";

    /// How long a followed thread was ready without getting a CPU. `of` is the thread; an ordinary thread gets a remedy.
    pub const RUN_DELAY: &str = "run-delay";
    /// A cgroup quota kept threads of the run off the CPUs. The text ends with the group.
    pub const THROTTLED: &str = "throttled";

    /// The kernel's trace has gaps. Reports say so before any figure.
    pub const TRACE_LOST: &str = "trace-lost";

    /// A warning that the kernel's trace lost this many events.
    pub fn trace_lost(events: u64) -> Self {
        Self::new(Self::TRACE_LOST, format!("the kernel's trace lost {} events", crate::units::grouped(events)))
    }

    /// A warning that the emulator generated pulses later than planned.
    pub fn late_stimuli(pulses: u64) -> Self {
        Self::new("late-stimuli", format!("pulses that the emulator generated late: {pulses}"))
    }

    /// The same warning about this phase, load or series.
    #[must_use]
    pub fn of(mut self, place: impl fmt::Display) -> Self {
        self.of = Some(self.of.map_or(place.to_string(), |inner| format!("{place}: {inner}")));
        self
    }

    /// The same warning with this remedy.
    #[must_use]
    pub fn mended_by(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Whether this warning makes figures invalid.
    pub fn spoils(&self) -> bool {
        self.kind == Self::NO_EVIDENCE
    }

    /// Whether both warnings say the same about different subjects or figures.
    pub fn is_like(&self, other: &Self) -> bool {
        let words_count = OTHERS_WORDS.contains(&&*self.kind);
        self.kind == other.kind && (!words_count || self.text == other.text)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.spoils() {
            write!(f, "{NO_EVIDENCE}: ")?;
        }
        if let Some(place) = &self.of {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.text)?;
        self.remedy.as_ref().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_comes_back_from_a_file_as_it_was() {
        let warning = Warning::new("load-waited", "waited 3 s").of("load disk").of("load all").mended_by("wait");
        assert_eq!(warning.to_string(), "load all: load disk: waited 3 s; wait");
        let stored = serde_json::to_value(&warning).unwrap();
        assert_eq!(stored["of"], "load all: load disk");
        assert_eq!(serde_json::from_value::<Warning>(stored).unwrap(), warning);
        for bad in [serde_json::json!({"kind": "x"}), serde_json::json!(3), serde_json::json!({"text": "x"})] {
            assert!(serde_json::from_value::<Warning>(bad).is_err());
        }
    }

    #[test]
    fn ours_are_alike_by_their_kind_and_those_of_others_by_their_words() {
        let ours = |text: &str| Warning::new("moved", text);
        let theirs = |text: &str| Warning::new(Warning::PROBE, text);
        assert!(ours("1 time").is_like(&ours("2 times").of("load all")));
        assert!(theirs("a lock was refused").of("x").is_like(&theirs("a lock was refused")));
        assert!(!theirs("a lock was refused").is_like(&theirs("slow")) && !ours("slow").is_like(&theirs("slow")));
    }
}
