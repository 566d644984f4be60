// SPDX-License-Identifier: MIT OR Apache-2.0
//! Remarks about a figure: its origin, and whether it is valid.
use backwall_model::{Origin, Outcome, Requirement, Run, Series};

pub(super) fn beside(series: &Series, run: &Run) -> String {
    let doubt = if doubtful(series, run) { ", no evidence" } else { "" };
    format!("{}{doubt}", run.origin.name())
}

/// Whether a series has no figures or its phase is invalid.
pub(super) fn doubtful(series: &Series, run: &Run) -> bool {
    series.max.is_none() || run.no_evidence_of(&series.key).is_some()
}

/// The origin of a run that was not measured on a real machine, to keep its figures apart from measured ones.
pub(super) fn unusual(run: &Run) -> Option<&'static str> {
    (run.origin != Origin::Measured).then(|| run.origin.name())
}

/// The outcome and reason of a requirement. If the whole run is undecided, a pass becomes undecided too.
pub(super) fn decided<'a>(requirement: &'a Requirement, doubt: Option<&'a str>) -> (Outcome, &'a str) {
    match (requirement.outcome, doubt) {
        (Outcome::Pass, Some(doubt)) => (Outcome::Undecided, doubt),
        (outcome, _) => (outcome, &requirement.because),
    }
}
