// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bad circumstances for what records the kernel or mounts something: no tracefs, no rights to it, a full disk. The command ends
//! with 4 and one line, or goes on without and says so; nothing is half-written, and no process and no trace instance stays.
use crate::lacking::skip;
use crate::tool::{code_of, instances, message, wait_until};
use backwall_model::Run;
use backwall_model::picture::{Interference, Picture};
use std::fs;
use std::process::{Command, Output};

// In its own mount namespace, without tracefs or the right to mount it. `$1` is the folder, `$2` the file for what stays there.
const NO_TRACEFS: &str = "for place in $(grep -E ' (tracefs|debugfs) ' /proc/self/mounts | cut -d' ' -f2); do umount -l $place 2>/dev/null; done
grep -q ' tracefs ' /proc/self/mounts && exit 77; cd \"$1\"; told=$2; shift 3
setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin true || exit 77
setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin -- \"$@\" & wait $!; code=$?; { echo $!; ls -A; } >\"$told\"; exit $code";
// A file system of the size `$3`.
const SMALL: &str = "mount -t tmpfs -o size=$3 none \"$1\" || exit 77; cd \"$1\"; told=$2; shift 3
\"$@\" & wait $!; code=$?; { echo $!; ls -A; ls -A run 2>&1; } >\"$told\"; exit $code";
// Every process that a command starts has it, and no other.
const MARK: &str = "BACKWALL_TEST_CIRCUMSTANCES";

// A command's output under such circumstances, and what it left in its folder. `None`, with the reason printed, if they cannot be made
// here.
fn under(script: &str, size: &str, words: &[&str]) -> Option<(Output, String)> {
    let (folder, aside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(aside.path().join("set.toml"), SET).unwrap();
    let (mark, told) = (folder.path().display().to_string(), aside.path().join("told"));
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(folder.path()).arg(&told).arg(size);
    command.arg(env!("CARGO_BIN_EXE_backwall"));
    let set = aside.path().join("set.toml").display().to_string();
    command.args(words.iter().map(|word| if *word == "SET" { set.as_str() } else { word }));
    let output = command.env(MARK, &mark).output();
    let Some(output) = output.ok().filter(|output| told.exists() && output.status.code() != Some(77)) else {
        skip(&format!("circumstances of {words:?}"), "they cannot be made without root and unshare");
        return None;
    };
    let told = fs::read_to_string(told).unwrap();
    let (owner, left) = told.split_once('\n').unwrap();
    wait_until("the end of all processes", || !is_marked(&mark));
    assert!(instances(owner.parse().unwrap()).is_empty(), "{words:?}");
    Some((output, left.to_string()))
}

fn is_marked(mark: &str) -> bool {
    let row = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let has = |environment: Vec<u8>| environment.split(|byte| *byte == 0).any(|one| one == row.as_bytes());
    processes.filter_map(|process| fs::read(process.path().join("environ")).ok()).any(has)
}

pub const NO_TRACE: &str = "cannot open the kernel's trace";
pub const SET: &str = "[[series]]\nname = \"a\"\nperiod = \"10ms\"\ncomputation = \"100us\"\npriority = 10\n";
const TRACED: [&str; 9] = ["tasks", "run", "SET", "--trace", "--best-effort", "--for", "300ms", "--output", "run"];
const THROUGHPUT: [&str; 9] =
    ["bench", "interfere", "throughput", "--mebibytes", "8", "--rounds", "1", "--output", "run"];

// It ended with 4 and one line with this text, printed nothing, and left nothing.
fn refused(said: &str, (output, left): (Output, String)) {
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains(said) && output.stdout.is_empty(), "{line}");
    assert!(left.lines().all(|row| row.contains("No such file")), "{left}");
}

fn done((output, left): &(Output, String)) -> Run {
    assert!(!left.contains(".part"), "{left}");
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), code_of(&run), "{}", message(output));
    run
}

pub fn is_untraced(run: &Run, why: &str) {
    let warned: Vec<_> = run.warnings.iter().filter(|warning| warning.text.contains("--trace: ")).collect();
    assert!(warned.len() == 1 && warned[0].text.contains(why), "{:?}", run.warnings);
    assert!(run.stages.is_empty() && run.results.trace_events.is_none(), "{:?}", run.results);
    assert!(run.series.iter().any(|series| series.key.name == "response" && series.done > 0));
}

pub fn have_reasons(run: &Run, places: &[&str]) {
    let found = run.pictures.iter().find_map(|picture| match picture {
        Picture::Interference(found) => Some(found),
        _ => None,
    });
    let Interference { cases, absent, .. } = found.expect("the cases");
    for place in places {
        let begin = format!("throughput, {place}: ");
        let reasons: Vec<&String> = absent.iter().filter(|reason| reason.starts_with(&begin)).collect();
        assert!(reasons.len() == 1 && reasons[0].len() > begin.len() + 10, "{place}: {absent:?}");
        assert!(cases.iter().all(|case| !case.name.starts_with(&format!("{place}-"))), "{place}");
    }
    assert!(cases.iter().any(|case| case.name == "loopback-in"), "{absent:?}");
}

#[test]
fn without_tracefs_nothing_is_recorded_and_a_set_runs_without_its_trace() {
    let Some(tracked) = under(NO_TRACEFS, "-", &["trace", "record", "--output", "run", "--", "touch", "it-ran"]) else {
        return;
    };
    refused(NO_TRACE, tracked);
    let Some(set) = under(NO_TRACEFS, "-", &[&TRACED[..], &["--json"]].concat()) else { return };
    is_untraced(&done(&set), NO_TRACE);
    let Some(moved) = under(NO_TRACEFS, "-", &[&THROUGHPUT[..], &["--json"]].concat()) else { return };
    have_reasons(&done(&moved), &["ext4", "btrfs", "btrfs-zstd", "zram"]);
}

#[test]
fn on_a_full_disk_nothing_half_written_stays_and_a_set_runs_without_its_trace() {
    let Some(tracked) = under(SMALL, "3m", &["trace", "record", "--output", "run", "--", "touch", "it-ran"]) else {
        return;
    };
    let tracefs = !message(&tracked.0).contains(NO_TRACE);
    let why = if tracefs { "No space left on device" } else { NO_TRACE };
    refused(why, tracked);
    let Some(set) = under(SMALL, "3m", &[&TRACED[..], &["--json"]].concat()) else { return };
    is_untraced(&done(&set), why);
    let Some(moved) = under(SMALL, "3m", &[&THROUGHPUT[..], &["--json"]].concat()) else { return };
    have_reasons(&done(&moved), &["here", "ext4", "btrfs", "btrfs-zstd"]);
    let Some((output, left)) = under(SMALL, "12k", &[&THROUGHPUT[..], &["--quiet"]].concat()) else { return };
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(
        line.contains("No space left on device") && !left.contains("run.json") && !left.contains(".part"),
        "{left}"
    );
}
