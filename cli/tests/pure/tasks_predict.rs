// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict`: its table, its exit codes, the shipped sets, and what it refuses.
use crate::task_sets::terms_add_up;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SHIPPED: &[(&str, i32, &[&str])] = &[
    ("control.toml", 0, &["every deadline is met: 4 series on 1 processor", "from arrival", "wake-up"]),
    ("lehoczky-3.toml", 0, &["by job 5 of its busy period", "118 ms", "before its release"]),
    ("overload.toml", 1, &["a deadline can be missed: third, fourth", "third: unbounded: ", "117 %"]),
    ("earliest-first.toml", 0, &["every deadline is met: 2 series", "60 ms"]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/tasks")
}

fn predict(set: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).args(["tasks", "predict"]).arg(set).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

// The tests by utilization are about jobs that come at least a period apart; a Poisson series' do not.
#[test]
fn a_poisson_series_has_no_test_by_utilization_and_growth_is_looked_for_up_to_a_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("set.toml");
    let said = |when: &str| {
        let set = format!(
            "exceeded=0.9999\n[[series]]\nname=\"a\"\n{when}=\"7ms\"\ndeadline=\"7ms\"\ncomputation=\"1us\"\npriority=1\n"
        );
        std::fs::write(&file, set).unwrap();
        text(&predict(&file, &[]).stdout)
    };
    assert!(said("period").contains("Liu and Layland's test passes"), "{}", said("period"));
    assert!(said("period").contains("all computations 1000.000 times, or more"), "{}", said("period"));
    assert!(!said("mean").contains("Layland"), "{}", said("mean"));
}

#[test]
fn every_shipped_set_is_answered_in_80_columns_and_in_json() {
    let mut names: Vec<String> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut listed: Vec<&str> = SHIPPED.iter().map(|row| row.0).collect();
    listed.sort();
    assert_eq!(names, listed);
    for (name, code, says) in SHIPPED {
        let output = predict(&folder().join(name), &[]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(*code), "{name}: {said}{}", text(&output.stderr));
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        for part in *says {
            assert!(said.contains(part), "{name}: {part}: {said}");
        }
        let json: Value = serde_json::from_slice(&predict(&folder().join(name), &["--json"]).stdout).unwrap();
        assert_eq!(json["verdict"], if *code == 0 { "met" } else { "missed" }, "{name}");
        terms_add_up(&json);
    }
}

#[test]
fn what_the_system_costs_can_be_given_and_a_miss_exits_with_1() {
    let set = folder().join("lehoczky-3.toml");
    assert_eq!(predict(&set, &["--constants", "wakeup=2ms"]).status.code(), Some(0));
    let missed = predict(&set, &["--constants", "wakeup=2001us"]);
    assert_eq!(missed.status.code(), Some(1), "{}", text(&missed.stdout));
    assert!(text(&missed.stdout).contains("a deadline can be missed: long"), "{}", text(&missed.stdout));
}

const REFUSED: &[(&str, &str, &str)] = &[
    ("period = \"70ms\"", "period = \"70\"", "line 7: period: \"70\" is not a duration"),
    ("period = \"70ms\"", "periode = \"70ms\"", "line 7: periode: unknown field `periode`"),
    ("priority = 80", "priority = -1", "line 9: priority: invalid value: integer `-1`"),
    ("period = \"70ms\"", "", "series short: period: missing; or mean, for a Poisson series"),
    ("computation = \"26ms\"", "computation = \"0s\"", "series short: computation: expected a time above 0"),
    ("name = \"short\"", "name = \"long\"", "series: name: duplicate \"long\""),
    (
        "priority = 80",
        "priority = 80\nsection = [{ lock = \"bus\", length = \"1ms\" }]",
        "lock bus: no [[lock]] has this name",
    ),
    ("priority = 80", "policy = \"deadline\"\npriority = 3", "priority: leave it out with policy = \"deadline\""),
    ("priority = 80", "priority = 80\ncpu = 1", "series long: cpu: missing, although there are several CPUs"),
    ("about", "constants = { swich-in = \"1us\" }\nabout", "swich-in: unknown constant; expected one of switch-in, "),
];

#[test]
fn a_bad_set_gets_one_line_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string(folder().join("lehoczky-3.toml")).unwrap();
    for (from, to, says) in REFUSED {
        let place = home.path().join("set.toml");
        std::fs::write(&place, good.replacen(from, to, 1)).unwrap();
        let output = predict(&place, &[]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{to}: {said}{}", text(&output.stdout));
        assert!(said.contains(says) && said.contains("set.toml: "), "{says}: {said}");
    }
    for (words, says) in [
        ("wakeup", "expected RUN, here, detent or NAME=TIME"),
        ("wakeup=3", "is not a duration"),
        ("wake=3us", "unknown constant"),
    ] {
        let said = text(&predict(&folder().join("control.toml"), &["--constants", words]).stderr);
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
    }
}
