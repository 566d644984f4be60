// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run for another tool: one file a consumer, one line in [`ALL`]. Nothing is computed here.
//!
//! - `csv`: a row a series with its account, its exact extremes and its quantiles with their 95 % limits, as in RFC 4180
//! - `cyclictest`: the histograms of a run as cyclictest prints them
//! - `cyclictest_json`: a run as `cyclictest --json=FILE -h US` writes it
//! - `junit`: the requirements of a run as JUnit XML, which the common CI servers read: a test case a requirement, and two of the run
//! - `junit_comparison`: a comparison of two sets of runs as JUnit XML: a test case a metric of a series
//! - `junit_suite`: JUnit XML, which the common CI servers read: one suite of test cases
//! - `kcidb`: a run for KCIDB, in which KernelCI gathers results: a number a test
//! - `ktap`: the requirements of a run as the kernel's tests print theirs
//! - `lava`: a run for LAVA: a script of `lava-test-case` calls
//! - `openmetrics`: the figures of a run in OpenMetrics 1.0
//! - `prometheus`: the figures of a run in Prometheus' text format (version 0.0.4), as node_exporter's textfile collector takes it
//! - `prometheus_fleet`: the last run of each device of a fleet in that format
//! - `slug`: names for tools that take letters, digits, `-` and `_` alone
//! - `xml`: text in XML 1.0: what has a meaning there is written as a reference, and what may not stand there at all as U+FFFD
pub mod csv;
pub mod cyclictest;
pub mod cyclictest_json;
pub mod junit;
pub mod junit_comparison;
mod junit_suite;
pub mod kcidb;
pub mod ktap;
pub mod lava;
pub mod openmetrics;
pub mod prometheus;
pub mod prometheus_fleet;
mod slug;
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
pub static ALL: [Exporter; 9] = [
    Exporter { name: "csv", about: "a row a series, RFC 4180", text: csv::csv },
    Exporter { name: "cyclictest", about: "cyclictest's histogram text, a row a microsecond", text: cyclictest::all },
    Exporter {
        name: "cyclictest-json",
        about: "what cyclictest --json=FILE -h US writes",
        text: cyclictest_json::cyclictest_json,
    },
    Exporter { name: "junit", about: "the requirements as JUnit XML", text: junit::junit },
    Exporter { name: "kcidb", about: "KCIDB's JSON, schema 5.3: a number a test", text: kcidb::kcidb },
    Exporter { name: "ktap", about: "the requirements as KTAP, version 1", text: ktap::ktap },
    Exporter { name: "lava", about: "a script of lava-test-case calls, for the device", text: lava::lava },
    Exporter { name: "openmetrics", about: "OpenMetrics' text, version 1.0", text: openmetrics::openmetrics },
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
