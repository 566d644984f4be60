// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing of a lab run survives the tool, however the tool ends. Needs QEMU.
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ENDLESS: &str = "about = 'test'\nguest = 'bare:silent-irq7'\n[generator.a]\nshape = 'one-shot'\nperiod = 1000\n\
                       [limits]\ninstructions = 1_000_000_000_000\n";

/// Far beyond what a loaded machine needs to start or end a process.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(folder: &std::path::Path, more: &[&str]) -> Child {
    let file = folder.join("endless.toml");
    std::fs::write(&file, ENDLESS).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["lab", "run"]).arg(&file).args(more).env("TMPDIR", folder);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Processes whose command line speaks of `folder`, other than the tool itself.
fn emulators(folder: &std::path::Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let lines = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let bytes = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
    });
    lines.filter(|line| line.starts_with("qemu") && line.contains(folder)).collect()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_kill_of_the_tool_ends_the_emulator() {
    let folder = tempfile::tempdir().unwrap();
    let mut tool = start(folder.path(), &[]);
    wait_until("the emulator's start", || !emulators(folder.path()).is_empty());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the emulator's end", || emulators(folder.path()).is_empty());
}

#[test]
fn the_wall_limit_ends_the_run_with_code_4_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = start(folder.path(), &["--wall-limit", "2s"]).wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("limit of 2 s, without ever arming the port"), "{message}");
    assert!(emulators(folder.path()).is_empty());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["endless.toml"]);
}

#[test]
fn without_the_emulator_the_fix_is_one_line_and_the_code_4() {
    let output = Command::new(env!("CARGO_BIN_EXE_backwall"))
        .args(["lab", "run", "bare-answer"])
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), message.lines().count()), (Some(4), 1), "{message}");
    assert!(message.contains("apt-get install qemu-system-x86"), "{message}");
}
