// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a run for LAVA: a shell script of `lava-test-case` calls, to run on the device. Each series becomes a test case with
//! its largest response as the measurement, each requirement a test case with its outcome. Invalid or undecided results become
//! `unknown`. If a run was not measured on a real machine, its names begin with its origin, because LAVA plots all results of one
//! name as one line.
use super::distinct::distinct;
use super::junit::cases;
use super::junit_suite::{Case, Wrong};
use super::said;
use super::slug::slug;
use backwall_model::{Run, Series};

pub fn lava(run: &Run) -> String {
    let series = run.series.iter().map(|series| (format!("{} max", series.key), measured(series, run)));
    let asked = cases(run).into_iter().map(|case| (case.name.clone(), asked(&case).to_string()));
    let (names, results): (Vec<String>, Vec<String>) = series.chain(asked).unzip();
    let origin = said::unusual(run).map_or(String::new(), |origin| format!("{origin}-"));
    let names = distinct(names.iter().map(|name| format!("{origin}{}", slug(name))), "-", "");
    let lines = names.iter().zip(results).map(|(name, result)| format!("lava-test-case {name} --result {result}\n"));
    "#!/bin/sh\n".to_string() + &lines.collect::<String>()
}

fn measured(series: &Series, run: &Run) -> String {
    let units = series.unit.name();
    let result = if said::doubtful(series, run) { "unknown" } else { "pass" };
    let measurement = series.max.map_or(String::new(), |max| format!(" --measurement {max} --units {units}"));
    format!("{result}{measurement}")
}

fn asked(case: &Case) -> &'static str {
    match case.wrong {
        None => "pass",
        Some(Wrong::Failure(_)) => "fail",
        Some(Wrong::Error(_)) => "unknown",
    }
}
