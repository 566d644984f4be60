// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run for KCIDB, schema 5.3, in which KernelCI gathers results: a test with one number a series, its largest response, and a test a
//! requirement. It takes no distribution. No name of the host, no command and no path is in it.
use super::junit::cases;
use super::junit_suite::{Case, Wrong};
use super::slug::slug;
use run::{Run, Series};
use serde_json::{Value, json};
use units::Unit;

/// Who submits, until somebody does under a name of their own.
const ORIGIN: &str = "backwall";
/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

/// The whole document.
pub fn kcidb(run: &Run) -> String {
    let series = run.series.iter().filter_map(|series| Some((name_of(series), measured(series, run)?)));
    let asked = cases(run).into_iter().map(|case| (format!("required.{}", slug(&case.name)), asked(&case)));
    let tests: Vec<Value> =
        (1..).zip(series.chain(asked)).map(|(number, (path, said))| test(run, number, &path, said)).collect();
    format!("{:#}\n", json!({ "version": { "major": 5, "minor": 3 }, "tests": tests }))
}

fn name_of(series: &Series) -> String {
    format!("max.{}", slug(&series.key.to_string()))
}

/// The members of every test, and those of its own.
fn test(run: &Run, number: u64, path: &str, said: Value) -> Value {
    let mut test = json!({
        "id": format!("{ORIGIN}:{}-{number}", run.started),
        "origin": ORIGIN,
        "build_id": format!("{ORIGIN}:{}", slug(&run.device.kernel)),
        "path": format!("backwall.{path}"),
        "start_time": run.started,
        "duration": run.seconds,
    });
    if let (Value::Object(test), Value::Object(said)) = (&mut test, said) {
        test.extend(said);
    }
    test
}

/// A number alone where the run is evidence of it.
fn measured(series: &Series, run: &Run) -> Option<Value> {
    if run.no_evidence_of(&series.key).is_some() {
        return Some(json!({ "status": "ERROR", "comment": "no evidence" }));
    }
    let max = series.max?;
    let number = match series.unit {
        Unit::Ns => json!({ "value": max as f64 / SECOND, "unit": "s", "prefix": "metric" }),
        Unit::Instructions => json!({ "value": max, "unit": series.unit.name() }),
    };
    Some(json!({ "status": "DONE", "number": number }))
}

fn asked(case: &Case) -> Value {
    let comment = |status: &str, why: &str| json!({ "status": status, "comment": why.replace('\0', "?") });
    match &case.wrong {
        None => json!({ "status": "PASS" }),
        Some(Wrong::Failure(why)) => comment("FAIL", why),
        Some(Wrong::Error(why)) => comment("ERROR", why),
    }
}
