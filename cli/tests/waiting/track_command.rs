// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace record` records this machine's kernel, however it ends. Skipped with a reason if tracefs is missing or forbidden.
use crate::lacking::skip;
use crate::tool::{Begin, Running, all_gone, children, files, instances, message, signal, tool_in, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn track(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["trace", "record", "--output", "run"]).args(words).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn done(folder: &Path, words: &[&str]) -> Output {
    track(folder, words).output().unwrap()
}

fn possible(test: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let output = done(folder.path(), &["--quiet", "--", "true"]);
    if output.status.code() == Some(4) {
        skip(test, &message(&output));
    }
    output.status.code() == Some(0)
}

fn begun(folder: &Path, words: &[&str]) -> Running {
    let started = |tool| children(tool).iter().any(|child| child.name == "sleep");
    track(folder, words).begin().wait_until("the command's start", started)
}

fn counted(recording: &[u8], name: &str) -> u64 {
    let head = String::from_utf8_lossy(&recording[..recording.len().min(4 << 20)]).into_owned();
    let rows =
        head.split('\n').filter_map(|row| row.strip_prefix(name)?.strip_prefix(": ")?.trim().parse::<u64>().ok());
    rows.sum()
}

#[test]
fn a_recording_holds_every_event_that_the_rings_gave_away() {
    if !possible("a_recording_holds_every_event_that_the_rings_gave_away") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let many = "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done";
    let output = done(folder.path(), &["--json", "--", "sh", "-c", many]);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let recording = std::fs::read(folder.path().join("run/trace.dat")).unwrap();
    assert_eq!(counted(&recording, "entries"), 0, "events stayed in the rings");
    assert_eq!(told["events"].as_u64().unwrap(), counted(&recording, "read events"));
    assert!(told["by_name"]["sched_switch"].as_u64().unwrap() > 300, "{}", told["by_name"]);
    let names: Vec<_> =
        files(&folder.path().join("run")).iter().map(|file| file.file_name().unwrap().to_owned()).collect();
    assert!(
        names.len() == 3
            && ["trace.dat", "report.html", "summary.json"].iter().all(|name| names.iter().any(|one| one == name))
    );
}

#[test]
fn what_a_command_prints_does_not_mix_with_our_result() {
    if !possible("what_a_command_prints_does_not_mix_with_our_result") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = done(folder.path(), &["--json", "--", "echo", "its own words"]);
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(message(&output).contains("its own words"));
}

#[test]
fn a_command_that_is_not_there_is_refused_and_leaves_nothing() {
    if !possible("a_command_that_is_not_there_is_refused_and_leaves_nothing") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = done(folder.path(), &["--", "no-such-command"]);
    assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
    assert!(message(&output).contains("no-such-command: No such file or directory"), "{}", message(&output));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_killed_recorder_leaves_no_instance_no_process_and_no_recording() {
    if !possible("a_killed_recorder_leaves_no_instance_no_process_and_no_recording") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut tool = begun(folder.path(), &["--", "sleep", "600"]);
    let (owner, started) = (tool.id(), children(tool.id()));
    assert_eq!(instances(owner).len(), 1);
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the end of the instance", || instances(owner).is_empty());
    wait_until("the end of all processes", || all_gone(&started));
    assert!(files(&folder.path().join("run")).is_empty());
}

#[test]
fn a_request_to_end_reaches_the_command_and_the_recording_is_kept() {
    if !possible("a_request_to_end_reaches_the_command_and_the_recording_is_kept") {
        return;
    }
    for name in ["TERM", "HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let tool = begun(folder.path(), &["--quiet", "--", "sleep", "600"]);
        let (owner, started) = (tool.id(), children(tool.id()));
        signal(owner, name);
        let output = tool.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", message(&output));
        assert!(
            message(&output)
                .contains("the command received the signal that stopped backwall; backwall keeps the recording so far")
        );
        wait_until("the end of all processes", || all_gone(&started));
        assert!(instances(owner).is_empty() && folder.path().join("run/trace.dat").exists());
    }
}

#[test]
fn ctrl_c_ends_a_recording_without_a_command_and_keeps_it() {
    if !possible("ctrl_c_ends_a_recording_without_a_command_and_keeps_it") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let begun = |tool| !instances(tool).is_empty();
    let tool = track(folder.path(), &["--quiet"]).begin().wait_until("an instance", begun);
    // The events arrive one by one; only then does a recording start.
    std::thread::sleep(std::time::Duration::from_millis(500));
    signal(tool.id(), "INT");
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert!(folder.path().join("run/summary.json").exists());
}

// SIGKILL may follow SIGTERM, so work that can be done later is left.
#[test]
fn sigterm_keeps_the_recording_and_leaves_its_account() {
    if !possible("sigterm_keeps_the_recording_and_leaves_its_account") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let is_on = |place: &std::path::PathBuf, file: &str| {
        std::fs::read_to_string(place.join(file)).is_ok_and(|on| on.starts_with('1'))
    };
    // The events arrive one by one, and the recording comes last.
    let records =
        |place: &std::path::PathBuf| is_on(place, "events/sched/sched_switch/enable") && is_on(place, "tracing_on");
    let has_begun = |tool| instances(tool).iter().any(records);
    let tool = track(folder.path(), &["--quiet"]).begin().wait_until("a recording that has begun", has_begun);
    std::thread::sleep(std::time::Duration::from_millis(500));
    signal(tool.id(), "TERM");
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert!(message(&output).contains("read it with: backwall trace report run"), "{}", message(&output));
    let names: Vec<_> = files(&folder.path().join("run"));
    assert!(matches!(&names[..], [file] if file.ends_with("trace.dat")), "{names:?}");
    let report = tool_in(folder.path(), &["trace", "report", "run"]);
    assert_eq!(report.status.code(), Some(0), "{}", message(&report));
}

// In its own mount namespace: a file system of 6 MiB, of which a recording may fill two.
const ON_A_SMALL_DISK: &str = "mount -t tmpfs -o size=6m backwall \"$1\" || exit 99
cd \"$1\"; \"$2\" trace record --output run --quiet -- sh -c 'i=0; while [ $i -lt 6000 ]; do /bin/true; i=$((i+1)); done; echo it ended by itself >&2'
code=$?; \"$2\" trace report run --json --quiet >/dev/null || exit 98; \"$2\" trace report run; exit $code";

#[test]
fn a_recording_that_fills_the_disk_is_kept_and_its_command_goes_on() {
    let test = "a_recording_that_fills_the_disk_is_kept_and_its_command_goes_on";
    if !possible(test) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", ON_A_SMALL_DISK, "small"]).arg(folder.path()).arg(env!("CARGO_BIN_EXE_backwall"));
    let Ok(output) = command.output() else { return skip(test, "no unshare") };
    let said = message(&output);
    if output.status.code() == Some(99) || said.contains("unshare: ") {
        return skip(test, &said);
    }
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains("No space left on device; backwall keeps the recording so far")
            && said.contains("it ended by itself"),
        "{said}"
    );
    assert!(said.contains("recording stopped; the command continues"), "{said}");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("threads took part"), "{told}");
}
