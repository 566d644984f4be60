// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations between two processes, of which one dies or cannot start.
use crate::copied::{copied, script};
use crate::operations::{osbench, rows};
use crate::tool::{Begin, Process, all_gone, children, message, signal, stored, turns, wait_until};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROBE: &str = backwall_runner::device::built::PROBE;

// The most that are allowed. With swept caches, or in batches, they take far longer than any wait for them.
const ROUNDS: &str = "1000000";

// The probe of the row under way, and its second process, which has taken its turn often.
fn pair(tool: u32) -> Option<(Process, Process)> {
    let in_the_row = |probe: &Process| {
        let words = fs::read_to_string(format!("/proc/{}/cmdline", probe.id)).unwrap_or_default();
        words.split('\0').any(|word| word == ROUNDS)
    };
    let mut pairs = children(tool).into_iter().filter(in_the_row);
    pairs.find_map(|probe| children(probe.id).pop().filter(has_taken_turns).map(|partner| (probe, partner)))
}

fn has_taken_turns(partner: &Process) -> bool {
    turns(Path::new(&format!("/proc/{}", partner.id))) > 50
}

// The second process dies while handing over, owning a mutex, or in a call: earlier samples stay, and no process of ours does.
#[test]
fn a_second_process_that_dies_ends_its_row_with_one_line_and_leaves_nothing() {
    for test in ["1.03", "2.03", "3.03", "4.03", "5.03"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(["bench", "osbench", "--best-effort", "-t", test, "-n", ROUNDS, "--quiet", "--output"]).arg(&out);
        let tool = command.stdout(Stdio::null()).stderr(Stdio::piped()).begin();
        wait_until("the turns of the second process", || pair(tool.id()).is_some());
        let (probe, partner) = pair(tool.id()).unwrap();
        signal(partner.id, "KILL");
        let output = tool.wait_with_output().unwrap();
        let line = message(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{test}: {line}");
        assert!(line.contains(&format!("test {test}: the second process died in the middle")), "{line}");
        assert!(all_gone(&[probe, partner]), "{test}");
        let run = stored(&out);
        assert!(run.series.len() == 1 && run.series[0].done > 0, "{test}");
        assert!(rows(&run)[0].0.failure.is_some(), "{test}");
    }
}

// A probe that may start no second process. Limits do not bind root, so this uses another user's number, which no other test uses.
fn limited(folder: &Path) -> PathBuf {
    let user = if rustix::process::geteuid().is_root() {
        "setpriv --reuid=64901 --regid=64901 --clear-groups --bounding-set=-all"
    } else {
        ""
    };
    let file = folder.join("limited");
    let own = folder.join("probe");
    copied(PROBE, &own);
    let own = own.display();
    let text = format!("#!/bin/sh\n[ \"$1\" = list ] && exec {own} list\nexec prlimit --nproc=1 {user} {own} \"$@\"\n");
    script(&text, &file);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn a_second_process_that_cannot_be_started_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let probe = limited(folder.path());
    let output =
        osbench(folder.path(), &["--best-effort", "--probe", probe.to_str().unwrap(), "-t", "1.01", "--output", "run"]);
    let said = message(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(4), 1), "{said}");
    assert!(said.contains("test 1.01: a second process cannot be started") && said.contains("ulimit -u"), "{said}");
    assert!(!folder.path().join("run").exists());
}
