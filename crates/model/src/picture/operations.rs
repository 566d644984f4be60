// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of each kernel operation: rows of the table, whose figures are series of the run.
use serde::{Deserialize, Serialize};

/// The rows, in the order of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Rows that were asked for.
    pub rows: Vec<Operation>,
    /// Results of other tools, each next to our row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<Peer>,
}

/// Another tool's result in nanoseconds, as far as it prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The tool.
    pub program: String,
    /// Our row of the same thing.
    pub test: String,
    /// Times that it measured.
    pub samples: u64,
    /// Smallest.
    pub min_ns: Option<u64>,
    /// Mean.
    pub mean_ns: u64,
    /// Largest.
    pub max_ns: Option<u64>,
    /// The row again, with the other tool's equal priorities; absent if the row has these anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal: Option<Equal>,
}

/// A row with two threads of equal priority: the woken one runs when the waker waits.
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

/// One row. Its figures are in the series of that name with this `test` variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Id and variant, such as `1.00`.
    pub test: String,
    /// Row of the 2002 paper's Table 2, if any.
    pub paper_row: Option<u64>,
    /// Name of its series.
    pub name: String,
    /// Start and end of what is measured.
    pub about: String,
    /// Whether the second thread is in another process.
    pub other_process: bool,
    /// Whether the second thread is on another processor.
    pub other_processor: bool,
    /// Whether its threads have real-time priorities.
    pub real_time: bool,
    /// Whether the caches are swept before each sample.
    pub swept: bool,
    /// Operations done for one sample.
    pub iterations: u64,
    /// Operations per value of the series: divide a value by this for the time of one.
    pub per_value: u64,
    /// The first sample after the thread's first run, excluded from the figures.
    pub first: Option<u64>,
    /// Samples that were thrown away because the operation did not take place as it should; they are among the lost.
    pub void: u64,
    /// Samples below 0, counted as 0.
    pub clamped: u64,
    /// Median of what one reading of the clock cost, measured before the row.
    pub clock_read: u64,
    /// The clock's step, measured before the row.
    pub clock_step: u64,
    /// Why it was not measured, or not to its end.
    pub failure: Option<String>,
}

impl Operation {
    /// Variant key of its series: the test.
    pub const TEST: &str = "test";

    /// Time of one operation, in the series' unit.
    pub fn each(&self, value: f64) -> f64 {
        value / self.per_value.max(1) as f64
    }
}
