// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall import`: another tool's file as a run that every other command takes.
use crate::tool::tool_in as tool;
use backwall_formats::export::cyclictest;
use backwall_formats::import;
use backwall_model::units::Unit;
use backwall_model::{Extension, Key, Origin, Plan, Run, Series, Span};
use backwall_stats::SeriesBuilder;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Output;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/tests/data").join(name)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_imported_run_is_stored_reported_compared_and_exported_without_inventing_a_loss() {
    let home = tempfile::tempdir().unwrap();
    let file = data("cyclictest-json/cyclictest.json");
    let words = ["import", file.to_str().unwrap(), "--load", "none", "--output", "run"];
    let output = tool(home.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("imported from another tool's file") && printed.contains("number of missed wakeups unknown"),
        "{printed}"
    );
    let stored = backwall_model::read(&std::fs::read_to_string(home.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!((stored.origin, stored.started.as_str()), (Origin::Imported, "2026-11-22T08:58:55Z"));
    let Extension::Import(source) = &stored.plan.extension else { panic!("{:?}", stored.plan.extension) };
    assert_eq!((source.file.as_str(), source.format.as_str()), ("cyclictest.json", "cyclictest-json"));
    let series = &stored.series[0];
    assert_eq!((series.done, series.due, series.missed, series.max), (200, None, None, Some(946_000)));
    let csv = String::from_utf8(tool(home.path(), &["export", "csv", "run"]).stdout).unwrap();
    assert!(csv.lines().nth(1).unwrap().contains(",ns,,200,,,,,0,0,59000,"), "{csv}");
    let metrics = String::from_utf8(tool(home.path(), &["export", "prometheus", "run"]).stdout).unwrap();
    assert!(metrics.contains("backwall_stimuli_done_total{") && !metrics.contains("backwall_stimuli_missed_total{"));
    assert!(tool(home.path(), &["report", "run"]).status.success());
    let page = std::fs::read_to_string(home.path().join("run/report.html")).unwrap();
    assert!(page.contains(">unknown<"), "the page says what is not known");
    let compared = tool(home.path(), &["compare", "run", "--", "run"]);
    assert!(matches!(compared.status.code(), Some(0 | 3)), "{}", said(&compared));
}

// timerlat's interrupt comes first in its file; the wanted series is the thread's, with -u until it is back in user space.
#[test]
fn the_verdict_on_timerlat_is_about_the_thread() {
    let home = tempfile::tempdir().unwrap();
    let output =
        tool(home.path(), &["import", data("rtla-timerlat/timerlat.txt").to_str().unwrap(), "--output", "run"]);
    let printed = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.starts_with("maximum 40.0 us timer to user on CPU 1 "), "{printed}");
    assert!(!printed.contains("C-states unknown") && !printed.contains("≥0 ns"), "{printed}");
}

#[test]
fn a_requirement_on_what_nobody_counted_is_undecided_and_one_on_the_figures_is_decided() {
    let home = tempfile::tempdir().unwrap();
    let file = data("cyclictest-json/cyclictest.json");
    let required = |text: &str, out: &str| {
        let output = tool(home.path(), &["import", file.to_str().unwrap(), "--output", out, "--require", text]);
        let stored = std::fs::read_to_string(home.path().join(out).join("run.json")).unwrap();
        (output.status.code(), backwall_model::read(&stored).unwrap().requirements.remove(0).because)
    };
    let (code, because) = required("missed == 0", "a");
    assert_eq!(code, Some(3));
    assert!(because.ends_with("missed is unknown, because the imported file does not contain it"), "{because}");
    assert_eq!(required("max < 500us", "b").0, Some(1));
    let (code, because) = required("max < 1ms", "c");
    assert_eq!(code, Some(0));
    assert!(because.ends_with("the number missed is unknown"), "{because}");
    for (text, out) in [("ist.max < 1ms", "d"), ("[load=all].max < 1s", "e"), ("ist.missed == 0", "f")] {
        let (code, because) = required(text, out);
        assert_eq!(code, Some(3), "{because}");
        assert!(because.starts_with("the run has no such series; it has wakeup"), "{because}");
    }
}

// 30,000 samples pass p99.99 without one beyond; in clusters of 30 they count as some thousand.
#[test]
fn samples_in_clusters_decide_less_when_they_are_imported_too() {
    let home = tempfile::tempdir().unwrap();
    let judged = |name: &str, head: &str, value: fn(u64) -> u64| {
        let lines: String = (0..30_000).map(|cycle| format!("{:>8}:{cycle:>8}:{:>8}\n", 0, value(cycle))).collect();
        std::fs::write(home.path().join(name), format!("{head}{lines}")).unwrap();
        let out = format!("{name}-run");
        let output = tool(home.path(), &["import", name, "--output", &out, "--require", "p99.99 < 1ms"]);
        let stored = std::fs::read_to_string(home.path().join(out).join("run.json")).unwrap();
        let run = backwall_model::read(&stored).unwrap();
        (output.status.code(), run.requirements[0].because.clone(), run.series[0].worst[0].at)
    };
    let spread = |cycle: u64| if cycle * 7_919 % 30_000 < 150 { 90 + cycle % 7 } else { 50 };
    let clustered = |cycle: u64| if cycle % 6_000 < 30 { 90 + cycle % 7 } else { 50 };
    let period = "Thread 0 Interval: 1000\n";
    let (code, because, _) = judged("spread", period, spread);
    assert!(code == Some(0) && !because.contains("clusters"), "{because}");
    let (code, because, at) = judged("clustered", period, clustered);
    assert!(code == Some(3) && because.contains("late responses come in clusters") && at.is_some(), "{because}");
    let (code, because, at) = judged("without-period", "", clustered);
    assert!(code == Some(3) && because.contains("late responses come in clusters") && at.is_none(), "{because}");
}

#[test]
fn every_file_becomes_a_run_that_is_read_again() {
    let home = tempfile::tempdir().unwrap();
    let mut files = 0;
    let folders = std::fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for path in folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()) {
        let out = home.path().join(path.file_name().unwrap());
        let words = ["import", path.to_str().unwrap(), "--quiet", "--output", out.to_str().unwrap()];
        let output = tool(home.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), said(&output));
        let stored = backwall_model::read(&std::fs::read_to_string(out.join("run.json")).unwrap()).unwrap();
        // Xenomai alone counts what it missed.
        let counts = path.ends_with("xenomai_h.txt");
        assert!(stored.series.iter().all(|series| series.missed.is_some() == counts) && !stored.series.is_empty());
        files += 1;
    }
    assert!(files >= 30, "{files}");
}

#[test]
fn what_is_wrong_is_one_line_with_exit_2_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("text"), "hello\n").unwrap();
    let twice = std::fs::read_to_string(data("rtla-timerlat/timerlat.txt")).unwrap().replace("Thr-002", "Thr-001");
    std::fs::write(home.path().join("twice"), twice).unwrap();
    let one_core = std::fs::read_to_string(data("rteval/rteval.xml")).unwrap().replace("id=\"1\"", "id=\"0\"");
    std::fs::write(home.path().join("core"), one_core).unwrap();
    std::fs::write(home.path().join("cut"), &std::fs::read(data("cyclictest-json/cyclictest.json")).unwrap()[..700])
        .unwrap();
    for (words, line) in [
        (&["import", "text"][..], "backwall: text: unknown format; expected one of: "),
        (&["import", "cut"], "backwall: cut: not what cyclictest --json writes: "),
        (&["import", "text", "--format", "hwlatdetect", "--require", "max < x"], "backwall: "),
        (&["import", "none"], "backwall: none: No such file"),
        (&["import", "twice"], "backwall: twice: line 4: \"Index   IRQ-001"),
        (
            &["import", "core"],
            "backwall: core: the file contradicts itself: series[1].name: duplicate \
                \"wakeup[load=unknown,idle=unknown,cpu=0]\"",
        ),
        (&["import", "."], "backwall: .: is a folder; name a file or a pipe"),
        (&["import", "text", "--format", "rtla"], "backwall: invalid value 'rtla' for '--format <NAME>'"),
    ] {
        let output = tool(home.path(), words);
        let error = said(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with(line) && error.lines().count() == 1, "{error}");
    }
    assert!(!home.path().join("backwall-runs").exists());
}

fn series(key: Key, values: &[u64]) -> Series {
    let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
    values.iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq * 1_000_000, *value, false));
    builder.build()
}

fn exported(series: Vec<Series>) -> String {
    let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
    run.series = series;
    cyclictest::all(&run)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn our_export_for_cyclictest_imported_again_is_the_same(
        all in prop::collection::vec(prop::collection::vec(0u64..9_000_000, 0..60), 1..4),
        cpu in proptest::option::of(0u32..99),
    ) {
        let key = |index: usize| {
            let mut key = Key::new("wakeup", "all", if index == 1 { "off" } else { "as-is" });
            key.cpu = cpu;
            key.variant.insert("size".into(), index.to_string());
            key
        };
        let before: Vec<Series> = all.iter().enumerate().map(|(index, values)| series(key(index), values)).collect();
        let text = exported(before.clone());
        let read = import::read(&mut text.as_bytes(), "unused");
        if all.iter().all(Vec::is_empty) {
            // Nothing was measured, and the tool says so.
            prop_assert!(read.is_err());
            return Ok(());
        }
        let again = read.unwrap().series;
        for (one, other) in before.iter().zip(&again) {
            prop_assert_eq!((&one.key, one.done), (&other.key, other.done));
            prop_assert_eq!((one.min.map(|ns| ns / 1_000), one.max.map(|ns| ns / 1_000)), (other.min.map(|ns| ns / 1_000), other.max.map(|ns| ns / 1_000)));
        }
        prop_assert_eq!(exported(again), text);
    }
}

#[test]
fn an_export_whose_histogram_overflows_is_imported_with_what_lay_beyond() {
    let key = Key::new("wakeup", "none", "as-is");
    let text = exported(vec![series(key, &[5_000, 1_700_000_000, 3_000_000_000])]);
    let again = import::read(&mut text.as_bytes(), "unused").unwrap().series;
    assert_eq!(again[0].histogram.classes().last(), Some((1_000_000_000, 3_000_000_001, 2)));
    assert_eq!(exported(again), text);
}
