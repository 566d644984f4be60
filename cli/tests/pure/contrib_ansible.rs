// SPDX-License-Identifier: MIT OR Apache-2.0
//! The role for Ansible, run here below a folder: it leaves tool, script and units with the inventory's words, and a second run
//! changes nothing.
use crate::lacking::skip;
use backwall::cli;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../contrib/ansible/fleet.yml");

fn played(folder: &Path, more: &[&str]) -> Option<Output> {
    let root = format!("backwall_root={}", folder.join("root").display());
    let tool = concat!("backwall_tool=", env!("CARGO_BIN_EXE_backwall"));
    let words = ["-i", "press-3,", "-c", "local", "-e", "backwall_become=false", "-e", &root, "-e", tool];
    let mut command = Command::new("ansible-playbook");
    command.args(words).args(more).arg(BOOK).current_dir(folder).env("HOME", folder).env("ANSIBLE_NOCOLOR", "1");
    command.output().ok()
}

#[test]
#[ignore = "make long"]
fn the_role_leaves_what_a_device_needs_and_changes_nothing_twice() {
    let top = tempfile::tempdir().unwrap();
    let settings = r#"{"backwall_words": "run --for 5s --require \"max < 1s\"", "backwall_when": "daily"}"#;
    let Some(first) = played(top.path(), &["-e", settings]) else {
        return skip("the_role_leaves_what_a_device_needs", "ansible-playbook is not installed: tools/install.sh test");
    };
    let told = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(first.status.success() && told(&first).contains("changed=4"), "{}", told(&first));
    let file = |name: &str| top.path().join("root").join(name);
    for program in ["usr/local/bin/backwall", "usr/local/bin/backwall-push.sh"] {
        assert_eq!(fs::metadata(file(program)).unwrap().permissions().mode() & 0o777, 0o755, "{program}");
    }
    let unit = fs::read_to_string(file("etc/systemd/system/backwall-push.service")).unwrap();
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let start = start.strip_prefix("/usr/local/bin/backwall-push.sh fleet@collector:spool/press-3 ").unwrap();
    assert_eq!(start, "run --for 5s --require \"max < 1s\"");
    assert!(
        cli::understand(["backwall", "run", "--for", "5s", "--require", "max < 1s"].map(Into::into).to_vec()).is_ok()
    );
    let timer = fs::read_to_string(file("etc/systemd/system/backwall-push.timer")).unwrap();
    assert!(timer.contains("\nOnCalendar=daily\n") && timer.contains("WantedBy=timers.target"), "{timer}");

    let again = played(top.path(), &["-e", settings]).unwrap();
    assert!(told(&again).contains("changed=0"), "{}", told(&again));
    let missing = played(top.path(), &["-e", "backwall_tool=/nowhere/backwall"]).unwrap();
    assert!(!missing.status.success() && told(&missing).contains("/nowhere/backwall"), "{}", told(&missing));
}
