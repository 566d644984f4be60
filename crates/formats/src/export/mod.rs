// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes runs for other tools: one file per format, one line each in [`ALL`]. Nothing is computed here.
pub mod csv;
pub mod cyclictest;
pub mod cyclictest_json;
mod distinct;
pub mod junit;
pub mod junit_comparison;
mod junit_suite;
pub mod kcidb;
pub mod ktap;
pub mod lava;
pub mod openmetrics;
pub mod prometheus;
pub mod prometheus_fleet;
mod said;
mod slug;
mod xml;

use backwall_model::units::Unit;
use backwall_model::{Run, Series};

#[derive(Debug)]
pub struct Exporter {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether the format takes times only, so that series in other units are left out.
    pub times: bool,
    pub text: fn(&Run) -> String,
}

impl Exporter {
    /// Why this format cannot hold any figure of the run.
    pub fn lacking(&self, run: &Run) -> Option<&'static str> {
        let time = |series: &Series| series.unit == Unit::Ns && series.max.is_some();
        (self.times && !run.series.iter().any(time)).then_some(
            "this run has no samples in units of time, but cyclictest's formats hold microseconds only; csv and openmetrics hold every unit",
        )
    }
}

pub static ALL: [Exporter; 9] = [
    any("csv", "one row per series, RFC 4180", csv::csv),
    times("cyclictest", "cyclictest's histogram text, one row per microsecond", cyclictest::all),
    times("cyclictest-json", "output of cyclictest --json=FILE -h US", cyclictest_json::cyclictest_json),
    any("junit", "requirements as JUnit XML", junit::junit),
    any("kcidb", "KCIDB's JSON, schema 5.3: one number per test", kcidb::kcidb),
    any("ktap", "requirements as KTAP, version 1", ktap::ktap),
    any("lava", "a script of lava-test-case calls, for the device", lava::lava),
    any("openmetrics", "OpenMetrics text, version 1.0", openmetrics::openmetrics),
    any("prometheus", "Prometheus' text format, for node_exporter's textfile collector", prometheus::prometheus),
];

const fn any(name: &'static str, about: &'static str, text: fn(&Run) -> String) -> Exporter {
    Exporter { name, about, times: false, text }
}

const fn times(name: &'static str, about: &'static str, text: fn(&Run) -> String) -> Exporter {
    Exporter { name, about, times: true, text }
}

pub fn named(name: &str) -> Option<&'static Exporter> {
    ALL.iter().find(|exporter| exporter.name == name)
}
