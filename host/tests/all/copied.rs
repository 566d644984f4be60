// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that a test runs as a copy. Another process copies it: a child that some other test starts meanwhile would hold a file
//! that we have open for writing, and until it has begun its own program the kernel refuses to run the copy ("Text file busy").
use std::path::Path;
use std::process::Command;

pub fn copied(program: &str, to: &Path) {
    assert!(Command::new("cp").arg(program).arg(to).status().unwrap().success(), "{program} to {}", to.display());
}
