// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constant of the system with where it comes from.
use serde::Serialize;

/// One constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value_ns: u64,
    /// `given`, or what of the samples it is.
    pub statistic: String,
    /// Samples behind it; 0 for a given one.
    pub count: u64,
    /// Samples that never came beside them: nobody knows how late they were.
    pub lost: u64,
    /// The run, the set's file, or the command line.
    pub from: String,
}
