// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a run for KCIDB, schema 5.3, the database of KernelCI: one test per series with a single number, its largest response,
//! and one test per requirement.
//!
//! The schema has no distributions. The output contains no host name, command or path, so the reasons for doubts are left out. If
//! a run was not measured on a real machine, the paths of its tests begin with its origin.
use super::distinct::distinct;
use super::junit::cases;
use super::junit_suite::{Case, Wrong};
use super::said;
use super::slug::slug;
use backwall_model::printable::printable_lines;
use backwall_model::units::Unit;
use backwall_model::{NO_EVIDENCE, Run, Series, identity};
use serde_json::{Map, Value, json};

const ORIGIN: &str = "backwall";
/// The reason given for undecided results, because the run's own reason may contain a path.
const UNDECIDED: &str = "undecided: invalid, incomplete, or too few samples";
const SECOND: f64 = 1e9;

pub fn kcidb(run: &Run) -> String {
    let series = run.series.iter().map(|series| (path("max", &series.key.to_string()), measured(series, run)));
    let asked = cases(run).into_iter().map(|case| (path("required", &case.name), asked(&case)));
    let (paths, said): (Vec<String>, Vec<Value>) = series.chain(asked).unzip();
    let origin = said::unusual(run).map_or(String::new(), |origin| format!("{origin}."));
    let paths = distinct(paths.iter().map(|path| format!("backwall.{origin}{path}")), "-", "");
    let (every, name) = (every(run), identity::of(run));
    let numbered = (1..).zip(paths).zip(said);
    let tests: Vec<Value> = numbered.map(|((number, path), said)| test(&every, (&name, number), path, said)).collect();
    let document = json!({ "version": { "major": 5, "minor": 3 }, "tests": tests });
    // JSON does not escape every control character.
    printable_lines(&format!("{document:#}\n"))
}

fn path(kind: &str, name: &str) -> String {
    format!("{kind}.{}", slug(name))
}

fn every(run: &Run) -> Map<String, Value> {
    let mut every = Map::new();
    every.insert("origin".into(), ORIGIN.into());
    every.insert("build_id".into(), format!("{ORIGIN}:{}", slug(&run.device.kernel)).into());
    every.insert("duration".into(), run.seconds.into());
    every.insert("misc".into(), json!({ "figures": run.origin.name(), "version": run.version.replace('\0', "?") }));
    run.began().map(|began| every.insert("start_time".into(), began.to_string().into()));
    every
}

/// Adds the members of this test to those that all tests share. The number in the id distinguishes runs that began in the same
/// second on two machines.
fn test(every: &Map<String, Value>, (name, number): (&str, u64), path: String, said: Value) -> Value {
    let mut test = every.clone();
    test.insert("id".into(), format!("{ORIGIN}:{name}-{number}").into());
    test.insert("path".into(), path.into());
    if let Value::Object(said) = said {
        test.extend(said);
    }
    Value::Object(test)
}

fn measured(series: &Series, run: &Run) -> Value {
    let max = match series.max {
        _ if run.no_evidence_of(&series.key).is_some() => return json!({ "status": "ERROR", "comment": NO_EVIDENCE }),
        None => return json!({ "status": "ERROR", "comment": "no sample" }),
        Some(max) => max,
    };
    let number = match series.unit {
        Unit::Ns => json!({ "value": max as f64 / SECOND, "unit": "s", "prefix": "metric" }),
        Unit::Instructions => json!({ "value": max, "unit": series.unit.name() }),
    };
    json!({ "status": "DONE", "number": number })
}

fn asked(case: &Case) -> Value {
    match &case.wrong {
        None => json!({ "status": "PASS" }),
        Some(Wrong::Failure(why)) => json!({ "status": "FAIL", "comment": why.replace('\0', "?") }),
        Some(Wrong::Error(_)) => json!({ "status": "ERROR", "comment": UNDECIDED }),
    }
}
