// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope respond` on named pipes and on the kernel's simulated GPIO chip: each edge is answered or counted as lost.
use crate::lacking::skip;
use crate::tool::{Begin, Running};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStderr, Command, Output, Stdio};

fn pipe(folder: &Path, name: &str) -> (String, File) {
    let path = folder.join(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let end = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    (format!("pipe:{}", path.display()), end)
}

fn respond(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["scope", "respond"]).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn answering(words: &[&str]) -> Result<(Running, BufReader<ChildStderr>), String> {
    let mut child = respond(words).begin();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    errors.read_line(&mut said).unwrap();
    if said.starts_with("answering ") {
        return Ok((child, errors));
    }
    child.wait().unwrap();
    Err(said)
}

fn counts(output: &Output) -> [u64; 5] {
    assert!(output.status.success());
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    ["due", "ist", "ist_lost", "app", "app_lost"].map(|name| counts[name].as_u64().unwrap())
}

#[test]
fn each_stimulus_is_answered_by_both_threads() {
    let home = tempfile::tempdir().unwrap();
    let [(stimulus, mut to), (ist, mut from_ist), (app, mut from_app)] =
        ["stimulus", "ist", "app"].map(|name| pipe(home.path(), name));
    let words = ["--stimulus", &stimulus, "--ist", &ist, "--app", &app, "--priority", "0", "--count", "20", "--json"];
    let (child, _errors) = answering(&words).unwrap();
    for _ in 0..20 {
        to.write_all(&[1]).unwrap();
        for from in [&mut from_ist, &mut from_app] {
            let mut pulse = [9; 2];
            from.read_exact(&mut pulse).unwrap();
            assert_eq!(pulse, [1, 0]);
        }
    }
    assert_eq!(counts(&child.wait_with_output().unwrap()), [20, 20, 0, 20, 0]);
}

#[test]
fn what_comes_too_fast_is_counted_as_lost() {
    let home = tempfile::tempdir().unwrap();
    let [(stimulus, mut to), (app, _from)] = ["stimulus", "app"].map(|name| pipe(home.path(), name));
    let words = ["--stimulus", &stimulus, "--app", &app, "--priority", "0", "--count", "1000", "--json"];
    let (child, _errors) = answering(&words).unwrap();
    (0..100).for_each(|_| to.write_all(&[1; 10]).unwrap());
    let [due, ist, ist_lost, app, app_lost] = counts(&child.wait_with_output().unwrap());
    assert_eq!((due, ist + ist_lost, app + app_lost), (1_000, due, ist));
    assert!(ist_lost >= 900 && app >= 1, "{ist_lost} {app}");
}

#[test]
fn the_threads_of_real_time_answer_too() {
    let home = tempfile::tempdir().unwrap();
    let [(stimulus, mut to), (ist, _ist), (app, _app)] = ["stimulus", "ist", "app"].map(|name| pipe(home.path(), name));
    let words = ["--stimulus", &stimulus, "--ist", &ist, "--app", &app, "--count", "1", "--json"];
    match answering(&words) {
        Ok((child, _errors)) => {
            to.write_all(&[1]).unwrap();
            assert_eq!(counts(&child.wait_with_output().unwrap()), [1, 1, 0, 1, 0]);
        }
        // Not by a print macro, whose text a passing test would swallow.
        Err(said) => skip("the_threads_of_real_time_answer_too", &said),
    }
}

#[test]
fn ctrl_c_ends_it_with_its_counts() {
    let home = tempfile::tempdir().unwrap();
    let [(stimulus, mut to), (ist, mut from)] = ["stimulus", "ist"].map(|name| pipe(home.path(), name));
    let (child, _errors) = answering(&["--stimulus", &stimulus, "--ist", &ist, "--priority", "0"]).unwrap();
    to.write_all(&[1]).unwrap();
    from.read_exact(&mut [0; 2]).unwrap();
    // SAFETY: kill(2) of a child of ours, which was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "stimuli: 1\nIST: 1 answered, 0 missed\n");
}

#[test]
fn what_cannot_be_had_is_one_line() {
    let kept = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&kept, "kept").unwrap();
    let file = &*format!("pipe:{}", kept.path().display());
    for (words, code, expected) in [
        (&["--stimulus", "/dev/gpiochip99:4", "--ist", "/dev/gpiochip99:5"][..], 4, "/dev/gpiochip99:4: No such file"),
        (&["--stimulus", "/dev/parport99:ack", "--ist", "/dev/parport99:d1"], 4, "modprobe parport_pc ppdev"),
        (&["--stimulus", "/dev/ttyNONE:cts", "--app", "/dev/ttyNONE:rts"], 4, "/dev/ttyNONE:cts: No such file"),
        (&["--stimulus", "pipe:/none", "--ist", "pipe:/none"], 4, "pipe:/none: "),
        (&["--stimulus", "pipe:/dev/null", "--ist", "pipe:/dev/null"], 4, "pipe:/dev/null: not a named pipe"),
        (&["--stimulus", file, "--ist", file], 4, "not a named pipe: create one with mkfifo"),
        (&["--stimulus", "/dev/null:1", "--ist", "/dev/null:1"], 2, "unknown device; expected /dev/gpiochipN"),
        (&["--stimulus", "/dev/ttyS0:ri", "--ist", "/dev/ttyS0:rts"], 2, "has the inputs cts, dsr and dcd"),
        (&["--stimulus", "17", "--ist", "/dev/ttyS0:rts"], 2, "expected DEVICE:LINE"),
        (&["--stimulus", "/dev/ttyS0:cts"], 2, "--ist"),
        (
            &["--stimulus", "pipe:/none", "--app", "pipe:/none", "--priority", "1"],
            2,
            "--priority must be 0 or at least 2",
        ),
        (&["--stimulus", "pipe:/none", "--ist", "pipe:/none", "--output", "x"], 2, "unknown option '--output'"),
    ] {
        let output = respond(words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(code), 1), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
}

const SIMULATED: &str = "/sys/kernel/config/gpio-sim";

#[test]
fn a_line_of_a_gpio_chip_is_answered() {
    if !Path::new(SIMULATED).exists() {
        let reason = "the kernel has no simulated GPIO chip; modprobe gpio-sim, with configfs mounted";
        skip("a_line_of_a_gpio_chip_is_answered", reason);
        return;
    }
    let chip = Chip::new();
    let [stimulus, ist] = [1, 2].map(|line| format!("/dev/{}:{line}", chip.name));
    let words = ["--stimulus", &stimulus, "--ist", &ist, "--priority", "0", "--count", "10", "--json"];
    let (child, _errors) = answering(&words).unwrap();
    for _ in 0..10 {
        ["pull-up", "pull-down"].into_iter().for_each(|pull| chip.pull(1, pull));
    }
    let [due, ist, ist_lost, ..] = counts(&child.wait_with_output().unwrap());
    assert_eq!((due, ist + ist_lost), (10, 10));
}

struct Chip {
    folder: std::path::PathBuf,
    device: String,
    name: String,
}

impl Chip {
    fn new() -> Self {
        let folder = Path::new(SIMULATED).join(format!("backwall-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("bank0")).unwrap();
        std::fs::write(folder.join("bank0/num_lines"), "8").unwrap();
        std::fs::write(folder.join("live"), "1").unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap().trim().to_string();
        let (device, name) = (read("dev_name"), read("bank0/chip_name"));
        Self { folder, device, name }
    }

    fn pull(&self, line: u32, pull: &str) {
        let file = format!("/sys/devices/platform/{}/{}/sim_gpio{line}/pull", self.device, self.name);
        std::fs::write(file, pull).unwrap();
    }
}

impl Drop for Chip {
    fn drop(&mut self) {
        let _ = std::fs::write(self.folder.join("live"), "0");
        let _ = std::fs::remove_dir(self.folder.join("bank0"));
        let _ = std::fs::remove_dir(&self.folder);
    }
}
