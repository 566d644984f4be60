// SPDX-License-Identifier: MIT OR Apache-2.0
//! Environments in which people first try the lab, each with something missing: the result is correct, or one line says how to
//! get what is missing.
use crate::common::copied::copied;
use crate::common::program::programs;
use crate::lacking::{skip, skipped};
use std::process::{Command, Output};

fn under(script: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    for name in ["backwall", "backwall-lab"] {
        copied(programs().join(name).to_str().unwrap(), &folder.path().join(name));
    }
    Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

// Checks for the exit code "this machine cannot do it" and for this text in the last line.
fn ends(output: &Output, said: &str) {
    let lines = message(output);
    assert_eq!(output.status.code(), Some(4), "{lines}");
    assert!(lines.lines().last().is_some_and(|line| line.contains(said)), "{lines}");
}

#[test]
fn without_an_emulator_the_lab_names_its_package() {
    let output = under("PATH=/nonexistent exec ./backwall lab run bare-answer");
    ends(&output, "qemu-system-x86");
}

// Without a network, neither the tool nor the package manager waits for one.
#[test]
#[ignore = "make long"]
fn without_a_network_kernels_that_were_never_fetched_are_one_line() {
    let script = "XDG_CACHE_HOME=$PWD/cache exec unshare -n ./backwall lab run linux-stock";
    let output = under(&format!("unshare -n true || exit 77; {script}"));
    if output.status.code() == Some(77) {
        return skip("no_network", &message(&output));
    }
    if !skipped("no_network", &output) {
        ends(&output, "check the network");
    }
}

#[test]
fn without_a_home_what_needs_none_runs_and_none_is_made() {
    let script = "env -u XDG_CACHE_HOME HOME=$PWD/absent ./backwall lab run bare-answer -q --output run; \
        code=$?; [ ! -e absent ] || exit 9; exit $code";
    let output = under(script);
    if !skipped("no_home", &output) {
        assert!(matches!(output.status.code(), Some(0 | 3)), "{:?} {}", output.status, message(&output));
    }
    let output = under("env -u HOME -u XDG_CACHE_HOME ./backwall lab run linux-stock");
    if !skipped("no_home", &output) {
        ends(&output, "set XDG_CACHE_HOME or HOME");
    }
}
