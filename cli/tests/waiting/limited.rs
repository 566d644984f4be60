// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limited machines: rights, memory, threads, room and files that are missing. Every command has a true result, or one line and its code.
use crate::copied::copied;
use crate::lacking::skip;
use backwall_model::Run;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

// Ends the script where the circumstances cannot be made.
const ABSENT: i32 = 77;
// Docker's default capabilities, and less: without these.
pub const CONTAINED: &str = "setpriv --bounding-set=-sys_nice,-sys_admin,-ipc_lock,-sys_resource \
    --inh-caps=-sys_nice,-sys_admin,-ipc_lock,-sys_resource --no-new-privs --";
pub const ORDINARY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs --";

pub fn under(test: &str, first: &str, script: &str) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    copied(env!("CARGO_BIN_EXE_backwall"), &folder.path().join("backwall"));
    let text = format!("{first} true || exit {ABSENT}; {script}");
    let output = Command::new("sh").args(["-c", &text]).current_dir(folder.path()).output().unwrap();
    if output.status.code() == Some(ABSENT) {
        skip(test, &format!("the circumstances cannot be made here: {}", message(&output).trim()));
        return None;
    }
    Some(output)
}

pub fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn run_of(output: &Output) -> Run {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", message(output)))
}

pub fn refused(output: &Output, said: &str) {
    let line = message(output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains(said), "{line}");
}

// In a container with Docker's rights and 64 KiB to lock: ordinary threads, one on each processor, with unlocked memory.
#[test]
fn in_a_plain_container_several_threads_are_measured_unlocked() {
    for memory in ["64", "8192"] {
        let words = "run --cpu all --load none --for 300ms --json --output run";
        let script = format!("ulimit -l {memory}; {CONTAINED} ./backwall {words}");
        let Some(output) = under("threads_in_a_plain_container", CONTAINED, &script) else { return };
        let run = run_of(&output);
        assert!(run.refused_priority.is_some(), "{:?}", run.warnings);
        assert!(run.series.iter().all(|series| series.done > 0) && !run.series.is_empty());
        let unlocked = run.warnings.iter().any(|warning| warning.text.contains("cannot lock memory"));
        assert!(unlocked || memory == "8192", "{:?}", run.warnings);
        // Others may measure on the same processors meanwhile: that is invalid, and ends with 3.
        let code = if run.valid { 0 } else { 3 };
        assert_eq!(output.status.code(), Some(code), "{}", message(&output));
    }
}

// 4 MiB to sweep the caches with are not the place to stop at a limit of 64 KiB.
#[test]
fn what_sweeps_the_caches_need_not_be_locked() {
    let script = "ulimit -l 64; setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock -- ./backwall bench iltiming -n 5 --json --output run";
    let first = "setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock --";
    let Some(output) = under("caches_unlocked", first, script) else { return };
    if crate::lacking::skipped("caches_unlocked", &output) {
        return;
    }
    let run = run_of(&output);
    assert!(run.series.iter().any(|series| series.done > 0), "{:?}", run.warnings);
}

#[test]
fn too_few_threads_are_one_line() {
    let as_another = "setpriv --reuid=64999 --regid=64999 --clear-groups --bounding-set=-all --no-new-privs --";
    // Not by the shell's own ulimit: Debian's knows no limit of processes.
    for most in 1..=12 {
        let words = "run -q --load spin --for 200ms --output run";
        let script = format!("exec {as_another} prlimit --nproc={most} -- ./backwall {words}");
        let Some(output) = under("too_few_threads", as_another, &script) else { return };
        let said = message(&output);
        match output.status.code() {
            Some(4) => assert!(said.lines().count() == 1 && said.contains("ulimit -u"), "{most}: {said}"),
            Some(0 | 3) if most > 1 => assert_eq!(said, "", "{most}"),
            code => panic!("{most}: {code:?} {said}"),
        }
    }
}

// How Rust's own runtime ends what it finds no room for, before the tool's first instruction.
const BEFORE_MAIN: &str = "fatal runtime error: initialization or cleanup bug";

// The C library's message when it kills a process that has no room for the end of thread-local data.
const IN_LIBRARY: &str = "Fatal glibc error: failed to register TLS destructor: out of memory";

fn with_memory(kibibytes: u32) -> Option<i32> {
    let words =
        format!("ulimit -v {kibibytes} && exec ./backwall run -q --load none --for 100ms --best-effort --output run");
    let output = under("too_little_memory", "", &words).unwrap();
    let said = message(&output);
    let has_begun = !said.contains(BEFORE_MAIN);
    assert!(!has_begun || !said.contains("panicked"), "{kibibytes} KiB: {said}");
    match output.status.code() {
        code @ Some(0 | 3) => code,
        Some(4) => {
            assert_eq!(said.lines().count(), 1, "{kibibytes} KiB: {said}");
            Some(4)
        }
        None if said.trim_end() == IN_LIBRARY => Some(4),
        Some(127) | None => None,
        code => panic!("{kibibytes} KiB: {code:?} {said}"),
    }
}

// There is one line for every memory limit, from the one where not even the loader and the runtime fit (127 or a signal) to the
// one where the command runs.
#[test]
fn too_little_memory_is_one_line() {
    // The most of memory at which it is still so, by halving.
    let last = |holds: fn(Option<i32>) -> bool, mut low: u32, mut high: u32| {
        while high - low > 500 {
            let middle = low.midpoint(high);
            *(if holds(with_memory(middle)) { &mut low } else { &mut high }) = middle;
        }
        low
    };
    let lacks = |code: Option<i32>| matches!(code, None | Some(4));
    assert!(lacks(with_memory(14_000)) && !lacks(with_memory(1_000_000)), "memory decides");
    let enough = last(lacks, 14_000, 1_000_000) + 500;
    let loaded = last(|code| code.is_none(), 8_000, enough) + 500;
    let between: Vec<u32> = (1..12).map(|part| loaded + (enough - loaded) / 12 * part).collect();
    for kibibytes in &between {
        assert!(with_memory(*kibibytes).is_some(), "{kibibytes} KiB of {between:?}: ended by a signal");
    }
    let refused = between.iter().filter(|kibibytes| with_memory(**kibibytes) == Some(4)).count();
    assert!(refused > 0, "no limit was met at which the tool itself runs out of memory: {between:?}");
}

#[test]
fn a_limit_of_file_sizes_is_named() {
    let output =
        under("limit_of_file_sizes", "", "ulimit -f 1 && exec ./backwall run --load none --for 200ms").unwrap();
    refused(&output, "ulimit -f");
    assert!(!message(&output).contains("memfd_noexec"), "{}", message(&output));
}

#[test]
fn a_capture_from_a_pipe_is_refused_at_once() {
    let script = "mkfifo pipe && exec ./backwall scope pipe --stimulus D0 --response app=D1";
    let output = under("a_capture_from_a_pipe", "", script).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("not a regular file"), "{}", message(&output));
}

// In a pod, the check first names the missing right and how a pod gets it.
#[test]
fn the_missing_right_comes_first_and_is_had_as_in_that_container() {
    let script = format!("KUBERNETES_SERVICE_HOST=10.0.0.1 {ORDINARY} ./backwall check");
    let Some(output) = under("the_missing_right_first", ORDINARY, &script) else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.split("do these three first:").nth(1).unwrap_or_else(|| panic!("{text}"));
    let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(first.starts_with("1. priority limit: in the pod's securityContext"), "{first}");
}

// What any user may know of an application: how long its threads waited for a CPU, and the command for the rest.
#[test]
fn without_root_a_watch_prints_run_delay_and_the_command_for_the_rest() {
    let script =
        format!("sleep 30 & p=$!; {ORDINARY} ./backwall watch $p -D 1s --every 500ms; code=$?; kill $p; exit $code");
    let Some(output) = under("watch_without_root", ORDINARY, &script) else { return };
    let (said, message) = (String::from_utf8_lossy(&output.stdout).into_owned(), message(&output));
    if message.contains("docker") {
        return skip("watch_without_root", "this is a container, where root alone does not help");
    }
    assert_eq!(output.status.code(), Some(0), "{said}{message}");
    assert!(message.contains("only how long the threads of") && message.contains("sudo backwall watch"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(said.contains(": 1 thread waited ") && said.contains(" for a CPU in "), "{said}");
}

// The last example of the help prints cyclictest's histogram, and nothing else there.
#[test]
fn quiet_with_a_histogram_prints_the_histogram() {
    let words = "run -t 1 -i 1000 -l 200 -q -h 50 --load none --best-effort --output run";
    let output = under("quiet_histogram", "", &format!("exec ./backwall {words}")).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", message(&output));
    assert!(said.lines().any(|line| line.starts_with("# Histogram")), "{said}{}", message(&output));
    assert!(said.lines().any(|line| line.starts_with("000000 ")), "{said}");
}

#[test]
fn one_processor_is_enough() {
    let first = "taskset -c 0";
    let words = "run --load none --for 500ms --best-effort --json --output run";
    let Some(output) = under("one_processor", first, &format!("{first} ./backwall {words}")) else { return };
    assert!(run_of(&output).series.iter().any(|series| series.done > 0), "{}", message(&output));
}

// One of two disk loads finds no room: the phase is measured with the others.
#[test]
fn a_load_without_room_costs_its_name() {
    let mounted = "unshare -m sh -c 'mount -t tmpfs none /mnt' &&";
    let words = "run --load disk+spin --for 1s --best-effort --json --output run";
    let script =
        format!("exec unshare -m sh -c 'mount -t tmpfs -o size=100k none /mnt && TMPDIR=/mnt exec ./backwall {words}'");
    let Some(output) = under("a_load_without_room", mounted, &script) else { return };
    let run = run_of(&output);
    assert!(run.series.iter().any(|series| series.done > 0), "{:?}", run.warnings);
    let missing = |warning: &&String| warning.contains("load disk was missing on CPU") && warning.contains("TMPDIR");
    assert!(run.warnings.iter().any(|warning| missing(&&warning.text)), "{:?}", run.warnings);
}
