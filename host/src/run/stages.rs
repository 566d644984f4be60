// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of responses, and who used the time of the worst.
use super::{Key, Worst};
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One stage of a response over all responses of a phase; the stages of a window sum to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// The series they divide.
    #[serde(flatten)]
    pub key: Key,
    /// Wake-ups for which every stage was seen.
    pub matched: u64,
    /// Wake-ups of the series for which some stage was not.
    pub unmatched: u64,
    /// Events the kernel's ring overwrote.
    pub events_lost: u64,
    /// Median latency with the trace less the median without it: what tracing itself cost, where both were measured.
    pub tracing_cost_ns: Option<i64>,
    /// In order of time.
    pub stage: Vec<Stage>,
    /// The stages of the largest response: one duration per stage.
    pub of_worst: Vec<u64>,
    /// The largest responses of the traced phase, largest first, each with who used its time.
    pub worst: Vec<Worst>,
    /// The worst responses whose times were divided among causes.
    pub blamed: u64,
    /// The causes of those together, the largest first.
    pub causes: Vec<CauseTotal>,
}

/// One cause over the worst responses of a phase; all causes sum to the latencies of those responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseTotal {
    /// Who or what; threads by their names.
    pub what: String,
    /// Its time in all of them, in nanoseconds.
    pub ns: u64,
    /// In how many of them it was the largest.
    pub largest_in: u64,
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
