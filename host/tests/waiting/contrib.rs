// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the unit of systemd leaves of root's rights suffices.
use crate::lacking::skip;
use std::process::Command;

const UNIT: &str = include_str!("../../../contrib/backwall.service");

/// The value of a setting that stands there once.
fn setting(name: &str) -> &'static str {
    UNIT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

/// With the rights that the unit leaves, nothing is refused that is not refused to all of root's.
#[test]
fn the_rights_that_the_unit_leaves_suffice() {
    let name = "the_rights_that_the_unit_leaves_suffice";
    let run = |bounded: bool| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let rights = setting("CapabilityBoundingSet").to_lowercase().replace("cap_", "+").replace(' ', ",");
        let set = if bounded { format!("--bounding-set=-all,{rights}") } else { "--bounding-set=+all".to_string() };
        let mut command = Command::new("setpriv");
        command.args([&set, "--no-new-privs", env!("CARGO_BIN_EXE_backwall"), "run", "--quiet"]);
        command.args(["--load", "none", "--idle", "off", "--for", "1s", "--priority", "10", "--out"]).arg(&out);
        let output = command.output().ok()?;
        let run = backwall::store::read(&out).ok();
        let stages = run.as_ref().map(|run| run.stages.len());
        let unread =
            run.map(|run| run.environment.checks.iter().filter(|check| check.found.contains("ermission")).count());
        Some((output.status.code(), stages, unread, String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let Some(whole) = run(false) else { return skip(name, "setpriv is not installed") };
    if whole.0 != Some(0) {
        return skip(name, &format!("this user may not: {}", whole.3.trim()));
    }
    let bounded = run(true).unwrap();
    assert_eq!((bounded.0, bounded.1, bounded.2), (whole.0, whole.1, whole.2), "{}", bounded.3);
}
