// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of Python that read what we wrote, by packages that those use who take it.
use crate::common::lacking::skip;
use std::path::Path;
use std::process::Command;

// Installed by `tools/install.sh test`.
pub const PYTHON: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../oracles/bin/python3");

// Output of a Python program on a file; `None` and a skip if its package is not installed.
pub fn asked(test: &str, package: &str, program: &str, file: &Path) -> Option<String> {
    let has = Command::new(PYTHON).args(["-c", &format!("import {package}")]).output();
    if !has.is_ok_and(|tried| tried.status.success()) {
        skip(test, &format!("tools/install.sh test could not install the package {package}"));
        return None;
    }
    let output = Command::new(PYTHON).args(["-c", program]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}
