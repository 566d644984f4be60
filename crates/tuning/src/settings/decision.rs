// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decision from comparing a machine with and without a setting.
use backwall_judge::compare::{Comparison, Row, Verdict};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    Kept,
    /// No metric improved, and no undecided metric seemed to improve. The setting was reverted.
    NoHelp,
    /// Too few slices to decide, so the setting was reverted. `slices` is the number needed with the setting, and again without
    /// it; `None` if that is too many to measure.
    Inconclusive {
        slices: Option<u64>,
    },
    Harms,
    /// Another program changed the same values during the trial, so the trial did not measure this setting.
    Disturbed,
    Refused(String),
    NothingToChange,
    Stopped,
}

impl Decision {
    pub fn of(comparison: &Comparison) -> Self {
        let some = |verdict: Verdict| comparison.rows.iter().any(|row| row.verdict == verdict);
        match (some(Verdict::Regressed), some(Verdict::Improved)) {
            (true, _) => Self::Harms,
            (false, true) => Self::Kept,
            (false, false) => {
                most_hopeful(comparison).map_or(Self::NoHelp, |row| Self::Inconclusive { slices: row.needs_runs })
            }
        }
    }
}

/// The undecided metric with the largest apparent improvement above the threshold. The decision `NoHelp` would be wrong,
/// because this metric may have improved.
fn most_hopeful(comparison: &Comparison) -> Option<&Row> {
    let open = comparison.rows.iter().filter(|row| row.verdict == Verdict::CannotTell);
    let hopeful = open.filter(|row| row.ratio < 1.0 / (1.0 + row.effect));
    hopeful.min_by(|a, b| a.ratio.total_cmp(&b.ratio))
}
