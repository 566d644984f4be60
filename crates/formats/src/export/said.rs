// SPDX-License-Identifier: MIT OR Apache-2.0
//! The note next to a figure: its origin, and whether it is valid.
use backwall_model::{Origin, Outcome, Requirement, Run, Series};

pub(super) fn beside(series: &Series, run: &Run) -> String {
    let doubt = if doubtful(series, run) { ", no evidence" } else { "" };
    format!("{}{doubt}", run.origin.name())
}

/// Whether a series' figures are invalid: its phase is, or there are none.
pub(super) fn doubtful(series: &Series, run: &Run) -> bool {
    series.max.is_none() || run.no_evidence_of(&series.key).is_some()
}

/// An unusual origin, so that such figures get other names than measured ones.
pub(super) fn unusual(run: &Run) -> Option<&'static str> {
    (run.origin != Origin::Measured).then(|| run.origin.name())
}

/// A requirement's outcome and reason. If the file says that the run decides nothing, it did not pass.
pub(super) fn decided<'a>(requirement: &'a Requirement, doubt: Option<&'a str>) -> (Outcome, &'a str) {
    match (requirement.outcome, doubt) {
        (Outcome::Pass, Some(doubt)) => (Outcome::Undecided, doubt),
        (outcome, _) => (outcome, &requirement.because),
    }
}
