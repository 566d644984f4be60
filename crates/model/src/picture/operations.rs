// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each operation of a kernel costs: the rows of the table, whose figures are series of the run.
use serde::{Deserialize, Serialize};

/// The rows, in the order of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Rows that were asked for.
    pub rows: Vec<Operation>,
    /// What other tools said of the same things, each run behind our row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<Peer>,
}

/// What another tool said, in nanoseconds, as far as it says it.
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
    /// Our row once more with the tool's priorities, which are equal; absent where the row has them anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal: Option<Equal>,
}

/// A row whose two threads have the same priority: who is woken runs when the waker waits.
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

/// One row. Its figures are the series of that name whose variant `test` is the row's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Id and variant, such as `1.00`.
    pub test: String,
    /// Row of the 2002 paper's Table 2, where it has one.
    pub paper_row: Option<u64>,
    /// Name of its series.
    pub name: String,
    /// From where to where it is measured.
    pub about: String,
    /// Whether the second thread is in a process of its own.
    pub other_process: bool,
    /// Whether the second thread is on another processor.
    pub other_processor: bool,
    /// Whether its threads have real-time priorities.
    pub real_time: bool,
    /// Whether the caches are swept before each sample.
    pub swept: bool,
    /// Operations done for one sample.
    pub iterations: u64,
    /// Operations whose time one value of the series is: a value divided by it is the time of one.
    pub per_value: u64,
    /// The first sample after the thread's first run, which is in no figure.
    pub first: Option<u64>,
    /// Samples that were thrown away because the operation did not take place as it should; they are among the lost.
    pub void: u64,
    /// Samples that came out below 0 and count as 0.
    pub clamped: u64,
    /// Median of what one reading of the clock cost, measured before the row.
    pub clock_read: u64,
    /// The clock's step, measured before the row.
    pub clock_step: u64,
    /// Why it was not measured, or not to its end.
    pub failure: Option<String>,
}

impl Operation {
    /// The key of its series' variant that holds the test.
    pub const TEST: &str = "test";

    /// The time of one operation, in the unit of the series.
    pub fn each(&self, value: f64) -> f64 {
        value / self.per_value.max(1) as f64
    }
}
