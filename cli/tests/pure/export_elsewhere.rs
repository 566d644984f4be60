// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs for laboratories' systems, held against the schema and the parsers that these themselves use.
use crate::python;
use crate::sample;
use crate::tool::tool_in as tool;
use backwall_formats::export::{cyclictest_json, kcidb, ktap, lava, openmetrics};
use backwall_model::{Outcome, Requirement, Run};
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

fn judged() -> Run {
    let all = [
        ("max < 1s", Outcome::Pass),
        ("p99 < \"1\" us # \u{1b}", Outcome::Fail),
        ("p99.999 < 1ms", Outcome::Undecided),
    ];
    let requirement = |(text, outcome): (&str, Outcome)| Requirement {
        text: text.to_string(),
        outcome,
        confidence: 0.95,
        needs_more: 0,
        because: format!("of <{text}>\n& \"more\""),
    };
    let mut run = sample::tour();
    run.requirements = all.into_iter().map(requirement).collect();
    run
}

fn asked(test: &str, package: &str, program: &str, text: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    std::fs::write(&file, text).unwrap();
    python::asked(test, package, program, &file)
}

const KCIDB: &str = "
import json, sys, kcidb_io
told = json.load(open(sys.argv[1]))
assert kcidb_io.schema.LATEST.is_valid(told), 'not valid'
print(len(told['tests']), *(test['status'] for test in told['tests']))
";

#[test]
fn kcidbs_own_schema_takes_a_run() {
    let mut run = judged();
    let numbers = run.series.iter().filter(|series| series.max.is_some()).count();
    let Some(told) = asked("kcidbs_own_schema", "kcidb_io", KCIDB, &kcidb::kcidb(&run)) else { return };
    let statuses: Vec<&str> = told.split_whitespace().skip(1).collect();
    assert_eq!(statuses.iter().filter(|status| **status == "DONE").count(), numbers);
    assert!(statuses.ends_with(&["PASS", "FAIL", "ERROR"]), "{told}");
    run.spoil("the clock stood");
    let told = asked("kcidbs_own_schema", "kcidb_io", KCIDB, &kcidb::kcidb(&run)).unwrap();
    assert!(!told.contains("DONE") && told.contains("ERROR"), "no evidence has no number: {told}");
}

#[test]
fn nothing_of_the_host_is_in_what_is_sent_to_kcidb() {
    let mut run = judged();
    run.command = vec!["backwall".to_string(), "run".to_string(), "--output".to_string(), "/home/somebody".to_string()];
    run.requirements[2].because = "no evidence: load disk was missing: /home/somebody is full; 3 of 4".to_string();
    run.spoil("load disk was missing: /home/somebody is full");
    assert!(!kcidb::kcidb(&run).contains("somebody"));
}

const OPENMETRICS: &str = "
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
all = list(families(open(sys.argv[1]).read()))
for family in all:
    for sample in family.samples:
        if sample.name.endswith('_max_seconds'):
            print(sample.value)
";

#[test]
fn the_reader_of_openmetrics_itself_finds_the_largest_of_each_series() {
    let run = judged();
    let text = openmetrics::openmetrics(&run);
    let Some(told) = asked("the_reader_of_openmetrics", "prometheus_client", OPENMETRICS, &text) else { return };
    let found: Vec<f64> = told.lines().map(|line| line.parse().unwrap()).collect();
    let ours: Vec<f64> = run.series.iter().filter_map(|series| Some(series.max? as f64 / 1e9)).collect();
    assert_eq!(found, ours);
}

// A run with an unknown start, clashing names, and missing sums.
fn odd() -> Run {
    let mut run = judged();
    run.started = "yesterday\n".to_string();
    run.requirements[1].text = run.requirements[0].text.clone();
    let mut again = run.series[0].clone();
    again.key.name += "\u{1}";
    run.series.push(again);
    run.series.iter_mut().for_each(|series| series.sum = None);
    run
}

#[test]
fn their_own_readers_take_an_odd_run() {
    let run = odd();
    let read = "import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as families\n\
        print(len({(s.name, tuple(s.labels.items())) for f in families(open(sys.argv[1]).read()) for s in f.samples}))";
    let text = openmetrics::openmetrics(&run);
    let samples = text.lines().filter(|line| !line.starts_with('#')).count();
    if let Some(told) = asked("their_own_readers", "prometheus_client", read, &text) {
        assert_eq!(told.trim(), samples.to_string());
    }
    asked("their_own_readers", "kcidb_io", KCIDB, &kcidb::kcidb(&run));
    let suites = junit_parser::from_reader(backwall_formats::export::junit::junit(&run).as_bytes()).unwrap();
    assert_eq!((suites.tests, suites.suites[0].timestamp.is_none()), (5, true));
}

#[test]
fn ktap_has_a_line_a_requirement_and_none_that_was_not_decided_is_ok() {
    let text = ktap::ktap(&judged());
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines[..2], ["KTAP version 1", "1..5"]);
    let results: Vec<&str> = lines[2..].iter().map(|line| line.split(" ").next().unwrap()).collect();
    assert_eq!(results.len(), 5);
    for (number, line) in (1..).zip(&lines[2..]) {
        assert!(line.starts_with(&format!("ok {number} ")) || line.starts_with(&format!("not ok {number} ")), "{line}");
    }
    assert_eq!(results[2..], ["ok", "not", "not"]);
    assert!(lines[6].contains(" # ERROR undecided: "), "{text}");
}

#[test]
fn lavas_script_calls_its_command_once_for_each_series_and_requirement() {
    let run = judged();
    let script = format!("lava-test-case() {{ echo \"$#:$*\"; }}\n{}", lava::lava(&run));
    // The name of a function may have a dash in bash alone.
    let said = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(said.status.success() && said.stderr.is_empty(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.lines().count(), run.series.len() + 2 + 3);
    let results = |wanted: &str| said.lines().filter(|line| line.contains(&format!(" --result {wanted}"))).count();
    assert_eq!(results("fail"), 1, "{said}");
    assert!(said.lines().last().unwrap().ends_with("p99-999-1ms --result unknown"), "{said}");
    let max = run.series[0].max.unwrap();
    assert!(said.lines().next().unwrap().ends_with(&format!("--measurement {max} --units ns")), "{said}");
}

#[test]
fn what_cyclictest_would_have_written_is_imported_again() {
    let (run, folder) = (judged(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("cyclictest.json"), cyclictest_json::cyclictest_json(&run)).unwrap();
    let output = tool(folder.path(), &["import", "cyclictest.json", "--output", "again", "--quiet"]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = backwall_store::read(Path::new(&folder.path().join("again"))).unwrap();
    let us = |run: &Run| -> Vec<(u64, Option<u64>)> {
        run.series.iter().map(|series| (series.counted(), series.max.map(|max| max / 1_000))).collect()
    };
    assert_eq!(us(&again), us(&run));
    assert_eq!(again.started[..19], run.started[..19]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_name_however_strange_makes_a_line_or_a_command(run in sample::any::run(), text in any::<String>()) {
        let mut run = run;
        run.requirements = judged().requirements;
        run.requirements[1].because = text.clone();
        run.requirements[2].text = text;
        let told = ktap::ktap(&run);
        prop_assert_eq!(told.lines().filter(|line| line.contains("ok ") && !line.starts_with('#')).count(), 5);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || " _-\n".contains(letter);
        prop_assert!(lava::lava(&run).trim_start_matches("#!/bin/sh").chars().all(plain));
        prop_assert!(openmetrics::openmetrics(&run).ends_with("# EOF\n"));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&kcidb::kcidb(&run)).is_ok());
        prop_assert!(serde_json::from_str::<serde_json::Value>(&cyclictest_json::cyclictest_json(&run)).is_ok());
    }
}
