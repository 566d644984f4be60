// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where people try the tool first, and what it lacks there: each has a true result, or one line that says how it is had.
//!
//! | what is lacking | test |
//! |---|---|
//! | rights of an ordinary user: `run`, with `--best-effort`, `iltiming`, `trace record`, `osbench` | `rights` |
//! | the same: `check`, and in a pod | `limited::the_missing_right_comes_first_and_is_had_as_in_that_container` |
//! | the same: `watch`; all that needs no right | here |
//! | a file capability in place of root | `capabilities` |
//! | a container's rights; several threads there; with the one right that matters; causes | `limited`, here |
//! | `osbench` without rights, once and not a row | here |
//! | all processors but one; room in TMPDIR; memory; threads | `limited` |
//! | a folder to write into | here |
//! | QEMU; the network; HOME | `lab/cli/tests/emulated/first_day.rs` |
//! | a disk with room | `endings` |
//! | apt-get; a Rust that is new enough | `tools/test_install.sh` |
use crate::limited::{CONTAINED, ORDINARY, message, refused, run_of, under};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn attaching_without_rights_is_one_line() {
    let script = format!("{ORDINARY} sh -c './backwall watch $$ -D 1s; exit $?'");
    let Some(output) = under("attaching_without_rights", ORDINARY, &script) else { return };
    let lines = message(&output);
    assert_eq!(output.status.code(), Some(4), "{lines}");
    assert_eq!(lines.matches("the kernel's trace").count(), 1, "{lines}");
}

#[test]
fn what_needs_no_right_works_for_an_ordinary_user() {
    let dump = "$timescale 1 ns $end $var wire 1 a D0 $end $var wire 1 b D1 $end $enddefinitions $end \
        #0 0a 0b #10 1a #15 1b #20 0a 0b #30 1a #37 1b #40 0a 0b #50"
        .replace('$', "\\$");
    let steps = [
        format!(
            "./backwall import {REPOSITORY}/crates/formats/tests/data/cyclictest-histogram/cyclictest_H.txt -q --output imported"
        ),
        "./backwall report imported -q".to_string(),
        "./backwall compare -q imported -- imported || [ $? = 3 ]".to_string(),
        "./backwall export csv imported -o figures.csv && [ -s figures.csv ]".to_string(),
        format!("./backwall tasks predict {REPOSITORY}/docs/how-to/tasks/control.toml >predicted || [ $? = 1 ]"),
        format!(
            "echo '{dump}' >dump.vcd && ./backwall scope dump.vcd --stimulus D0 --response app=D1 -q --output scoped"
        ),
    ];
    let script = format!("{ORDINARY} sh -ec '{}'", steps.map(|step| step.replace('\'', "\"")).join("\n"));
    let Some(output) = under("without_any_right", ORDINARY, &script) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
}

#[test]
fn with_the_one_right_a_container_measures_real_time_threads() {
    let first = "unshare -m setpriv --bounding-set=-sys_admin,-ipc_lock,-sys_resource \
        --inh-caps=-sys_admin,-ipc_lock,-sys_resource --no-new-privs --";
    let hidden = "mount -t tmpfs none /sys/kernel";
    let script = format!(
        "ulimit -l 64; exec unshare -m sh -c '{hidden} && exec {} ./backwall run --load none --for 300ms --json --output run'",
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

// What holds for every row is printed once, with the number of rows. Each of these has one thread: with two, each requests its
// own priority, and which of the two refusals is printed is chance.
#[test]
fn a_right_that_every_row_lacks_is_told_once() {
    let script = format!(
        "ulimit -l 64; {CONTAINED} ./backwall bench osbench -t 6.00 -t 6.01 -t 6.02 -n 20 --best-effort --json"
    );
    let Some(output) = under("told_once", CONTAINED, &script) else { return };
    let run = run_of(&output);
    let refusals: Vec<_> = run.warnings.iter().filter(|warning| warning.text.contains("real-time priority")).collect();
    assert!(refusals.len() == 1 && refusals[0].to_string().contains("of 3 rows: "), "{:?}", run.warnings);
}

#[test]
fn a_folder_that_cannot_be_written_is_named_before_anything_is_measured() {
    let script = format!("mkdir closed && chmod 555 closed && cd closed && exec {ORDINARY} ../backwall run --for 1h");
    let Some(output) = under("a_closed_folder", ORDINARY, &script) else { return };
    refused(&output, "--output");
}
