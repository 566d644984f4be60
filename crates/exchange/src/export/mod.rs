// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run for another tool: one file a consumer, one line in [`ALL`]. Nothing is computed here.
//!
//! - `csv`: a row a series with its account, its exact extremes and its quantiles with their 95 % limits, as in RFC 4180
//! - `cyclictest`: the histograms of a run as cyclictest prints them
//! - `junit`: the requirements of a run as JUnit XML, which the common CI servers read: a test case a requirement, and two of the run
//! - `junit_comparison`: a comparison of two sets of runs as JUnit XML: a test case a metric of a series
//! - `junit_suite`: JUnit XML, which the common CI servers read: one suite of test cases
//! - `prometheus`: the figures of a run in Prometheus' text format (version 0.0.4), as node_exporter's textfile collector takes it
//! - `xml`: text in XML 1.0: what has a meaning there is written as a reference, and what may not stand there at all as U+FFFD
pub mod csv;
pub mod cyclictest;
pub mod junit;
pub mod junit_comparison;
mod junit_suite;
pub mod prometheus;
mod xml;

use run::Run;

/// A form in which another tool takes a run.
#[derive(Debug)]
pub struct Exporter {
    /// As it is typed.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The whole text.
    pub text: fn(&Run) -> String,
}

/// All of them, in the order of the help.
pub static ALL: [Exporter; 4] = [
    Exporter { name: "csv", about: "a row a series, RFC 4180", text: csv::csv },
    Exporter { name: "cyclictest", about: "cyclictest's histogram text, a row a microsecond", text: cyclictest::all },
    Exporter { name: "junit", about: "the requirements as JUnit XML", text: junit::junit },
    Exporter {
        name: "prometheus",
        about: "Prometheus' text format, for node_exporter's textfile collector",
        text: prometheus::prometheus,
    },
];

/// The one of this name.
pub fn named(name: &str) -> Option<&'static Exporter> {
    ALL.iter().find(|exporter| exporter.name == name)
}
