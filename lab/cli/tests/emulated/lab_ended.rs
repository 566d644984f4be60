// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command that is ended while it prepares a Linux guest: the package manager ends too, and the message says so. Needs QEMU.
use crate::common::copied::script;
use crate::common::program::program;
use crate::tool::{Begin, Running, ended, signal, wait_until};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

// A package manager with a helper that prints nothing for ten minutes, as if the server did not answer.
const SLOW: &str = "#!/bin/sh\nsleep 600 &\necho $$ $! >begun.part && mv begun.part \"$BEGUN\"\nwait\n";

fn preparing(folder: &Path) -> (Running, Vec<u32>) {
    for name in ["apt-cache", "apt-get"] {
        script(SLOW, &folder.join(name));
    }
    let begun = folder.join("begun");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program());
    command.args(["lab", "run", "linux-rt", "--output", "run"]).current_dir(folder);
    command.env("PATH", path).env("BEGUN", &begun).env("XDG_CACHE_HOME", folder.join("cache"));
    // In its own process group, because Ctrl-C in a terminal reaches the whole group.
    let child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).begin();
    wait_until("the package manager", || begun.exists() || ended(child.id()));
    let numbers = fs::read_to_string(&begun).unwrap_or_default();
    (child, numbers.split_whitespace().map(|number| number.parse().unwrap()).collect())
}

#[test]
fn the_package_manager_ends_with_the_command_and_an_end_is_said_to_be_one() {
    for name in ["TERM", "INT", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("cache")).unwrap();
        let (child, managers) = preparing(folder.path());
        assert_eq!(managers.len(), 2, "{name}: {:?}", child.wait_with_output());
        match name {
            "INT" => signal_group(child.id()),
            _ => signal(child.id(), name),
        }
        let output = child.wait_with_output().unwrap();
        wait_until("its package manager", || {
            managers.iter().take(if name == "KILL" { 1 } else { 2 }).all(|id| ended(*id))
        });
        let said = String::from_utf8_lossy(&output.stderr);
        if name != "KILL" {
            assert_eq!(output.status.code(), Some(4), "{name}: {said}");
            assert!(said.contains("interrupted; kept nothing"), "{name}: {said}");
        }
        // Nobody ends the children of a killed process: here the helper would run for ten minutes.
        managers.iter().filter(|id| !ended(**id)).for_each(|id| signal(*id, "KILL"));
    }
}

fn signal_group(id: u32) {
    let group = rustix::process::Pid::from_raw(id as i32).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
}

// A command that waits for another process's kernel download ends once it is interrupted.
#[test]
fn who_waits_for_anothers_download_ends_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cache")).unwrap();
    let (first, managers) = preparing(folder.path());
    let mut command = Command::new(program());
    command.args(["lab", "run", "linux-rt", "--output", "other"]).current_dir(folder.path());
    command.env("XDG_CACHE_HOME", folder.path().join("cache")).stdout(Stdio::null()).stderr(Stdio::piped());
    let second = command.begin();
    let waits = || fs::read_to_string(format!("/proc/{}/wchan", second.id())).is_ok_and(|at| at.contains("nanosleep"));
    wait_until("the second one", || waits() || ended(second.id()));
    signal(second.id(), "TERM");
    let output = second.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(4) && said.contains("interrupted; kept nothing"), "{said}");
    signal(first.id(), "TERM");
    first.wait_with_output().unwrap();
    wait_until("its package manager", || managers.iter().all(|id| ended(*id)));
}
