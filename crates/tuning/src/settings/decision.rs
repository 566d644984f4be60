// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a comparison of a machine without a setting and with it comes to.
use backwall_judge::compare::{Comparison, Verdict};
use serde::Serialize;

/// What became of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Something is better and nothing is worse: it stays.
    Kept,
    /// Nothing is better: it was taken back.
    NoHelp,
    /// Something is worse: it was taken back.
    Harms,
    /// Another program writes the same places: what was measured is not the setting.
    Disturbed,
    /// The kernel refused it, for this reason.
    Refused(String),
    /// It is set already, or this machine does not have it.
    NothingToChange,
    /// The user stopped the trial.
    Stopped,
}

impl Decision {
    /// Of a trial that was measured to its end.
    pub fn of(comparison: &Comparison) -> Self {
        let some = |verdict: Verdict| comparison.rows.iter().any(|row| row.verdict == verdict);
        match (some(Verdict::Regressed), some(Verdict::Improved)) {
            (true, _) => Self::Harms,
            (false, true) => Self::Kept,
            (false, false) => Self::NoHelp,
        }
    }
}
