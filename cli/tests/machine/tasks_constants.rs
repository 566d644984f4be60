// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of `backwall tasks predict` that are measured on the spot.
use crate::lacking::skipped;
use crate::task_sets::{terms_add_up, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn predict(set: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).args(["tasks", "predict"]).arg(set).args(words).output().unwrap()
}

// A set so light that no machine's constants make it miss; its own constants are replaced by what is measured.
const LIGHT: &str = "[[series]]\nname = \"a\"\nperiod = \"1000s\"\ncomputation = \"1ms\"\npriority = 9\n\
    [constants]\nwakeup = \"9s\"\nrelease = \"1us\"\n";

#[test]
fn constants_measured_on_the_spot_have_value_statistic_count_and_place() {
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join("set.toml");
    std::fs::write(&place, LIGHT).unwrap();
    let output = predict(&place, &["--constants", "here", "--json"]);
    if skipped("constants_measured_on_the_spot", &output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let constants = json["constants"].as_array().unwrap();
    let names: Vec<&str> = constants.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["release", "wakeup", "switch-in", "switch-out"], "each once");
    for one in &constants[1..] {
        let number = |field: &str| one[field].as_u64().unwrap();
        assert!(number("value_ns") > 0 && number("count") > 0 && number("count") + number("lost") <= 2_000, "{one}");
        assert_eq!(one["statistic"], "largest under load none");
        assert!(one["from"].as_str().unwrap().starts_with("measured here on CPU "), "{one}");
    }
    let series = &json["processors"][0]["series"][0];
    let term = |source: &str| {
        let terms = series["terms"].as_array().unwrap();
        terms.iter().find(|term| term["source"] == source).unwrap()["total_ns"].clone()
    };
    assert_eq!(term("wake-up"), constants[1]["value_ns"], "nanoseconds, as measured");
    let own = 1_000_000 + constants[2]["value_ns"].as_u64().unwrap();
    assert_eq!(term("own computation"), own, "switched to, and nobody is switched away from before it");
    terms_add_up(&json);
}

#[test]
fn constants_measured_on_the_spot_are_told_with_their_unit_and_count() {
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join("set.toml");
    std::fs::write(&place, LIGHT).unwrap();
    let output = predict(&place, &["--constants", "here", "--constants", "switch-out=3us"]);
    if skipped("constants_are_told", &output) {
        return;
    }
    let said = text(&output.stdout);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for (name, rest) in [
        ("wakeup ", "s: largest under load none of "),
        ("switch-in ", "s: largest under load none of "),
        ("switch-out 3,000 ns: given, ", "--constants"),
    ] {
        let told = words.rsplit(name).next().unwrap();
        assert!(words.contains(name) && told.contains(rest), "{name}: {said}");
    }
    assert!(!words.contains("wakeup 9 s"), "{said}");
}
