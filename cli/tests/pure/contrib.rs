// SPDX-License-Identifier: MIT OR Apache-2.0
//! The units of systemd: their words are those of the tool, systemd takes them, and a package has them.
use crate::lacking::skip;
use backwall::cli;
use std::fs;
use std::path::Path;
use std::process::Command;

const SOAK: &str = include_str!("../../../contrib/backwall.service");
const WATCH: &str = include_str!("../../../contrib/backwall-watch@.service");
const TUNE: &str = include_str!("../../../contrib/backwall-tune.service");
const DAILY: &str = include_str!("../../../contrib/backwall-watch@.timer");

fn setting<'a>(unit: &'a str, name: &str) -> &'a str {
    unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

#[test]
fn the_words_of_the_units_are_understood() {
    for unit in [SOAK, WATCH, TUNE] {
        let command = setting(unit, "ExecStart").replace("%i", "jack");
        let words: Vec<std::ffi::OsString> = command.split(' ').map(Into::into).collect();
        assert!(cli::understand(words).is_ok(), "{command}");
    }
    for unit in [SOAK, TUNE] {
        assert!(setting(unit, "ExecStart").contains("--resume") && setting(unit, "RestrictRealtime") == "no");
    }
}

// A day ends before the next one is begun, which a unit that is at work would not be.
#[test]
fn the_days_of_the_timer_do_not_meet() {
    assert_eq!(setting(DAILY, "OnCalendar"), "*-*-* 00:00:00");
    assert!(setting(WATCH, "ExecStart").contains("--duration 1439m"), "a minute less than a day");
}

#[test]
fn systemd_takes_the_units() {
    let folder = tempfile::tempdir().unwrap();
    let units = [
        ("backwall.service", SOAK),
        ("backwall-tune.service", TUNE),
        ("backwall-watch@.service", WATCH),
        ("backwall-watch@.timer", DAILY),
    ];
    for (name, text) in units {
        let text = text.replace("/usr/bin/backwall", env!("CARGO_BIN_EXE_backwall"));
        fs::write(folder.path().join(name), text).unwrap();
    }
    for name in
        ["backwall.service", "backwall-tune.service", "backwall-watch@jack.service", "backwall-watch@jack.timer"]
    {
        let mut command = Command::new("systemd-analyze");
        let Ok(output) = command.args(["verify", "--man=no"]).arg(folder.path().join(name)).output() else {
            return skip("systemd_takes_the_units", "systemd-analyze is not installed");
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let about_us: Vec<&str> = said.lines().filter(|line| line.contains("backwall")).collect();
        assert!(output.status.success() && about_us.is_empty(), "{name}: {said}");
    }
}

// Whatever lies in the folder of units goes where systemd looks for them.
#[test]
fn the_packages_have_the_units() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let script = fs::read_to_string(root.join("tools/packages.sh")).unwrap();
    assert!(script.contains("cp contrib/backwall*.service contrib/backwall*.timer \"$root/usr/lib/systemd/system/\""));
    let spec = fs::read_to_string(root.join("packaging/backwall.spec")).unwrap();
    assert!(
        spec.contains("cp %{units}/backwall*.service %{units}/backwall*.timer %{buildroot}/usr/lib/systemd/system/")
    );
    let files = fs::read_dir(root.join("contrib")).unwrap().map(|entry| entry.unwrap());
    let units: Vec<_> = files.filter(|file| file.file_type().unwrap().is_file()).map(|file| file.file_name()).collect();
    assert!(units.len() >= 3, "{units:?}");
    let fits = |name: &str| name.starts_with("backwall") && (name.ends_with(".service") || name.ends_with(".timer"));
    assert!(units.into_iter().all(|name| fits(&name.to_string_lossy())));
}
