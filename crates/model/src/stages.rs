// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages of responses, and the causes of the worst ones.
use super::{Cause, Culprit, Key, Worst};
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// The stages of one series in a phase. The stages of a response sum to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// The series that the stages divide.
    #[serde(flatten)]
    pub key: Key,
    /// Wakeups for which every stage was recorded.
    pub matched: u64,
    /// Of these, wakeups whose switch to the thread backwall infers, because the kernel recorded none.
    #[serde(default)]
    pub inferred: u64,
    /// Wakeups with a stage that was not recorded.
    pub unmatched: u64,
    /// Events that the kernel's ring buffer overwrote.
    pub events_lost: u64,
    /// How much longer a traced response takes, if measured.
    #[serde(default)]
    pub tracing_cost: Option<TracingCost>,
    /// The stages in order of time.
    pub parts: Vec<Stage>,
    /// The stages of the largest response: one duration per stage.
    pub of_worst: Vec<u64>,
    /// Largest responses of the traced phase with their causes, largest first.
    pub worst: Vec<Worst>,
    /// Number of worst responses whose causes were determined.
    pub blamed: u64,
    /// Total of each cause over these responses, in the order of [`CauseTotal::rank`].
    pub causes: Vec<CauseTotal>,
}

/// Cost of tracing. backwall switches the events on and off in turns, and compares the medians of neighbouring spans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracingCost {
    /// Median of the differences: traced minus not traced.
    pub ns: i64,
    /// Lower confidence limit of that median, from the ranks of the differences.
    pub low_ns: i64,
    /// Upper confidence limit.
    pub high_ns: i64,
    /// Confidence of the limits, in (0, 1).
    pub confidence: f64,
    /// Number of compared pairs of spans.
    pub pairs: u64,
}

/// Total of one cause over the worst responses of a phase. The totals of all causes sum to the time of these responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTotal {
    /// The cause and its culprit; threads of the same name are combined.
    #[serde(flatten)]
    pub accused: Accusation,
    /// Total time in nanoseconds. Time that belongs to several responses of a thread counts once.
    pub ns: u64,
    /// Number of responses in which this cause was the largest.
    pub largest_in: u64,
    /// Number of responses in which this cause had any share; absent if not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<u64>,
    /// Longest share in one response, in nanoseconds; absent if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_ns: Option<u64>,
}

impl CauseTotal {
    /// Orders causes by the number of responses in which they were largest, then by time.
    pub fn rank(&self, other: &Self) -> std::cmp::Ordering {
        let key = |total: &Self| (total.largest_in, total.ns);
        key(other).cmp(&key(self)).then_with(|| self.accused.cmp(&other.accused))
    }
}

impl Stages {
    /// The causes in the order of [`CauseTotal::rank`]. Older versions stored another order.
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
    /// The thread or interrupt that caused the delay, if known.
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
