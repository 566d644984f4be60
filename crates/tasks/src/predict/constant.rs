// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constant of the system with its origin.
use serde::Serialize;

/// One constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value_ns: u64,
    /// `given`, or which statistic of the samples.
    pub statistic: String,
    /// Samples it comes from; 0 if given.
    pub count: u64,
    /// Samples that never came; their lateness is unknown.
    pub lost: u64,
    /// The run, the set's file, or the command line.
    pub from: String,
}
