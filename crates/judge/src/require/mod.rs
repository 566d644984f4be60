// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requirements: what a user demands of a run, and whether the run shows it.
//!
//! `wakeup.p99.99 < 100us`, `missed == 0`, `wakeup[load=all,idle=as-is].max < 1ms`, `read[size=64].p99 < 2us`, `isr.max <= 42
//! instructions`, `p99 < 50us at 99%`. A requirement applies to all series that match what it names (series, phase, CPU,
//! variant). The worst outcome counts.
//!
//! A requirement is checked twice. Before measuring, `names.rs` checks it against the series that the plan will produce.
//! Afterwards `judge.rs` judges the figures. `demands.rs` connects both.

mod demands;
mod judge;
mod judgement;
mod names;
mod parse;
mod words;

use backwall_model::Outcome;
use backwall_model::units::Unit;
use backwall_stats::quantile::Level;
use std::collections::BTreeMap;

pub use demands::Demands;

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    text: String,
    series: Option<String>,
    load: Option<String>,
    idle: Option<String>,
    /// Other selectors: `cpu`, or a name from the series' variant.
    apart: BTreeMap<String, String>,
    quantity: Quantity,
    comparison: Comparison,
    limit: u64,
    confidence: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Count(Count),
    Latency(Latency, Unit),
    Quantile(Level, Unit),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Count {
    Due,
    Done,
    Missed,
    Unseen,
    Late,
    Overflow,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Latency {
    Min,
    Mean,
    Max,
    Jitter,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

/// Why the text is not a requirement: one line with the column and how to fix it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("requirement {text:?}, column {column}: {what}")]
pub struct BadRule {
    text: String,
    /// Counted from 1.
    column: usize,
    what: String,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("requirement {text:?}: {what}")]
pub struct Inapplicable {
    text: String,
    what: String,
}

/// The outcome of all requirements together. A failure outweighs an undecided requirement.
pub fn outcome_of(requirements: &[backwall_model::Requirement]) -> Outcome {
    let any = |outcome| requirements.iter().any(|r| r.outcome == outcome);
    if any(Outcome::Fail) {
        Outcome::Fail
    } else if any(Outcome::Undecided) {
        Outcome::Undecided
    } else {
        Outcome::Pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_an_undecided_requirement() {
        let requirement = |outcome| backwall_model::Requirement {
            text: "missed == 0".into(),
            outcome,
            needs_more: 0,
            confidence: 1.0,
            because: String::new(),
        };
        let all = |outcomes: &[Outcome]| outcome_of(&outcomes.iter().map(|o| requirement(*o)).collect::<Vec<_>>());
        assert_eq!(all(&[]), Outcome::Pass);
        assert_eq!(all(&[Outcome::Pass, Outcome::Pass]), Outcome::Pass);
        assert_eq!(all(&[Outcome::Pass, Outcome::Undecided]), Outcome::Undecided);
        assert_eq!(all(&[Outcome::Undecided, Outcome::Fail, Outcome::Pass]), Outcome::Fail);
    }
}
