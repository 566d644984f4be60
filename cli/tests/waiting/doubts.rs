// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool notices and reports figures that are not evidence of what was asked for.
//!
//! `--best-effort` lets the tests run without real-time rights, which they do not need.
use crate::lacking::skip;
use crate::tool::{
    Begin, LOOKED_INTO, backwall, has_looked, message, signal, so_far, stand_in, start, stored, wait_until, worked,
};
use std::process::Command;

fn says(run: &backwall_model::Run, what: &str) -> bool {
    !run.valid && run.warnings.iter().any(|warning| warning.spoils() && warning.text.contains(what))
}

#[test]
fn a_load_that_was_stopped_for_seconds_is_told_and_its_silent_seconds_count_as_0() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (tool, started) = start(&out);
    let loads: Vec<_> = started.iter().filter(|child| child.name == "bw-spin").collect();
    loads.iter().for_each(|load| signal(load.id, "STOP"));
    let run = || so_far(&out).unwrap();
    let due = || run().series[0].due.unwrap();
    let (stopped, units) = (due(), worked(&run()));
    wait_until("3.8 s of releases without the load", || due() >= stopped + 3_800);
    loads.iter().for_each(|load| signal(load.id, "CONT"));
    wait_until("the load's going on", || worked(&run()) > 2 * units);
    signal(tool.id(), "INT");
    let output = tool.wait_with_output().unwrap();
    let run = stored(&out);
    let waited = run.warnings.iter().any(|warning| warning.text.contains("load spin on CPU 0 waited "));
    assert!(waited, "{:?}", run.warnings);
    assert!(!says(&run, "load spin on CPU") && !says(&run, "load spin made"), "it went on: {:?}", run.warnings);
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let slowest = run.loads[0].per_second.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(slowest, 0.0, "{:?}", run.loads[0].per_second);
}

// End to end: the command, what it exports, and reading it again.
#[test]
fn a_requirement_of_a_run_without_evidence_is_undecided_wherever_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--for", "300ms", "--require", "max < 1000s", "--require", "missed == 0"];
    let output = backwall(&out).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = stored(&out);
    assert!(says(&run, "--best-effort let the probe"), "{:?}", run.warnings);
    assert_eq!(run.requirements.len(), 2);
    for requirement in &run.requirements {
        assert!(requirement.because.starts_with("no evidence: "), "{requirement:?}");
    }
    let tool = env!("CARGO_BIN_EXE_backwall");
    let again = Command::new(tool).arg("report").arg(&out).output().unwrap();
    assert_eq!(again.status.code(), Some(3), "{}", message(&again));
    let junit = Command::new(tool).args(["export", "junit"]).arg(&out).output().unwrap();
    let junit = String::from_utf8(junit.stdout).unwrap();
    assert!(junit.contains("errors=\"3\"") && !junit.contains("failures=\"1\""), "{junit}");
}

#[test]
fn a_measured_thread_that_is_moved_and_a_run_beside_it_are_told() {
    if backwall_os::affinity::allowed().len() < 2 {
        return skip("a_measured_thread_that_is_moved", "one processor only");
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, beside) = (folder.path().join("run"), folder.path().join("beside"));
    let (tool, started) = start(&out);
    let probe = started.iter().find(|child| child.name == "bw-wakeup").unwrap().id;
    has_looked(&out);
    let probe = probe.to_string();
    let moved = Command::new("taskset").args(["-a", "-c", "-p", "0-1", &probe]).output().unwrap();
    assert!(moved.status.success(), "{}", message(&moved));
    let second = backwall(&beside).args(["--load", "none", "--for", "1s"]).output().unwrap();
    assert_eq!(second.status.code(), Some(3), "no evidence is never a pass: {}", message(&second));
    has_looked(&out);
    signal(tool.id(), "INT");
    tool.wait_with_output().unwrap();
    let (first, second) = (stored(&out), stored(&beside));
    assert!(says(&first, "the measured thread was moved off CPU "), "{:?}", first.warnings);
    for run in [first, second] {
        assert!(says(&run, "another backwall run used CPU "), "{:?}", run.warnings);
    }
}

#[test]
fn a_run_that_was_interrupted_before_its_steady_state_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let options = ["--load", "none", "--period", "60s", "--for", "1h"];
    let tool = backwall(&out).args(options).args(LOOKED_INTO).begin();
    wait_until("the first release", || so_far(&out).is_some_and(|run| run.series.iter().any(|one| one.due > Some(0))));
    signal(tool.id(), "INT");
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = stored(&out);
    assert!(run.interrupted && says(&run, "nothing was measured after the warm-up"), "{:?}", run.warnings);
}

#[test]
fn a_probe_that_says_nothing_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let probe = stand_in(folder.path(), "trap 'exit 0' TERM; while :; do sleep 1; done");
    let output = backwall(&out).args(["--load", "none", "--for", "1h", "--probe"]).arg(probe).output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(
        line.contains("probe: the probe has sent nothing for 1") && line.contains(" s, so backwall ended it"),
        "{line}"
    );
    assert!(!out.exists());
}
