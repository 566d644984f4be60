// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands beside a figure: where it comes from, and whether it is evidence.
use backwall_model::{Origin, Outcome, Requirement, Run, Series};

pub(super) fn beside(series: &Series, run: &Run) -> String {
    let doubt = if doubtful(series, run) { ", no evidence" } else { "" };
    format!("{}{doubt}", run.origin.name())
}

/// Whether the figures of a series are no evidence: its phase is not, or there are none.
pub(super) fn doubtful(series: &Series, run: &Run) -> bool {
    series.max.is_none() || run.no_evidence_of(&series.key).is_some()
}

/// The origin where it is another than the usual one: such figures must not fall under the names of measured ones.
pub(super) fn unusual(run: &Run) -> Option<&'static str> {
    (run.origin != Origin::Measured).then(|| run.origin.name())
}

/// The outcome of a requirement, and its reason. A file may say that it passed and, with this doubt, that the run decides nothing: it did
/// not pass then.
pub(super) fn decided<'a>(requirement: &'a Requirement, doubt: Option<&'a str>) -> (Outcome, &'a str) {
    match (requirement.outcome, doubt) {
        (Outcome::Pass, Some(doubt)) => (Outcome::Undecided, doubt),
        (outcome, _) => (outcome, &requirement.because),
    }
}
