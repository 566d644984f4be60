// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall compare`: its answers, its exit codes, and what it refuses.
use backwall_model::units::Unit;
use backwall_model::{Check, CheckVerdict, Key, Origin, Plan, Run, Span};
use backwall_stats::{Block, SeriesBuilder};
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// A run whose latencies are `scale` percent of a fixed set, turned a little from run to run.
fn stored(folder: &Path, name: &str, scale: u64, turn: u64) -> PathBuf {
    const SAMPLES: u64 = 4_000;
    let value: Vec<u64> = (0..SAMPLES).map(|i| (20_000 + (i * 7 + turn * 13) % 900) * scale / 100).collect();
    let seq: Vec<u64> = (0..SAMPLES).collect();
    let key = Key::new("wakeup", "none", "as-is");
    let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
    builder.samples(Block { seq: &seq, at: &seq, value: &value, late: 0 });
    let mut run = Run::begin(Origin::Simulated, Plan::default(), vec!["test".into()], Timestamp::UNIX_EPOCH);
    run.series.push(builder.build());
    run.device.kernel = if scale == 100 { "6.1.0".into() } else { "6.12.0".into() };
    let place = folder.join(name);
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
    place
}

fn side(folder: &Path, name: &str, scale: u64, runs: u64) -> Vec<PathBuf> {
    (0..runs).map(|turn| stored(folder, &format!("{name}{turn}"), scale, turn)).collect()
}

fn compare(before: &[PathBuf], after: &[PathBuf], words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("compare").args(before).args(words).arg("--").args(after);
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_regression_exits_with_1_and_names_what_else_changed() {
    let home = tempfile::tempdir().unwrap();
    let output = compare(&side(home.path(), "a", 100, 6), &side(home.path(), "b", 150, 6), &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.starts_with("regressed: idle, p"), "{said}");
    assert!(one_line.contains("6 runs before, 6 after; of "), "{said}");
    assert!(said.contains("differs: device.kernel: 6.1.0 -> 6.12.0\n"), "{said}");
    assert!(said.lines().any(|line| line.trim_start().starts_with("p50 ") && line.ends_with(" regressed")), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn the_same_runs_are_equivalent_and_a_faster_side_is_improved() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (side(home.path(), "a", 100, 6), side(home.path(), "b", 60, 6));
    let same = compare(&a, &a, &["--json"]);
    let found: Value = serde_json::from_slice(&same.stdout).unwrap();
    assert_eq!((same.status.code(), &found["verdict"]), (Some(0), &Value::from("equivalent")), "{found}");
    assert!(found["settings"].as_array().unwrap().is_empty());
    let faster = compare(&a, &b, &["--json"]);
    let found: Value = serde_json::from_slice(&faster.stdout).unwrap();
    let rows = found["rows"].as_array().unwrap();
    let median = rows.iter().find(|row| row["metric"] == "p50").unwrap();
    assert_eq!((&median["verdict"], &median["name"]), (&Value::from("improved"), &Value::from("wakeup")), "{found}");
}

#[test]
fn the_page_leads_with_the_verdict_and_shows_what_else_differs_and_every_change() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("page.html");
    let words = ["--page", file.to_str().unwrap()];
    let output = compare(&side(home.path(), "a", 100, 6), &side(home.path(), "b", 150, 6), &words);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("<title>backwall: compare, regressed, 6 runs before, 6 after</title>"), "{page}");
    let place = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what}: not on the page"));
    let order = [
        "<b>regressed</b>",
        "p50: 20.4 us to 30.7 us, +50.0%",
        "<section id=\"settings\"",
        "<th scope=\"row\">device.kernel</th>",
        "<svg id=\"changes-picture\"",
        "<section id=\"metrics\"",
        "<section id=\"runs\"",
    ];
    assert!(order.map(place).is_sorted(), "{:?}", order.map(place));
    for loading in ["src=", "@import", "url(", "http:", "https:"] {
        assert!(!page.contains(loading), "{loading}");
    }
}

#[test]
fn what_counts_up_by_itself_is_no_setting() {
    let home = tempfile::tempdir().unwrap();
    let count = |place: &Path, ticks: u64| {
        let file = place.join("run.json");
        let mut run: Run = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let one = |name: &str, found: String| Check {
            name: name.into(),
            value: found,
            verdict: CheckVerdict::Note,
            why: String::new(),
            fix: String::new(),
        };
        run.environment.checks = vec![
            one("steal", format!("/proc/stat: {ticks} ticks")),
            one("interrupts seen", format!("{ticks} since boot")),
            one("SMI", format!("{ticks} since boot")),
            one("governor", "performance".into()),
        ];
        run.device.say("boot", &format!("cea8b312-{ticks}"));
        std::fs::write(&file, serde_json::to_string(&run).unwrap()).unwrap();
    };
    let (a, b) = (side(home.path(), "a", 100, 2), side(home.path(), "b", 100, 2));
    a.iter().chain(&b).zip(1..).for_each(|(place, ticks)| count(place, ticks));
    let said = text(&compare(&a, &b, &[]));
    assert!(!said.contains("differs:"), "{said}");
}

#[test]
fn too_few_runs_cannot_tell_exit_with_3_and_say_how_many_would() {
    let home = tempfile::tempdir().unwrap();
    let output = compare(&side(home.path(), "a", 100, 3), &side(home.path(), "b", 150, 3), &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("cannot tell: 3 runs before, 3 after; make "), "{said}");
    assert!(said.contains(" on each side, alternating (A B B A)") && !said.contains("95 % limits"), "{said}");
}

#[test]
fn an_independent_reader_finds_every_metric_in_the_junit_file() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("compare.xml");
    let words = ["--junit", file.to_str().unwrap(), "--quiet"];
    let output = compare(&side(home.path(), "a", 100, 6), &side(home.path(), "b", 150, 6), &words);
    assert_eq!(output.status.code(), Some(1));
    let read = junit_parser::from_reader(std::fs::read(&file).unwrap().as_slice()).unwrap();
    let suite = &read.suites[0];
    let failed = suite.cases.iter().filter(|case| case.status.is_failure()).count();
    assert_eq!((suite.cases.len(), failed as u64), (suite.tests as usize, suite.failures), "{suite:?}");
    let median = suite.cases.iter().find(|case| case.name.ends_with(" p50")).unwrap();
    assert!(median.status.is_failure(), "{median:?}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("6.1.0 -&gt; 6.12.0"));
    let nowhere = ["--junit", "/nonexistent/compare.xml"];
    let refused = compare(&side(home.path(), "c", 100, 1), &side(home.path(), "d", 100, 1), &nowhere);
    assert_eq!(refused.status.code(), Some(4));
}

#[test]
fn in_the_lab_the_difference_is_exact_and_said_so() {
    let home = tempfile::tempdir().unwrap();
    let emulated = |places: Vec<PathBuf>| {
        for place in &places {
            let text = std::fs::read_to_string(place.join("run.json")).unwrap();
            let text = text.replace("\"origin\":\"simulated\"", "\"origin\":\"emulated\"");
            std::fs::write(place.join("run.json"), text.replace("\"unit\":\"ns\"", "\"unit\":\"instructions\""))
                .unwrap();
        }
        places
    };
    let (a, b) = (emulated(side(home.path(), "a", 100, 1)), emulated(side(home.path(), "b", 150, 1)));
    let said = text(&compare(&a, &b, &[])).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("repeats in the lab are identical, so every difference is exact"), "{said}");
    assert_eq!(compare(&a, &a, &[]).status.code(), Some(0));
}

// Four names of one run say nothing about how much runs differ.
#[test]
fn one_run_under_several_names_is_not_several_runs() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (side(home.path(), "a", 100, 4), side(home.path(), "b", 150, 4));
    std::os::unix::fs::symlink(&a[0], home.path().join("link")).unwrap();
    for again in [a[0].clone(), a[0].join("run.json"), home.path().join("link")] {
        let output = compare(&[&a[..], &[again]].concat(), &b, &[]);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains("on one side (same as ") && output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn several_files_of_one_folder_are_several_runs() {
    let home = tempfile::tempdir().unwrap();
    let collected = |name: &str, scale: u64| -> Vec<PathBuf> {
        let file = |(number, place): (usize, &PathBuf)| {
            let file = home.path().join(format!("{name}-{number}.json"));
            std::fs::copy(place.join("run.json"), &file).unwrap();
            file
        };
        side(home.path(), name, scale, 6).iter().enumerate().map(file).collect()
    };
    let (a, b) = (collected("a", 100), collected("b", 150));
    assert_eq!(compare(&a, &b, &[]).status.code(), Some(1));
    let output = compare(&[&a[..], &a[..1]].concat(), &b, &[]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("on one side (same as "));
}

#[test]
fn quiet_prints_nothing_and_keeps_the_exit_code() {
    let home = tempfile::tempdir().unwrap();
    let output = compare(&side(home.path(), "a", 100, 6), &side(home.path(), "b", 150, 6), &["--quiet"]);
    assert_eq!((output.status.code(), text(&output)), (Some(1), String::new()));
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    let a = side(home.path(), "a", 100, 1);
    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let refused = |after: &[PathBuf], words: &[&str], expected: &str| {
        let output = compare(&a, after, words);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains(expected) && output.stdout.is_empty(), "{line}");
    };
    refused(&[], &[], "put -- between the runs before and after the change");
    refused(&[home.path().join("nosuch")], &[], "nosuch");
    refused(&[empty], &[], "empty");
    refused(
        &["--min-effect".into(), "10".into()],
        &[],
        "--min-effect: put options before --; only runs may come after it",
    );
    refused(&a, &["--output", "x"], "unknown option '--output'; backwall compare --help");
    refused(&a, &["--min-effect", "0"], "expected a percentage above 0");
    refused(&a, &["--min-effect", "nan"], "expected a percentage above 0");
    refused(&a, &["--require", "missed == 0"], "unknown option '--require'; backwall compare --help");
    let other = stored(home.path(), "other", 100, 1);
    let renamed = std::fs::read_to_string(other.join("run.json")).unwrap().replace("\"wakeup\"", "\"read\"");
    std::fs::write(other.join("run.json"), renamed).unwrap();
    refused(&[other], &[], "no series in common");
}
