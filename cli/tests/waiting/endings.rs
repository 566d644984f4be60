// SPDX-License-Identifier: MIT OR Apache-2.0
//! However a run ends, what was measured is whole or not there, and nothing of ours stays on the machine.
//!
//! `--best-effort` lets the tests run without real-time rights; what they show does not need them.
use crate::copied::script;
use crate::lacking::{skip, skipped};
use crate::tool::{
    Begin, all_gone, backwall, children, files, instances, message, signal, stand_in, start, stored, wait_until,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

// Settings that a measuring tool might change. /dev/cpu_dma_latency is not included: it lasts as long as a process keeps it open, and
// another test's run may.
fn settings() -> Vec<(PathBuf, Vec<u8>)> {
    let folders = ["/proc/sys/kernel", "/proc/sys/vm", "/sys/kernel/mm/transparent_hugepage", "/sys/kernel/tracing"];
    let cpus = files(Path::new("/sys/devices/system/cpu"));
    let cpu_folders = cpus.iter().flat_map(|cpu| {
        let states = files(&cpu.join("cpuidle"));
        states.into_iter().chain([cpu.join("cpufreq"), cpu.clone()])
    });
    let folders = folders.iter().map(PathBuf::from).chain(cpu_folders);
    let names =
        ["sched_", "governor", "min_freq", "max_freq", "disable", "online", "enabled", "tracing_on", "trace_clock"];
    let wanted = |path: &PathBuf| names.iter().any(|name| path.file_name().unwrap().to_string_lossy().contains(name));
    let mut found: Vec<_> = folders.flat_map(|folder| files(&folder)).filter(wanted).collect();
    found.sort();
    found.into_iter().filter_map(|path| read_setting(&path).map(|value| (path, value))).collect()
}

fn read_setting(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut value = [0; 64];
    let length = fs::File::open(path).ok()?.read(&mut value).ok()?;
    Some(value[..length].to_vec())
}

#[test]
fn an_interrupt_or_a_request_to_end_keeps_what_was_measured_and_marks_it() {
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let (tool, started) = start(&out);
        signal(tool.id(), name);
        let output = tool.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", message(&output));
        let run = stored(&out);
        assert!(run.interrupted && run.series.len() == 1 && run.series[0].done > 0, "{name}");
        assert!(all_gone(&started));
    }
}

#[test]
fn an_interrupt_at_any_moment_leaves_a_marked_run_or_none() {
    // The folder is made within the first tenth of a second.
    for delay_ms in (0..100).step_by(10).chain((100..1_500).step_by(150)) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let tool = backwall(&out).args(["--load", "spin", "--load", "none", "--for", "50s"]).begin();
        std::thread::sleep(Duration::from_millis(delay_ms));
        let started = children(tool.id());
        signal(tool.id(), "INT");
        let output = tool.wait_with_output().unwrap();
        match output.status.code() {
            Some(code) => assert!(code == 3 && stored(&out).interrupted, "after {delay_ms} ms: {}", message(&output)),
            // The signal came before anybody could catch it, and before there was a folder.
            None => assert!(!out.exists(), "after {delay_ms} ms"),
        }
        wait_until("the end of all processes", || all_gone(&started));
    }
}

#[test]
fn a_killed_tool_leaves_no_process_no_setting_and_at_most_a_checkpoint() {
    let before = settings();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut tool = backwall(&out).args(["--load", "spin", "--idle", "off", "--for", "50s"]).begin();
    wait_until("the probe's start", || children(tool.id()).iter().any(|child| child.name == "bw-wakeup"));
    let started = children(tool.id());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the end of all processes", || all_gone(&started));
    let left: Vec<String> = files(&out).iter().map(|file| file.file_name().unwrap().to_string_lossy().into()).collect();
    assert!(left.iter().all(|name| name.starts_with("checkpoint.json")), "{left:?}");
    assert_eq!(settings(), before);
}

// Hundreds of threads are one process, and end with the tool as that of any load.
#[test]
fn a_killed_tool_leaves_none_of_hundreds_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut tool = backwall(&out).args(["--load", "spin*200@20-60", "--for", "50s"]).begin();
    wait_until("the probe's start", || children(tool.id()).iter().any(|child| child.name == "bw-wakeup"));
    let started = children(tool.id());
    let load = started.iter().find(|child| child.name == "bw-spin").unwrap();
    assert_eq!(files(Path::new(&format!("/proc/{}/task", load.id))).len(), 201);
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the end of all processes", || all_gone(&started));
}

#[test]
fn a_tool_killed_while_it_traces_leaves_no_instance() {
    let folder = tempfile::tempdir().unwrap();
    let tool = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.current_dir(folder.path()).stderr(Stdio::piped());
        command
    };
    // Without the right to trace iltiming measures all the same; a recording is refused.
    if skipped("a_tool_killed_while_it_traces", &tool().args(["trace", "record", "--for", "10ms"]).output().unwrap()) {
        return;
    }
    let mut tool = tool().args(["bench", "iltiming", "-n", "100000"]).begin();
    wait_until("an instance", || !instances(tool.id()).is_empty());
    let owner = tool.id();
    tool.kill().unwrap();
    tool.wait_with_output().unwrap();
    wait_until("the end of the instance", || instances(owner).is_empty());
}

#[test]
fn a_killed_probe_ends_the_run_with_one_line_and_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (tool, started) = start(&out);
    signal(started.iter().find(|child| child.name == "bw-wakeup").unwrap().id, "KILL");
    let output = tool.wait_with_output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("load spin: the probe ended early: signal: 9"), "{line}");
    let run = stored(&out);
    assert!(run.interrupted && run.series[0].done > 0);
    assert!(all_gone(&started));
}

#[test]
fn a_killed_load_is_told_and_the_run_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let tool = backwall(&out).args(["--load", "spin", "--for", "2s"]).begin();
    wait_until("the probe's start", || children(tool.id()).iter().any(|child| child.name == "bw-wakeup"));
    let started = children(tool.id());
    signal(started.iter().find(|child| child.name == "bw-spin").unwrap().id, "KILL");
    let output = tool.wait_with_output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("load spin on CPU 0 ended early: signal: 9"), "{line}");
    let run = stored(&out);
    let phase = run.invalid.iter().find(|spoiled| spoiled.reason.contains("ended early"));
    assert!(!run.valid && phase.is_some_and(|spoiled| spoiled.phase.is_some()), "{:?}", run.invalid);
    assert!(all_gone(&started));
}

#[test]
fn a_probe_that_says_something_else_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let probe = stand_in(folder.path(), "echo 'hello there, this is no stream'");
    let output = backwall(&out).args(["--load", "none", "--probe"]).arg(probe).output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("record 0 at byte 0: not a probe stream"), "{line}");
    assert!(!out.exists());
}

#[test]
fn a_load_that_is_refused_keeps_what_was_measured_before() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let fake = backwall_runner::device::built::FAKE;
    let answers = format!("[ \"$1\" = load ] && {{ echo 'probe: no room' >&2; exit 4; }}\nexec '{fake}' \"$@\"");
    let file = folder.path().join("stand-in");
    script(&format!("#!/bin/sh\n{answers}\n"), &file);
    let mut command = backwall(&out);
    let output = command.args(["--load", "none", "--load", "spin", "--for", "600ms", "--probe"]).arg(file).output();
    let line = message(output.as_ref().unwrap());
    assert_eq!((output.unwrap().status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("load spin: load spin on CPU ") && line.ends_with(": no room\n"), "{line}");
    let run = stored(&out);
    assert!(run.interrupted && run.series.len() == 1 && run.series[0].key.load == "none");
}

#[test]
fn a_probe_that_hangs_is_ended_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let deaf = folder.path().join("deaf");
    let measure = format!("trap '' TERM INT; touch '{}'; while :; do sleep 1; done", deaf.display());
    let probe = stand_in(folder.path(), &measure);
    let tool = backwall(&out).args(["--load", "none", "--probe"]).arg(probe).begin();
    wait_until("the probe's deafness", || deaf.exists());
    let started = children(tool.id());
    signal(tool.id(), "INT");
    let output = tool.wait_with_output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("signal: 9"), "{line}");
    assert!(!out.exists() && all_gone(&started));
}

// The tool on a file system of `size`: its output and what it left. `None`, with the reason printed, if none can be made.
fn on_a_disk_of(size: &str) -> Option<(Output, String)> {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=$4 none \"$1\" || exit 77
\"$2\" run --probe \"$3\" --load none --for 600ms --output \"$1/run\"; code=$?; ls -A \"$1\" \"$1/run\" >&3 2>&1; exit $code";
    let listing = folder.path().join("listing");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &format!("exec 3>'{}'; {script}", listing.display()), "sh"]);
    command.arg(folder.path()).arg(env!("CARGO_BIN_EXE_backwall"));
    let output = command.arg(backwall_runner::device::built::FAKE).arg(size).output();
    let refused = output.as_ref().map_or(true, |output| [Some(77), Some(1)].contains(&output.status.code()));
    if refused {
        let reason = output.map_or_else(|error| error.to_string(), |output| message(&output));
        skip("a_full_disk", &format!("no small file system can be made here: {reason}"));
        return None;
    }
    Some((output.unwrap(), fs::read_to_string(listing).unwrap()))
}

#[test]
fn a_full_disk_is_told_in_one_line_and_leaves_nothing_that_looks_whole() {
    let Some((output, left)) = on_a_disk_of("12k") else { return };
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("No space left on device"), "{line}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("maximum "), "what was measured is printed");
    assert!(!left.contains("run.json") && !left.contains(".part"), "{left}");
}

#[test]
fn on_a_disk_with_room_for_one_file_it_is_the_run_and_not_the_page() {
    let Some((output, left)) = on_a_disk_of("150k") else { return };
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(
        line.contains("No space left on device") && line.contains("the run was stored, and backwall report"),
        "{line}"
    );
    assert!(left.contains("run.json") && !left.contains("report.html") && !left.contains(".part"), "{left}");
}

#[test]
fn a_full_device_as_standard_output_is_an_error_and_the_run_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["run", "--load", "none", "--for", "600ms", "--probe", backwall_runner::device::built::FAKE]);
    let output = command.arg("--output").arg(&out).stdout(full).output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("standard output: No space left on device"), "{line}");
    assert_eq!(stored(&out).series.len(), 1);
}

#[test]
fn a_response_above_the_limit_ends_the_run_with_1_and_it_is_not_called_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--load", "spin", "--for", "30s", "--stop-above", "1ns", "--require", "max < 1000s"];
    let output = backwall(&out).args(words).output().unwrap();
    let said = message(&output);
    if said.contains("cannot open the kernel's trace") {
        // Not by a print macro, whose text a passing test would swallow.
        skip("a_response_above_the_limit", &said);
        return;
    }
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(1), 2), "{said}");
    assert!(
        lines[0].starts_with("UNDECIDED 'max < 1000s': ")
            && lines[0].ends_with("was not measured before the run ended"),
        "{said}"
    );
    assert!(lines[1].starts_with("ended by --stop-above 0.0 us: a response took "), "{said}");
    let run = stored(&out);
    assert!(run.crossed() && run.ended_early() == Some("ended by --stop-above") && run.series.len() == 1);
    assert!(run.series[0].worst.iter().any(|worst| worst.blame.is_some()) && files(&out.join("trace")).len() == 1);
    let again = backwall(&out).args(words).arg("--resume").output().unwrap();
    let line = message(&again);
    assert_eq!((again.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("a response longer than --stop-above ended the run; name another folder"), "{line}");
}

fn with_word(word: &str) -> usize {
    let lines =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}

#[test]
fn a_killed_tool_leaves_nothing_of_the_users_own_load() {
    let folder = tempfile::tempdir().unwrap();
    let word = format!("own-load-{}", std::process::id());
    let own = format!("sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' {word} & wait");
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["run", "--best-effort", "--quiet", "--load", "none", "--for", "600ms", "--load-cmd", &own]);
    let mut tool = command.arg("--output").arg(folder.path().join("run")).begin();
    let begun = Instant::now();
    let patience = || assert!(begun.elapsed() < Duration::from_secs(300));
    let waiting = |id: u32| with_word(&word) > usize::from(Path::new(&format!("/proc/{id}/exe")).exists());
    while !waiting(tool.id()) {
        patience();
        std::thread::sleep(Duration::from_millis(5));
    }
    tool.kill().unwrap();
    tool.wait().unwrap();
    while with_word(&word) > 0 {
        patience();
        std::thread::sleep(Duration::from_millis(5));
    }
}

// The tests themselves: one that fails leaves no process, which would disturb all that come after it.
#[test]
fn a_test_that_fails_ends_what_it_has_begun() {
    let (tell, hear) = std::sync::mpsc::channel();
    let failed = std::thread::spawn(move || {
        let sleeper = Command::new("sleep").arg("600").begin();
        tell.send(sleeper.id()).unwrap();
        std::panic::resume_unwind(Box::new("as a failed assertion does"));
    });
    let sleeper = hear.recv().unwrap();
    assert!(failed.join().is_err());
    assert!(!Path::new(&format!("/proc/{sleeper}")).exists(), "it was killed and waited for");
}
