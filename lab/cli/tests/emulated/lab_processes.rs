// SPDX-License-Identifier: MIT OR Apache-2.0
//! No process of a lab run survives the tool, however the tool ends. Needs QEMU.
use crate::common::program::program;
use crate::tool::{emulators, wait_until};
use std::process::{Child, Command, Stdio};

const ENDLESS: &str = "about = 'test'\nguest = 'bare:silent-irq7'\n[generator.a]\nshape = 'one-shot'\nperiod = 1000\n\
                       [limits]\ninstructions = 1_000_000_000_000\n";

fn start(folder: &std::path::Path, scenario: &str, more: &[&str]) -> Child {
    let file = folder.join("endless.toml");
    std::fs::write(&file, scenario).unwrap();
    let mut command = Command::new(program());
    command.args(["lab", "run"]).arg(&file).args(more).env("TMPDIR", folder).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_kill_of_the_tool_ends_the_emulator() {
    let folder = tempfile::tempdir().unwrap();
    let mut tool = start(folder.path(), ENDLESS, &[]);
    wait_until("the emulator's start", || !emulators(folder.path()).is_empty());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the emulator's end", || emulators(folder.path()).is_empty());
}

#[test]
fn a_limit_that_leaves_no_time_to_start_is_said_and_not_an_edge_file_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let output = start(folder.path(), ENDLESS, &["--wall-limit", "1ns"]).wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("the guest did not start within"), "{message}");
}

#[test]
fn the_wall_limit_ends_the_run_with_code_4_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = start(folder.path(), ENDLESS, &["--wall-limit", "2s"]).wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("stopped after 2 s, before it armed the port"), "{message}");
    assert!(emulators(folder.path()).is_empty());
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name != "backwall-runs").collect();
    assert_eq!(left, ["endless.toml"]);
}

#[test]
fn several_scenarios_are_one_array_and_one_that_fails_does_not_keep_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, guest: &str| {
        let generator = "[generator.a]\nshape = 'periodic'\nperiod = 10_000\ncount = 10\n";
        let text = format!("about = 'test'\nguest = 'bare:{guest}'\n{generator}");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    of("one.toml", "answer-irq7-5");
    of("other.toml", "answer-irq7-100");
    of("broken.toml", "silent-irq7");
    let runs = |names: &[&str]| {
        let mut command = Command::new(program());
        let output = command.args(["lab", "run", "--json"]).args(names).current_dir(folder.path()).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), json)
    };
    let (code, several) = runs(&["one.toml", "broken.toml", "other.toml"]);
    assert_eq!((code, several.as_array().map(Vec::len)), (Some(4), Some(2)));
    assert_eq!((&several[0]["series"][0]["max"], &several[1]["series"][0]["max"]), (&5.into(), &100.into()));
    let (code, alone) = runs(&["one.toml"]);
    assert_eq!((code, alone["series"][0]["name"].as_str()), (Some(0), Some("isr")));
    let (code, _) = runs(&["one.toml", "other.toml", "--output", "out"]);
    let stored = |name: &str| folder.path().join("out").join(name).join("run.json").is_file();
    assert!(code == Some(0) && stored("one") && stored("other"), "each has a folder of its own below --output");
}

#[test]
fn without_the_emulator_the_fix_is_one_line_and_the_code_4() {
    let output =
        Command::new(program()).args(["lab", "run", "bare-answer"]).env("PATH", "/nonexistent").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), message.lines().count()), (Some(4), 1), "{message}");
    assert!(message.contains("apt-get install qemu-system-x86"), "{message}");
}

pub fn pulses_are_recorded(folder: &std::path::Path) -> bool {
    let runs = std::fs::read_dir(folder).unwrap().filter_map(|entry| entry.ok());
    runs.filter_map(|run| std::fs::metadata(run.path().join("edges.bin")).ok()).any(|file| file.len() > 1 << 16)
}

#[test]
fn ctrl_c_keeps_what_was_recorded_marked_as_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let scenario = "about = 'test'\nguest = 'bare:answer-irq7-5'\n[generator.a]\nshape = 'periodic'\nperiod = 1000\n\
                    count = 4_000_000_000\n";
    let tool = start(folder.path(), scenario, &["--output", out.to_str().unwrap()]);
    wait_until("the first pulses", || pulses_are_recorded(folder.path()));
    let sent = Command::new("kill").args(["-INT", &tool.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(run["interrupted"], true);
    let isr = &run["series"][0];
    assert!(isr["done"].as_u64().unwrap() > 0);
    assert_eq!((isr["missed"].as_u64(), isr["max"].as_u64()), (Some(0), Some(5)));
    assert!(emulators(folder.path()).is_empty());
}

// A search for an answer or for the highest frequency needs whole runs, so Ctrl-C keeps no part of one.
#[test]
fn where_only_a_whole_run_is_of_use_ctrl_c_is_told_as_that_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = |count: &str| {
        format!(
            "about = 'test'\nguest = 'bare:answer-irq7-5'\n[generator.a]\nshape = 'periodic'\nperiod = 1000\ncount = {count}\n"
        )
    };
    std::fs::write(folder.path().join("endless.toml"), scenario("4_000_000_000")).unwrap();
    let kept = start(folder.path(), &scenario("400_000"), &["--output", "kept", "--quiet"]).wait_with_output().unwrap();
    assert_eq!(kept.status.code(), Some(0), "{}", String::from_utf8_lossy(&kept.stderr));
    std::fs::write(folder.path().join("endless.toml"), scenario("4_000_000_000")).unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    for words in [
        &["lab", "explain", "endless.toml"][..],
        &["lab", "explain", "kept", "--answer", "399999"],
        &["lab", "diff", "endless.toml", "endless.toml", "--output", "out"],
        &["lab", "irqsoff", "endless.toml"],
        &["lab", "saturate", "endless.toml", "--output", "out"],
    ] {
        let mut command = Command::new(program());
        command.args(words).arg("--quiet").env("TMPDIR", &work).current_dir(folder.path());
        let tool = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("the first pulses", || pulses_are_recorded(&work));
        crate::tool::signal(tool.id(), "INT");
        let output = tool.wait_with_output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{words:?}: {line}");
        assert!(line.contains("interrupted; kept nothing"), "{words:?}: {line}");
        assert!(!folder.path().join("out").exists() && emulators(folder.path()).is_empty());
    }
}

#[test]
fn what_a_killed_tool_left_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut tool = start(folder.path(), ENDLESS, &[]);
    let left = || -> usize {
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().unwrap().starts_with("backwall-lab-")).count()
    };
    wait_until("the emulator's start", || !emulators(folder.path()).is_empty());
    tool.kill().unwrap();
    tool.wait().unwrap();
    assert_eq!(left(), 1);
    let output = start(folder.path(), ENDLESS, &["--wall-limit", "1s"]).wait_with_output().unwrap();
    assert_eq!((output.status.code(), left()), (Some(4), 0));
}
