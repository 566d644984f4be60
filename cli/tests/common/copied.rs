// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that a test runs from its own file. Another process writes it: otherwise a child of some other test would inherit
//! our open file, and until that child starts its program the kernel refuses to run the file ("Text file busy").
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn copied(program: &str, to: &Path) {
    assert!(Command::new("cp").arg(program).arg(to).status().unwrap().success(), "{program} to {}", to.display());
}

pub fn script(text: &str, to: &Path) {
    let mut install = Command::new("install");
    let mut child = install.args(["-m", "755", "/dev/stdin"]).arg(to).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{}", to.display());
}
