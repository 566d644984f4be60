// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to a user without rights. Needs root in order to drop it; otherwise the tests are skipped.
use crate::circumstances::{NO_TRACE, SET, have_reasons, is_untraced};
use crate::copied::copied;
use crate::lacking::skip;
use backwall_os::container::Container;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

const NOBODY: [&str; 5] = ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--no-new-privs"];

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        copied(env!("CARGO_BIN_EXE_backwall"), &folder.path().join("backwall"));
        Self { folder }
    }

    // Runs the tool as a user without rights; `None`, with the reason printed, if that is impossible.
    fn as_nobody(&self, test: &str, arguments: &str) -> Option<Output> {
        let mut command = Command::new("setpriv");
        command.args(NOBODY).args([
            "sh",
            "-c",
            &format!("ulimit -l 64; echo started >&2; exec ./backwall {arguments}"),
        ]);
        let output = command.current_dir(self.folder.path()).output();
        let text = output.as_ref().map_or_else(|error| error.to_string(), message);
        if text.starts_with("started\n") {
            return output.ok();
        }
        // Not by a print macro, whose text a passing test would swallow.
        skip(test, &format!("rights cannot be given up here: {}", text.trim()));
        None
    }

    fn left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| !path.ends_with("backwall")).collect()
    }
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}

fn complaint(output: &Output) -> String {
    let text = message(output);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines.len(), 1, "{text}");
    lines[0].to_string()
}

// A lock with a ceiling raises a priority, which an ordinary thread does not have: sections would run without exclusion.
#[test]
fn a_lock_that_is_refused_to_a_job_ends_the_set() {
    let place = Place::new();
    let series = "[[series]]\nname = \"a\"\nperiod = \"10ms\"\ncomputation = \"1ms\"\npriority = 10\n";
    let section = "section = [{ lock = \"bus\", length = \"100us\" }]\n";
    let lock = "[[lock]]\nname = \"bus\"\nprotocol = \"ceiling\"\n";
    fs::write(place.folder.path().join("set.toml"), format!("{series}{section}{lock}")).unwrap();
    let words = "tasks run set.toml --for 2s --best-effort --quiet";
    let Some(output) = place.as_nobody("a_lock_that_is_refused", words) else { return };
    let said = message(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("a lock was refused to a job"), "{said}");
}

#[test]
fn a_set_of_tasks_without_real_time_rights_ends_with_4_and_leaves_nothing() {
    let place = Place::new();
    let set = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/tasks/lehoczky-3.toml");
    fs::copy(set, place.folder.path().join("set.toml")).unwrap();
    let Some(output) = place.as_nobody("a_set_without_real_time_rights", "tasks run set.toml") else { return };
    let line = complaint(&output);
    assert_eq!(output.status.code(), Some(4), "{line}");
    assert!(line.contains("--best-effort continues without") && line.contains(grants()), "{line}");
    let left = place.left();
    assert!(output.stdout.is_empty() && left.iter().all(|path| path.ends_with("set.toml")), "{left:?}");
}

#[test]
fn constants_that_cannot_be_measured_without_rights_end_with_4_and_name_the_ways_out() {
    let place = Place::new();
    let set = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/tasks/lehoczky-3.toml");
    fs::copy(set, place.folder.path().join("set.toml")).unwrap();
    for command in ["predict", "run"] {
        let words = format!("tasks {command} set.toml --constants here");
        let Some(output) = place.as_nobody("constants_without_rights", &words) else { return };
        let line = complaint(&output);
        assert_eq!(output.status.code(), Some(4), "{line}");
        assert!(line.contains("--constants here: ") && line.contains(grants()), "{line}");
        assert!(line.ends_with("; or name a run that measured the constants, or give NAME=TIME"), "{line}");
        assert!(!line.contains("--best-effort"), "predict has no such option: {line}");
        let left = place.left();
        assert!(output.stdout.is_empty() && left.iter().all(|path| path.ends_with("set.toml")), "{left:?}");
    }
}

#[test]
fn without_the_real_time_rights_that_were_typed_the_fix_is_one_line_and_the_code_4() {
    for typed in ["-p 50", "--policy fifo", "--policy rr"] {
        let place = Place::new();
        let words = format!("run --load none --for 1s {typed}");
        let Some(output) = place.as_nobody("without_real_time_rights", &words) else { return };
        let line = complaint(&output);
        assert_eq!(output.status.code(), Some(4), "{line}");
        assert!(line.contains("--best-effort continues without") && line.contains(grants()), "{line}");
        assert!(output.stdout.is_empty() && place.left().is_empty(), "{:?}", place.left());
    }
}

// A user who cannot watch an application is told at once, and no trial begins that could not write.
#[test]
fn what_only_root_can_watch_or_change_is_refused_at_once() {
    for (words, says) in [
        ("watch bw-never-there", NO_TRACE),
        ("tune try vm-statistics --apply", "only root may change settings"),
        ("tune boot threadirqs --apply", "only root may change settings"),
    ] {
        let place = Place::new();
        let Some(output) = place.as_nobody("what_only_root_can_watch_or_change", words) else { return };
        let line = complaint(&output);
        assert!(output.status.code() == Some(4) && line.contains(says), "{words}: {line}");
        assert!(output.stdout.is_empty() && place.left().is_empty(), "{words}: {:?}", place.left());
    }
}

// How to grant a right where the tests run: on a machine, or in a container.
fn grants() -> &'static str {
    Container::of_this_process().map_or("run as root or with sudo", Container::rights)
}

#[test]
fn without_real_time_rights_ordinary_threads_are_measured_and_the_first_line_says_so() {
    let place = Place::new();
    let words = "run --load none --for 1s --output run";
    let Some(output) = place.as_nobody("ordinary_threads", words) else { return };
    // Others may measure on the same processors meanwhile: that is invalid, and ends with 3.
    let run = backwall_store::read(&place.folder.path().join("run")).unwrap();
    assert_eq!(output.status.code(), Some(if run.valid { 0 } else { 3 }), "{}", message(&output));
    let text = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "ORDINARY PRIORITY: real-time 95 was refused maximum ";
    let first = text.find(said).is_some_and(|at| at == 0 || !run.valid && text.starts_with("NO EVIDENCE"));
    assert!(first, "{text}");
    assert!(text.contains("ordinary priority, every 1 ms"), "{text}");
    assert!(text.contains("backwall run --load none --for 1s # "), "the next command has the rights: {text}");
    assert!(run.series[0].done > 0 && place.folder.path().join("run/report.html").exists());
    assert_eq!((run.plan.priority, run.plan.policy), (Some(0), Some(backwall_model::Policy::Other)));
    assert_eq!(run.refused_priority.unwrap().priority, 95);
    let unlocked = run.warnings.iter().filter(|warning| warning.text.contains("cannot lock memory beyond 64 KiB"));
    assert!(unlocked.count() >= 1, "{:?}", run.warnings);
}

// Ordinary threads do not decide requirements on real-time threads, unless the user chose them.
#[test]
fn requirements_of_ordinary_threads_are_decided_only_where_those_were_typed() {
    let words = "run --load none --for 1s --output run --require 'done > 0'";
    let place = Place::new();
    let Some(output) = place.as_nobody("requirements_of_ordinary_threads", words) else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}{}", message(&output));
    let run = backwall_store::read(&place.folder.path().join("run")).unwrap();
    let because = if run.valid { "at ordinary priority" } else { "no evidence" };
    assert!(text.contains(&format!("UNDECIDED 'done > 0': {because}")), "{text}");
    let read = Command::new(env!("CARGO_BIN_EXE_backwall"))
        .args(["export", "junit", "run"])
        .current_dir(place.folder.path())
        .output();
    let junit = String::from_utf8(read.unwrap().stdout).unwrap();
    assert!(junit.contains("<error") && junit.contains(because), "{junit}");
    for typed in ["-p 0", "--policy other"] {
        let place = Place::new();
        let output = place.as_nobody("ordinary_threads_that_were_typed", &format!("{words} {typed}")).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let run = backwall_store::read(&place.folder.path().join("run")).unwrap();
        let (code, outcome) = if run.valid { (0, "PASS 1 of 1") } else { (3, "UNDECIDED 'done > 0': no evidence") };
        assert_eq!(output.status.code(), Some(code), "{text}{}", message(&output));
        assert!(text.contains(outcome) && !text.contains("ORDINARY PRIORITY"), "{text}");
    }
}

#[test]
fn best_effort_measures_and_is_no_evidence() {
    let place = Place::new();
    let arguments = "run --load none --for 1s --best-effort --json";
    let Some(output) = place.as_nobody("best_effort", arguments) else { return };
    let run: backwall_model::Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    assert!(!run.valid && !run.interrupted && run.series[0].done > 0);
    assert!(
        run.warnings.iter().any(|warning| warning.text.contains("real-time priority is refused")),
        "{:?}",
        run.warnings
    );
    assert!(
        run.stages.is_empty() && run.warnings.iter().any(|warning| warning.text.contains("no stages for load none"))
    );
}

#[test]
fn operations_without_rights_are_measured_when_asked_for_so_and_are_no_evidence() {
    let place = Place::new();
    let words = "bench osbench -t 1.02 -n 200 --best-effort --json";
    let Some(measured) = place.as_nobody("operations_without_rights", words) else { return };
    assert_eq!(measured.status.code(), Some(3), "{}", message(&measured));
    let run: backwall_model::Run = serde_json::from_slice(&measured.stdout).unwrap();
    assert!(!run.valid && run.plan.best_effort, "{:?}", run.warnings);
    // Without the rights most samples may be lost on a busy machine; none goes without being counted.
    let row = &run.series[0];
    assert!(row.done > row.warmup && row.due == row.missed.map(|lost| row.done + lost), "{row:?}");
}

// Both threads of a row are ordinary then; the first line says so.
#[test]
fn operations_without_rights_are_measured_between_ordinary_threads() {
    let place = Place::new();
    let words = "bench osbench -t 1.02 -t 6.00 -n 200 --output run --require 'max < 1h'";
    let Some(output) = place.as_nobody("ordinary_operations", words) else { return };
    let text = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(3), "{text}{}", message(&output));
    let said = format!("ORDINARY PRIORITY: real-time 81 was refused ({}", grants());
    assert!(text.starts_with(&said), "{text}");
    assert!(text.contains("UNDECIDED 'max < 1h': at ordinary priority") && !text.contains("-p 0"), "{text}");
    let run = backwall_store::read(&place.folder.path().join("run")).unwrap();
    assert!(run.valid && (run.plan.priority, run.plan.policy) == (Some(0), Some(backwall_model::Policy::Other)));
    assert!(run.series.iter().all(|row| row.done > row.warmup), "{:?}", run.series);
    let picture = run.pictures.iter().find_map(|picture| match picture {
        backwall_model::Picture::Operations(found) => Some(found),
        _ => None,
    });
    assert!(picture.unwrap().rows.iter().all(|row| !row.real_time), "{picture:?}");
}

#[test]
fn idle_states_that_cannot_be_held_off_bear_no_wrong_label() {
    let place = Place::new();
    let arguments = "run --load none --idle off --for 1s --best-effort --json";
    let Some(output) = place.as_nobody("idle_states", arguments) else { return };
    let run: backwall_model::Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((run.series[0].key.idle.as_str(), run.plan.idle.as_str()), ("as-is", "as-is"));
    assert!(run.warnings.iter().any(|warning| warning.text.contains("cannot write /dev/cpu_dma_latency")));
}

#[test]
fn interrupt_timing_without_rights_measures_its_ist_and_says_what_is_missing() {
    let place = Place::new();
    let words = "bench iltiming -n 5 --require 'isr.max < 1s'";
    let Some(output) = place.as_nobody("interrupt_timing", words) else { return };
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{table}{}", message(&output));
    let grants = Container::of_this_process().map_or("run as root", Container::tracing);
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = words.split_once("ISR and handoff not measured: ").map(|(_, why)| why);
    assert!(missing.is_some_and(|why| why.contains(NO_TRACE) && why.contains(grants)), "{table}");
    assert!(words.contains("UNDECIDED 'isr.max < 1s': "), "{table}");
    assert!(words.contains("IST at ordinary priority: real-time 98 was refused ("), "{table}");
    let largest = table.lines().find(|line| line.starts_with("Maximum")).unwrap_or_default();
    let cells: Vec<&str> = largest.split_whitespace().collect();
    assert!(matches!(cells[..], ["Maximum", "-", ist, "-"] if ist != "-"), "{table}");
    assert!(!table.contains("with the kernel's trace on"), "{table}");
    // Nobody may count on what was not measured, nor on a priority that was not granted.
    let required = place.as_nobody("interrupt_timing", "bench iltiming -n 5 --json --require 'isr.max < 1s'").unwrap();
    assert_eq!(required.status.code(), Some(3), "{}", message(&required));
    let run: backwall_model::Run = serde_json::from_slice(&required.stdout).unwrap();
    assert!(run.requirements[0].because.contains("isr[load=idle1,idle=as-is] was not measured"), "{run:?}");
    assert_eq!(run.series.iter().map(|series| series.key.name.as_str()).collect::<Vec<_>>(), ["ist"]);
}

#[test]
fn an_ists_priority_that_was_typed_is_had_or_refused() {
    let place = Place::new();
    let Some(output) = place.as_nobody("a_typed_priority", "bench iltiming -n 5 -p 0") else { return };
    assert_eq!(output.status.code(), Some(4), "{}", complaint(&output));
    assert!(output.stdout.is_empty() && place.left().is_empty());
}

#[test]
fn without_rights_nothing_is_recorded_and_a_set_runs_without_its_trace() {
    let place = Place::new();
    fs::write(place.folder.path().join("set.toml"), SET).unwrap();
    let Some(output) = place.as_nobody("a_recording_without_rights", "trace record --output run -- touch it-ran")
    else {
        return;
    };
    let line = complaint(&output);
    assert!(output.status.code() == Some(4) && line.contains(NO_TRACE) && output.stdout.is_empty(), "{line}");
    let left = place.left();
    assert!(left.iter().all(|path| path.ends_with("set.toml")), "{left:?}");
    let words = "tasks run set.toml --trace --best-effort --for 300ms --json";
    let Some(output) = place.as_nobody("a_set_with_its_trace_without_rights", words) else { return };
    is_untraced(&serde_json::from_slice(&output.stdout).unwrap(), NO_TRACE);
}

#[test]
fn a_file_system_that_cannot_be_mounted_without_rights_has_its_reason() {
    let words = "bench interfere throughput --mebibytes 1 --rounds 1 --json";
    let Some(output) = Place::new().as_nobody("file_systems_without_rights", words) else { return };
    have_reasons(&serde_json::from_slice(&output.stdout).unwrap(), &["ext4", "btrfs", "btrfs-zstd"]);
}
