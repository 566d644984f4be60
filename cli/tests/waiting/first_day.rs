// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where people try the tool first, and what it lacks there: each has a true result, or one line that says how it is had.
//!
//! | what is lacking | test |
//! |---|---|
//! | rights of an ordinary user: `run`, with `--best-effort`, `iltiming`, `track`, `osbench` | `rights` |
//! | the same: `check`, and in a pod | `limited::the_missing_right_comes_first_and_is_had_as_in_that_container` |
//! | the same: `--attach`; all that needs no right | here |
//! | a file capability in place of root | `capabilities` |
//! | a container's rights; several threads there; with the one right that matters; causes | `limited`, here |
//! | `osbench` without rights, once and not a row | here |
//! | all processors but one; room in TMPDIR; memory; threads | `limited` |
//! | QEMU; the network; HOME; a folder to write into | here |
//! | a disk with room | `endings` |
//! | apt-get; a Rust that is new enough | `tools/test_install.sh` |
use crate::lacking::skipped;
use crate::limited::{CONTAINED, ORDINARY, message, refused, run_of, under};
use std::process::Output;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// With the code of what the machine cannot do, and this in the last line.
fn ends(output: &Output, said: &str) {
    let lines = message(output);
    assert_eq!(output.status.code(), Some(4), "{lines}");
    assert!(lines.lines().last().is_some_and(|line| line.contains(said)), "{lines}");
}

#[test]
fn attaching_without_rights_is_one_line() {
    let script = format!("{ORDINARY} sh -c './backwall run --attach $$ --for 1s; exit $?'");
    let Some(output) = under("attaching_without_rights", ORDINARY, &script) else { return };
    refused(&output, "the kernel's trace");
}

/// What is computed from files is for everybody.
#[test]
fn what_needs_no_right_works_for_an_ordinary_user() {
    let dump = "$timescale 1 ns $end $var wire 1 a D0 $end $var wire 1 b D1 $end $enddefinitions $end \
        #0 0a 0b #10 1a #15 1b #20 0a 0b #30 1a #37 1b #40 0a 0b #50"
        .replace('$', "\\$");
    let steps = [
        format!("./backwall import {REPOSITORY}/crates/formats/tests/data/cyclictest_H.txt -q --out imported"),
        "./backwall report imported -q".to_string(),
        "./backwall compare -q imported -- imported || [ $? = 3 ]".to_string(),
        "./backwall export csv imported -o figures.csv && [ -s figures.csv ]".to_string(),
        format!("./backwall tasks predict {REPOSITORY}/docs/tasks/control.toml >predicted || [ $? = 1 ]"),
        format!("echo '{dump}' >dump.vcd && ./backwall scope dump.vcd --stimulus D0 --response app=D1 -q --out scoped"),
        "./backwall lab list >listed".to_string(),
    ];
    let script = format!("{ORDINARY} sh -ec '{}'", steps.map(|step| step.replace('\'', "\"")).join("\n"));
    let Some(output) = under("without_any_right", ORDINARY, &script) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
}

/// `docker run --cap-add SYS_NICE`: real-time threads, unlocked memory, no causes.
#[test]
fn with_the_one_right_a_container_measures_real_time_threads() {
    let first = "unshare -m setpriv --bounding-set=-sys_admin,-ipc_lock,-sys_resource \
        --inh-caps=-sys_admin,-ipc_lock,-sys_resource --no-new-privs --";
    let hidden = "mount -t tmpfs none /sys/kernel";
    let script = format!(
        "ulimit -l 64; exec unshare -m sh -c '{hidden} && exec {} ./backwall run --load none --for 300ms --json --out run'",
        first.trim_start_matches("unshare -m ")
    );
    let Some(output) = under("a_container_with_sys_nice", &format!("unshare -m sh -c '{hidden}' && {first}"), &script)
    else {
        return;
    };
    let run = run_of(&output);
    assert!(run.refused_priority.is_none() && run.plan.priority > Some(0), "{:?}", run.plan.priority);
    assert!(run.series[0].done > 0 && run.stages.is_empty());
    assert_eq!(output.status.code(), Some(if run.valid { 0 } else { 3 }), "{}", message(&output));
}

/// What is true of every row is said once, with how many say it. Each of these has one thread: where there are two, each asks for a
/// priority of its own, and which of the two refusals is told is chance.
#[test]
fn a_right_that_every_row_lacks_is_told_once() {
    let script =
        format!("ulimit -l 64; {CONTAINED} ./backwall osbench -t 6.00 -t 6.01 -t 6.02 -n 20 --best-effort --json");
    let Some(output) = under("told_once", CONTAINED, &script) else { return };
    let run = run_of(&output);
    let refusals: Vec<_> = run.warnings.iter().filter(|warning| warning.text.contains("real-time priority")).collect();
    assert!(refusals.len() == 1 && refusals[0].to_string().contains("of 3 rows: "), "{:?}", run.warnings);
}

#[test]
fn without_an_emulator_the_lab_names_its_package() {
    let output = under("no_emulator", "", "PATH=/nonexistent exec ./backwall lab run bare-answer").unwrap();
    refused(&output, "qemu-system-x86");
}

/// Neither the tool nor the packages' own program waits for a network that is not there.
#[test]
fn without_a_network_kernels_that_were_never_fetched_are_one_line() {
    let script = "XDG_CACHE_HOME=$PWD/cache exec unshare -n ./backwall lab run linux-stock";
    let Some(output) = under("no_network", "unshare -n", script) else { return };
    if !skipped("no_network", &output) {
        ends(&output, "is there a network?");
    }
}

/// A home that is not there is not made.
#[test]
fn without_a_home_what_needs_none_runs_and_none_is_made() {
    let script = "env -u XDG_CACHE_HOME HOME=$PWD/absent ./backwall lab run bare-answer -q --out run; \
        code=$?; [ ! -e absent ] || exit 9; exit $code";
    let output = under("no_home", "", script).unwrap();
    if !skipped("no_home", &output) {
        assert!(matches!(output.status.code(), Some(0 | 3)), "{:?} {}", output.status, message(&output));
    }
    let output = under("no_home", "", "env -u HOME -u XDG_CACHE_HOME ./backwall lab run linux-stock").unwrap();
    if !skipped("no_home", &output) {
        ends(&output, "set XDG_CACHE_HOME or HOME");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named_before_anything_is_measured() {
    let script = format!("mkdir closed && chmod 555 closed && cd closed && exec {ORDINARY} ../backwall run --for 1h");
    let Some(output) = under("a_closed_folder", ORDINARY, &script) else { return };
    refused(&output, "--out");
}
