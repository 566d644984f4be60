// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unit of systemd: its words are those of the tool, and systemd takes it.
use crate::lacking::skip;
use backwall::cli;
use std::process::Command;

const UNIT: &str = include_str!("../../../contrib/backwall.service");

/// The value of a setting that stands there once.
fn setting(name: &str) -> &'static str {
    UNIT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

#[test]
fn the_words_of_the_unit_are_understood() {
    let words: Vec<std::ffi::OsString> = setting("ExecStart").split(' ').map(Into::into).collect();
    assert!(cli::understand(words).is_ok());
    assert!(setting("ExecStart").contains("--resume") && setting("RestrictRealtime") == "no");
}

#[test]
fn systemd_takes_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backwall.service");
    std::fs::write(&file, UNIT.replace("/usr/bin/backwall", env!("CARGO_BIN_EXE_backwall"))).unwrap();
    let Ok(output) = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output() else {
        return skip("systemd_takes_the_unit", "systemd-analyze is not installed");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let about_us: Vec<&str> = said.lines().filter(|line| line.contains("backwall.service")).collect();
    assert!(output.status.success() && about_us.is_empty(), "{said}");
}
