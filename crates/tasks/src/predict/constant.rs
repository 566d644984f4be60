// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cost constant of the system with its origin.
use serde::Serialize;

/// One constant of the prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Constant {
    /// Name of the constant.
    pub name: String,
    /// Value in nanoseconds.
    pub value_ns: u64,
    /// `given`, or the statistic of the samples that was used.
    pub statistic: String,
    /// Number of samples; 0 if given.
    pub count: u64,
    /// Number of lost samples. Nobody knows how late they were.
    pub lost: u64,
    /// The run, the set's file, or the command line.
    pub from: String,
}
