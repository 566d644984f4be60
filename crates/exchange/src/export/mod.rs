// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run for another tool: one file a consumer, one line in [`ALL`]. Nothing is computed here.
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
