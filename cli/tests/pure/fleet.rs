// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet import` and `backwall fleet report`: what was pushed is kept once, what is hostile costs a line, and devices are never
//! put together.
use crate::python::asked;
use crate::sample;
use backwall_model::Run;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn tool(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).args(words).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn pushed(folder: &Path, device: &str, hour: u32, kernel: &str) {
    let mut run: Run = sample::tour();
    run.started = format!("2026-11-{:02}T{:02}:00:00Z", 20 + hour / 24, hour % 24);
    run.device.kernel = format!("Linux {kernel} #1 SMP");
    let place = folder.join("spool").join(device).join(format!("{hour:03}"));
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
}

fn spool() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for hour in [0, 1, 2, 3, 4, 5, 30, 31] {
        pushed(top.path(), "press-3", hour, if hour < 30 { "6.1.0-rt" } else { "6.12.1-rt" });
    }
    pushed(top.path(), "arm", 1, "6.6.0");
    top
}

#[test]
fn what_was_pushed_is_kept_once_and_what_is_hostile_costs_a_line() {
    let top = spool();
    let folder = top.path();
    let bad = folder.join("spool/bad");
    for (name, text) in [("text", "no run"), ("deep", &"[".repeat(100_000)), ("\u{1b}[2J", "{}")] {
        fs::create_dir_all(bad.join(name)).unwrap();
        fs::write(bad.join(name).join("run.json"), text).unwrap();
    }
    fs::create_dir_all(bad.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", bad.join("link/run.json")).unwrap();
    std::os::unix::fs::symlink(folder.join("spool/arm/001"), bad.join("linked")).unwrap();
    fs::create_dir_all(folder.join("spool/..x/1")).unwrap();
    fs::create_dir_all(folder.join("spool/arm/.coming")).unwrap();
    fs::create_dir_all(folder.join("spool/arm/002.part")).unwrap();
    fs::write(folder.join("spool/file"), "no device").unwrap();

    let first = tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--json"]);
    assert_eq!(first.status.code(), Some(3), "{}", said(&first));
    let told: Value = serde_json::from_slice(&first.stdout).unwrap();
    let counts = |told: &Value| ["new", "again", "refused", "coming"].map(|name| told[name].as_u64().unwrap());
    assert_eq!(counts(&told), [9, 0, 7, 2], "{}", said(&first));
    let lines: Vec<String> = said(&first).lines().map(String::from).collect();
    assert_eq!(lines.len(), 7, "one line each: {lines:#?}");
    assert!(lines.iter().all(|line| line.contains(": no run: ") && !line.contains('\u{1b}')), "{lines:#?}");

    let second = tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--json"]);
    assert_eq!(counts(&serde_json::from_slice(&second.stdout).unwrap()), [0, 9, 7, 2]);
    assert!(folder.join("fleet/runs/press-3/6.12.1-rt/2026-11-21").is_dir(), "by device, kernel and day");
    assert_eq!(fs::read_dir(folder.join("fleet/part")).unwrap().count(), 0);

    let removed = tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--remove"]);
    assert_eq!(String::from_utf8(removed.stdout).unwrap(), "0 new, 9 already present, 7 refused, 2 still arriving\n");
    assert_eq!(fs::read_dir(folder.join("spool/press-3")).unwrap().count(), 0);
    assert!(bad.join("text/run.json").exists(), "what was not kept stays");
}

#[test]
fn the_report_has_every_device_by_itself_with_gaps_and_changes() {
    let top = spool();
    let folder = top.path();
    assert_eq!(tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--quiet"]).status.code(), Some(0));
    let output = tool(folder, &["fleet", "report", "fleet", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let devices = told["devices"].as_array().unwrap();
    let [arm, press] = &devices[..] else { panic!("two devices, none pooled: {told:#}") };
    assert_eq!((&arm["device"], &arm["runs"], &press["runs"]), (&"arm".into(), &1.into(), &8.into()));
    assert_eq!(press["gaps"][0]["from"], "2026-11-20T05:00:00Z");
    assert_eq!(press["changes"][0]["after"], "6.12.1-rt");
    assert!(["equivalent", "cannot-tell"].contains(&press["changes"][0]["verdict"].as_str().unwrap()), "{press:#}");
    assert!(arm["changes"].as_array().unwrap().is_empty());

    // What a history shows of a run is kept next to it; without that file the run itself is read, with the same result.
    let kept = folder.join("fleet/runs/arm/6.6.0/2026-11-20");
    let [run] = &crate::tool::files(&kept)[..] else { panic!("one run") };
    fs::remove_file(run.join("history.json")).unwrap();
    let again = tool(folder, &["fleet", "report", "fleet", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap(), told);

    let output = tool(folder, &["fleet", "report", "fleet"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("no run between 2026-11-20 05:00 and 2026-11-21 06:00 (25.0 h)"), "{text}");
    let page = fs::read_to_string(folder.join("fleet/report.html")).unwrap();
    for part in ["press-3", "arm", "6.12.1-rt", "<svg", "no run between"] {
        assert!(page.contains(part), "{part}");
    }
    let metrics = fs::read_to_string(folder.join("fleet/metrics.prom")).unwrap();
    let parsed = prometheus_parse::Scrape::parse(metrics.lines().map(|line| Ok(line.to_string()))).unwrap();
    assert!(parsed.samples.iter().all(|sample| sample.labels.get("device").is_some()));
    assert_eq!(
        parsed.samples.iter().filter(|sample| sample.metric == "backwall_run_started_timestamp_seconds").count(),
        2
    );
}

const DUCKDB: &str = "
import sys, duckdb
rows = duckdb.execute(
    'select device, kernel, day, count(distinct run), min(series), max(max), bool_or(valid), min(unit)'
    ' from read_parquet(?) where load = ? group by all order by all', [sys.argv[1], 'none']).fetchall()
for row in rows:
    print(*row)
";

#[test]
fn a_database_reads_the_figures_by_device_kernel_and_day() {
    let top = spool();
    let folder = top.path();
    assert_eq!(tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--quiet"]).status.code(), Some(0));
    assert_eq!(tool(folder, &["fleet", "report", "fleet", "--quiet"]).status.code(), Some(0));
    let test = "a_database_reads_the_figures_by_device_kernel_and_day";
    let Some(said) = asked(test, "duckdb", DUCKDB, &folder.join("fleet/figures.parquet")) else { return };
    let run = sample::tour();
    let quiet: Vec<_> = run.series.iter().filter(|series| series.key.load == "none").collect();
    let name = quiet.iter().map(|series| series.key.label()).min().unwrap();
    let max = quiet.iter().filter_map(|series| series.max).max().unwrap();
    let row = |start: &str| format!("{start} {name} {max} True ns\n");
    let rows = ["arm 6.6.0 2026-11-20 1", "press-3 6.1.0-rt 2026-11-20 6", "press-3 6.12.1-rt 2026-11-21 2"];
    assert_eq!(said, rows.map(row).concat());
}

#[test]
fn a_folder_that_is_no_fleet_is_refused_in_a_line() {
    let top = tempfile::tempdir().unwrap();
    let output = tool(top.path(), &["fleet", "report", "none"]);
    assert_eq!((output.status.code(), said(&output).lines().count()), (Some(2), 1), "{}", said(&output));
    fs::create_dir_all(top.path().join("empty/runs")).unwrap();
    let output = tool(top.path(), &["fleet", "report", "empty"]);
    assert!(said(&output).contains("has no run yet"), "{}", said(&output));
}

// A folder from another person may contain symbolic links, and a device may replace its folder by one at any time.
#[test]
fn a_link_in_the_fleets_folder_is_refused_and_what_it_leads_to_stays() {
    let top = spool();
    let folder = top.path();
    fs::create_dir_all(folder.join("home/thesis")).unwrap();
    fs::create_dir_all(folder.join("home/1-0")).unwrap();
    for (link, at) in [("part", "part"), ("runs", "runs"), ("runs/press-3", "runs/press-3")] {
        let _ = fs::remove_dir_all(folder.join("fleet"));
        fs::create_dir_all(folder.join("fleet").join(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(folder.join("home"), folder.join("fleet").join(link)).unwrap();
        let output = tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--quiet"]);
        assert!(matches!(output.status.code(), Some(3 | 4)), "{}", said(&output));
        assert!(said(&output).contains(&format!("fleet/{at} is a symbolic link")), "{}", said(&output));
        assert!(folder.join("home/thesis").is_dir() && folder.join("home/1-0").is_dir());
        assert_eq!(fs::read_dir(folder.join("home")).unwrap().count(), 2, "nothing comes there");
    }
    fs::remove_dir_all(folder.join("fleet")).unwrap();
    std::os::unix::fs::symlink(folder.join("home"), folder.join("spool/linked")).unwrap();
    std::os::unix::fs::symlink(folder.join("home/thesis"), folder.join("spool/press-3/linked")).unwrap();
    let output = tool(folder, &["fleet", "import", "spool", "--output", "fleet", "--remove"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "9 new, 0 already present, 2 refused, 0 still arriving\n");
    assert!(folder.join("home/thesis").is_dir() && folder.join("home/1-0").is_dir());
}
