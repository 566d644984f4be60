// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rights that the systemd unit leaves are enough.
use crate::lacking::skip;
use std::process::Command;

const UNIT: &str = include_str!("../../../contrib/backwall.service");
const WATCH: &str = include_str!("../../../contrib/backwall-watch@.service");

fn rights(unit: &str) -> String {
    let set = unit.lines().find_map(|line| line.strip_prefix("CapabilityBoundingSet=")).unwrap();
    format!("--bounding-set=-all,{}", set.to_lowercase().replace("cap_", "+").replace(' ', ","))
}

// With the rights that the unit leaves, nothing is refused that is not refused to all of root's.
#[test]
fn the_rights_that_the_unit_leaves_suffice() {
    let name = "the_rights_that_the_unit_leaves_suffice";
    let run = |bounded: bool| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let set = if bounded { rights(UNIT) } else { "--bounding-set=+all".to_string() };
        let mut command = Command::new("setpriv");
        command.args([&set, "--no-new-privs", env!("CARGO_BIN_EXE_backwall"), "run", "--quiet"]);
        command.args(["--load", "none", "--idle", "off", "--for", "1s", "--priority", "10", "--output"]).arg(&out);
        let output = command.output().ok()?;
        let run = backwall_store::read(&out).ok();
        let stages = run.as_ref().map(|run| run.stages.len());
        let unread =
            run.map(|run| run.environment.checks.iter().filter(|check| check.value.contains("ermission")).count());
        Some((output.status.code(), stages, unread, String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let Some(whole) = run(false) else { return skip(name, "setpriv is not installed") };
    if whole.0 != Some(0) {
        return skip(name, &format!("this user may not: {}", whole.3.trim()));
    }
    let bounded = run(true).unwrap();
    assert_eq!((bounded.0, bounded.1, bounded.2), (whole.0, whole.1, whole.2), "{}", bounded.3);
}

// The watcher runs the counter as the application's user, and stops it if it takes too long.
#[test]
fn the_rights_that_the_unit_of_watch_leaves_suffice_to_be_another_user_and_to_end_what_that_user_runs() {
    let name = "the_rights_that_the_unit_of_watch_leaves_suffice";
    let run = |set: &str| {
        let user = "setpriv --reuid=65534 --regid=65534 --groups=4,24 sleep 600 & \
                    until grep -q '^Uid:.65534' /proc/$!/status && grep -q '^Name:.sleep' /proc/$!/status; do \
                    kill -0 $! 2>/dev/null || [ -d /proc/$! ] || exit 7; done; kill $!";
        Command::new("setpriv").args([set, "--no-new-privs", "sh", "-c", user]).output().ok()
    };
    match run("--bounding-set=+all") {
        Some(output) if output.status.success() => {}
        _ => return skip(name, "needs root and setpriv"),
    }
    let bounded = run(&rights(WATCH)).unwrap();
    assert!(bounded.status.success(), "{}", String::from_utf8_lossy(&bounded.stderr));
    assert!(WATCH.contains("\nProtectHome=read-only\n"), "the application is found by a socket in /run/user");
}
