// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of each kernel operation: the rows of the table. Their figures are series of the run.
use serde::{Deserialize, Serialize};

/// The rows in table order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// The requested rows.
    pub rows: Vec<Operation>,
    /// Results of other tools, each compared with one of our rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<Peer>,
}

/// Another tool's result in nanoseconds; figures that it does not print are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Name of the other tool.
    pub program: String,
    /// Our row that measures the same operation.
    pub test: String,
    /// Number of samples.
    pub samples: u64,
    /// Smallest.
    pub min_ns: Option<u64>,
    /// Mean.
    pub mean_ns: u64,
    /// Largest.
    pub max_ns: Option<u64>,
    /// Our row measured again with equal priorities, as the other tool uses; absent if the row has equal priorities anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal: Option<Equal>,
}

/// A row with two threads of equal priority: the woken thread runs only when the waker waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Equal {
    /// Samples.
    pub samples: u64,
    /// Smallest.
    pub min_ns: u64,
    /// Mean.
    pub mean_ns: u64,
    /// Largest.
    pub max_ns: u64,
}

/// One row. Its figures are in the series `name` with this `test` variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Number and variant of the test, such as `1.00`.
    pub test: String,
    /// Row of the 2002 paper's Table 2, if any.
    pub paper_row: Option<u64>,
    /// Name of the series.
    pub name: String,
    /// Where the measured interval starts and ends.
    pub about: String,
    /// Whether the second thread is in another process.
    pub other_process: bool,
    /// Whether the second thread is on another CPU.
    pub other_processor: bool,
    /// Whether the row's threads have real-time priorities.
    pub real_time: bool,
    /// Whether the caches are swept before each sample.
    pub swept: bool,
    /// Operations per sample.
    pub iterations: u64,
    /// Operations per stored value: divide a value by this to get the time of one operation.
    pub per_value: u64,
    /// The first sample of the thread, which is excluded from the figures.
    pub first: Option<u64>,
    /// Samples that were discarded because the operation did not happen as intended. They count as missed.
    pub void: u64,
    /// Negative samples, which were counted as 0.
    pub clamped: u64,
    /// Median cost of one clock reading, measured before the row.
    pub clock_read: u64,
    /// Resolution of the clock, measured before the row.
    pub clock_step: u64,
    /// Why the row was not measured, or not completely.
    pub failure: Option<String>,
}

impl Operation {
    /// Variant key: the test.
    pub const TEST: &str = "test";

    /// Time of one operation, in the series' unit.
    pub fn each(&self, value: f64) -> f64 {
        value / self.per_value.max(1) as f64
    }
}
