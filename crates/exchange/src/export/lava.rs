// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run for LAVA: a shell script of `lava-test-case` calls, to be run where the tool ran on the device. Each series is a test case with
//! its largest response as measurement, each requirement one with its outcome. What is no evidence, or undecided, is `unknown` there.
use super::junit::cases;
use super::junit_suite::{Case, Wrong};
use super::slug::slug;
use run::{Run, Series};

/// The whole script.
pub fn lava(run: &Run) -> String {
    let series = run.series.iter().map(|series| measured(series, run.no_evidence_of(&series.key).is_some()));
    series.chain(cases(run).iter().map(asked)).fold("#!/bin/sh\n".to_string(), |text, line| text + &line)
}

fn measured(series: &Series, spoiled: bool) -> String {
    let units = series.unit.name();
    let result = if spoiled || series.max.is_none() { "unknown" } else { "pass" };
    let measurement = series.max.map_or(String::new(), |max| format!(" --measurement {max} --units {units}"));
    format!("lava-test-case {}-max --result {result}{measurement}\n", slug(&series.key.to_string()))
}

fn asked(case: &Case) -> String {
    let result = match case.wrong {
        None => "pass",
        Some(Wrong::Failure(_)) => "fail",
        Some(Wrong::Error(_)) => "unknown",
    };
    format!("lava-test-case {} --result {result}\n", slug(&case.name))
}
