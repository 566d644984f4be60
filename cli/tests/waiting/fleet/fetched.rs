// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet snapshot`: the last minutes of what devices record; the recordings continue.
use super::separate::{Machines, Network};
use super::{device_at, itself, names, place, tool, words};
use crate::lacking::skip;
use crate::tool::{
    Begin, LOOKED_INTO, Running, ended, files, measured, message, signal, so_far, stored, tool_in, wait_until,
};
use backwall_ftrace::tracefs::Tracefs;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FETCH: [&str; 5] = ["fleet", "snapshot", "fleet.toml", "--output", "fleet"];
const NOTHING: &str = "no recording: no run or watch of this user is active on the device";

fn recordings(folder: &Path, device: &str) -> Vec<PathBuf> {
    let days = files(&folder.join("fleet/recordings").join(device));
    let mut all: Vec<PathBuf> = days.iter().flat_map(|day| files(day)).collect();
    all.sort();
    all
}

// A long run that records all the time and crosses no limit; returns once it has measured.
fn run(folder: &Path, name: &str, network: &Network) -> Running {
    let mut command = network.command(env!("CARGO_BIN_EXE_backwall"));
    let out = folder.join(name);
    let what = ["run", "--measure", "wakeup", "--load", "none", "--idle", "as-is", "--snapshot-above", "50s"];
    command.args(what).args(["--best-effort", "--quiet", "--for", "500s", "--output"]).arg(&out).args(LOOKED_INTO);
    let running = command.stdout(Stdio::null()).stderr(Stdio::null()).begin();
    wait_until("a first figure", || so_far(&out).is_some_and(|run| measured(&run) > 0));
    running
}

fn json(output: &Output) -> Vec<Value> {
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", message(output)));
    told["devices"].as_array().unwrap().clone()
}

#[test]
fn the_last_minutes_of_two_devices_are_fetched_at_once_and_their_runs_go_on() {
    let top = place();
    let folder = top.path();
    let traced = Tracefs::open().map_err(|error| error.to_string());
    let machines = traced.and_then(|_| Machines::start(folder, "").map_err(String::from));
    let machines = match machines {
        Ok(machines) => machines,
        Err(why) => return skip("the last minutes of what devices record", &why),
    };
    let devices = device_at(folder, "left", ("10.0.1.2", 22), "")
        + &device_at(folder, "right", ("10.0.2.2", 22), "")
        + &device_at(folder, "down", ("10.0.2.2", 23), "")
        + &format!("[[device]]\nname = \"idle\"\nkind = \"local\"\nfolder = \"{}/disks/idle\"\n", folder.display());
    fs::write(folder.join("fleet.toml"), words() + &devices).unwrap();
    let runs = [("left", run(folder, "left", &machines.left)), ("right", run(folder, "right", &machines.right))];
    let fetch = || {
        let mut command = machines.desk.command(env!("CARGO_BIN_EXE_backwall"));
        command.args(FETCH).args(["--json", "--quiet"]).current_dir(folder).output().unwrap()
    };
    let output = fetch();
    let said = message(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 2), "{said}");
    assert!(said.contains(&format!("idle: {NOTHING}")) && said.contains("down: no recording: not reached: "), "{said}");
    let told = json(&output);
    for (row, (name, running)) in told.iter().zip(&runs) {
        assert_eq!((&row["device"], &row["command"]), (&Value::from(*name), &Value::from("run")), "{row:#}");
        assert_eq!(row["process"], running.id(), "of the device's own run, and not of the other's: {row:#}");
        assert!(row["events"].as_u64() > Some(0), "{row:#}");
        let [recording] = &recordings(folder, name)[..] else { panic!("{name} has one recording") };
        let words = ["blame", recording.to_str().unwrap(), "--above", "1ns", "--json"];
        let blamed = tool_in(folder, &words);
        assert_eq!(blamed.status.code(), Some(0), "{}", message(&blamed));
        let blamed: Value = serde_json::from_slice(&blamed.stdout).unwrap();
        assert!(blamed["responses"].as_u64() > Some(0), "the probe's responses are in it: {blamed:#}");
    }
    let said = message(&fetch());
    for (name, mut running) in runs {
        assert_eq!(recordings(folder, name).len(), 2, "a second one is another one: {said}");
        signal(running.id(), "INT");
        running.wait().unwrap();
        let run = stored(&folder.join(name));
        assert!(run.interrupted && measured(&run) > 0, "{:?}", run.warnings);
    }
    assert!(names(&folder.join("fleet/part")).is_empty(), "nothing half-written is left");
    assert_eq!(files(&folder.join("fleet/runs")), [] as [PathBuf; 0], "a recording is not stored as a run");
}

fn stand_ins(folder: &Path, does: &[(&str, &str)]) {
    let device = |(name, does): &(&str, &str)| {
        let tool = tool(folder, &format!("tool-{name}"), does);
        format!(
            "[[device]]\nname = \"{name}\"\nkind = \"local\"\nfolder = \"{}/disks/{name}\"\n{tool}\n",
            folder.display()
        )
    };
    let devices: String = does.iter().map(device).collect();
    fs::write(folder.join("fleet.toml"), words() + &devices).unwrap();
}

#[test]
fn what_a_device_sends_is_a_recording_or_costs_a_line() {
    let top = place();
    let folder = top.path();
    let first = "echo 'backwall-recordings 1'";
    stand_ins(
        folder,
        &[
            ("none", "exit 0"),
            ("garbage", "echo garbage"),
            ("cut", &format!("{first}; printf 'recording 7 run 9\\nabc'")),
            ("hostile", &format!("{first}; printf 'recording 7 run 4\\n\\027\\010Dtend\\n'")),
            ("away", &format!("{first}; printf 'recording 7 ../../x 0\\nend\\n'")),
            ("silent", &format!("{first}; printf 'nothing 7 watch it said \\033[2Jno\\nend\\n'")),
            ("refuses", "echo 'no right to do this' >&2; exit 4"),
            ("old", "echo \"error: unrecognized subcommand 'fetch'\" >&2; exit 2"),
        ],
    );
    let output = tool_in(folder, &FETCH);
    let said = message(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 8), "{said}");
    for (name, why) in [
        ("none", "no recording: the device sent nothing"),
        ("garbage", "no recording: the device's data is invalid at byte 0"),
        ("cut", "no recording: the device's data is truncated at byte"),
        ("hostile", "run 7: no recording: the device sent no valid recording: "),
        ("away", "no recording: the device's data is invalid at byte 22"),
        ("silent", "watch 7: no recording: it said "),
        ("refuses", "no recording: no right to do this"),
        ("old", "no recording: error: unrecognized subcommand"),
    ] {
        let line = said.lines().find(|line| line.starts_with(&format!("backwall: {name}: "))).unwrap();
        assert!(line.contains(why) && !line.contains('\x1b'), "{line}");
        assert!(!line.contains(&folder.join("fleet").display().to_string()), "no place that is gone: {line}");
        assert_eq!(recordings(folder, name), [] as [PathBuf; 0]);
    }
    assert!(names(&folder.join("fleet/part")).is_empty());
}

#[test]
fn a_fetch_that_is_ended_in_the_middle_leaves_nothing_half_written_and_no_process() {
    let top = place();
    let folder = top.path();
    let at = |name: &str| folder.join(name).display().to_string();
    let does = format!("echo $$ >{0}.part; mv {0}.part {0}; exec sleep 1000", at("begun"));
    stand_ins(folder, &[("slow", &does), ("well", &itself())]);
    for (name, code) in [("INT", Some(4)), ("TERM", Some(4)), ("KILL", None)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(FETCH).args(["--quiet", "--jobs", "1"]).current_dir(folder);
        let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).begin();
        wait_until("the device is asked", || folder.join("begun").exists());
        let process: u32 = fs::read_to_string(folder.join("begun")).unwrap().trim().parse().unwrap();
        signal(ended.id(), name);
        assert_eq!(ended.wait_with_output().unwrap().status.code(), code, "{name}");
        wait_until("what it had begun ends with it", || crate::tool::ended(process));
        fs::remove_file(folder.join("begun")).unwrap();
    }
    stand_ins(folder, &[("well", &itself())]);
    let output = tool_in(folder, &FETCH);
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{}", message(&output));
    assert!(names(&folder.join("fleet/part")).is_empty(), "the next call takes away what a killed one left");
}

#[test]
fn whoever_asks_for_a_process_that_does_not_record_hears_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = tool_in(folder.path(), &["trace", "snapshot", "4194304", "--output", "lately"]);
    assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
    assert!(message(&output).contains("4194304: not a run or watch of this user"), "{}", message(&output));
    assert!(!folder.path().join("lately").exists());
}

#[test]
fn what_an_attached_run_recorded_of_late_is_a_recording_and_the_run_goes_on() {
    if let Err(error) = Tracefs::open() {
        return skip("the last minutes of an attached run", &error.to_string());
    }
    let top = place();
    let (folder, out) = (top.path(), top.path().join("attached"));
    let users = Command::new("sh").args(["-c", "while :; do sleep 0.01; done"]).begin();
    let thread = users.id().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command
        .args(["watch", &format!("thread:{thread}"), "-D", "500s", "--quiet", "--output"])
        .arg(&out)
        .args(["--every", "50ms"]);
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).begin();
    let has_begun = || so_far(&out).is_some_and(|run| measured(&run) > 0);
    wait_until("a first wake-up, or its end", || has_begun() || ended(running.id()));
    if ended(running.id()) {
        assert_eq!(running.wait().unwrap().code(), Some(4));
        return skip("the last minutes of an attached run", "this user may not follow a thread");
    }
    let output = tool_in(folder, &["trace", "snapshot", &running.id().to_string(), "--output", "lately", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let blamed = tool_in(folder, &["blame", "lately", "--thread", &thread, "--above", "1ns", "--json"]);
    let blamed: Value = serde_json::from_slice(&blamed.stdout).unwrap_or_else(|_| panic!("{}", message(&blamed)));
    assert!(blamed["responses"].as_u64() > Some(0), "{blamed:#}");
    let before = measured(&so_far(&out).unwrap());
    wait_until("it measures on", || so_far(&out).is_some_and(|run| measured(&run) > before));
    signal(running.id(), "INT");
    running.wait().unwrap();
    assert!(measured(&stored(&out)) > before);
}
