// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages of responses, and who used the time of the worst.
use super::{Cause, Culprit, Key, Worst};
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One stage of a response over all responses of a phase; the stages of a window sum to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// The series they divide.
    #[serde(flatten)]
    pub key: Key,
    /// Wake-ups with every stage seen.
    pub matched: u64,
    /// Of these, those with an inferred switch to the thread, because the kernel recorded none.
    #[serde(default)]
    pub inferred: u64,
    /// Wake-ups with some stage unseen.
    pub unmatched: u64,
    /// Events the kernel's ring overwrote.
    pub events_lost: u64,
    /// Cost of tracing a response, if measured.
    #[serde(default)]
    pub tracing_cost: Option<TracingCost>,
    /// In order of time.
    pub parts: Vec<Stage>,
    /// The stages of the largest response: one duration per stage.
    pub of_worst: Vec<u64>,
    /// The traced phase's largest responses with their causes, largest first.
    pub worst: Vec<Worst>,
    /// Number of worst responses divided among causes.
    pub blamed: u64,
    /// Causes of all those together, in order of [`CauseTotal::rank`].
    pub causes: Vec<CauseTotal>,
}

/// Cost of tracing: events are toggled, and the medians of neighbouring spans compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracingCost {
    /// The median of the differences, with less without.
    pub ns: i64,
    /// The interval of that median, from the ranks of the differences.
    pub low_ns: i64,
    /// Its upper end.
    pub high_ns: i64,
    /// The confidence of the interval, in (0, 1).
    pub confidence: f64,
    /// Pairs of spans that were compared.
    pub pairs: u64,
}

/// One cause's total over a phase's worst responses; all causes sum to their time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTotal {
    /// Who or what used it; threads of the same name are combined.
    #[serde(flatten)]
    pub accused: Accusation,
    /// Its total time in nanoseconds; time in several responses of a thread counts once.
    pub ns: u64,
    /// Number of responses in which it was the largest.
    pub largest_in: u64,
    /// Number of responses with any part of it; absent if not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<u64>,
    /// Its longest time in one response, in nanoseconds; absent if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_ns: Option<u64>,
}

impl CauseTotal {
    /// The order of causes: by the number of responses in which each was largest, then by time.
    pub fn rank(&self, other: &Self) -> std::cmp::Ordering {
        let key = |total: &Self| (total.largest_in, total.ns);
        key(other).cmp(&key(self)).then_with(|| self.accused.cmp(&other.accused))
    }
}

impl Stages {
    /// The causes in the order of [`CauseTotal::rank`], whichever version of the tool wrote them.
    pub fn ranked(&self) -> Vec<&CauseTotal> {
        let mut ranked: Vec<&CauseTotal> = self.causes.iter().collect();
        ranked.sort_by(|a, b| a.rank(b));
        ranked
    }
}

/// A cause of lateness and its culprit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Accusation {
    /// The cause.
    pub cause: Cause,
    /// Its thread or interrupt, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// `expiry to ISR` …
    pub name: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99 % quantile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
}
