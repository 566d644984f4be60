// SPDX-License-Identifier: MIT OR Apache-2.0
//! The outcome of a requirement on one series, with the reason.
use backwall_model::units::grouped;
use backwall_model::{Outcome, Series};

pub(super) struct Judgement {
    pub outcome: Outcome,
    pub needs_more: u64,
    pub because: String,
}

pub(super) fn observed(holds: bool, because: String) -> Judgement {
    Judgement { outcome: if holds { Outcome::Pass } else { Outcome::Fail }, needs_more: 0, because }
}

/// Undecided, because the unseen responses of a recording with gaps could change the outcome.
pub(super) fn not_seen(because: String, series: &Series) -> Judgement {
    let because = format!("{because}; {} responses lie in gaps of the recording", grouped(series.unseen));
    Judgement { outcome: Outcome::Undecided, needs_more: 0, because }
}

/// Undecided, because another tool did not count this quantity; a longer run would not help.
pub(super) fn not_known(name: &str) -> Judgement {
    let because = format!("{name} is unknown, because the imported file does not contain it");
    Judgement { outcome: Outcome::Undecided, needs_more: 0, because }
}

pub(super) fn nothing_seen() -> Judgement {
    Judgement { outcome: Outcome::Undecided, needs_more: 1, because: "nothing was measured".into() }
}

pub(super) fn severity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => 0,
        Outcome::Undecided => 1,
        Outcome::Fail => 2,
    }
}
