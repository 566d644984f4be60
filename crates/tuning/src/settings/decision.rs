// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a comparison of a machine without a setting and with it comes to.
use backwall_judge::compare::{Comparison, Row, Verdict};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    Kept,
    /// Nothing is better, and nothing that matters was left open: it was taken back.
    NoHelp,
    /// These slices do not decide it: it was taken back. So many slices a side would decide; absent: more than anybody makes.
    Inconclusive {
        slices: Option<u64>,
    },
    Harms,
    /// Another program writes the same places: what was measured is not the setting.
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

/// Of the metrics that are open, the one that seems to have improved most, by more than what matters: nobody may say of it that nothing
/// improved.
fn most_hopeful(comparison: &Comparison) -> Option<&Row> {
    let open = comparison.rows.iter().filter(|row| row.verdict == Verdict::CannotTell);
    let hopeful = open.filter(|row| row.ratio < 1.0 / (1.0 + row.effect));
    hopeful.min_by(|a, b| a.ratio.total_cmp(&b.ratio))
}
