// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detent on arm64 as a guest of the bench: every answer takes the same number of instructions, and two runs give the same bytes.
//! Needs QEMU for arm64 and its compiler.
use crate::lab_bare::{latencies, machines, run};
use crate::lab_detent::{ROWS_OF_ONE_PROCESS, judged, operations};
use backwall_lab::bench::BenchRun;
use backwall_lab::machine::ARM64_VIRT;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;
use std::process::Command;

fn is_there(test: &str) -> bool {
    machines(test).any(|machine| machine == &ARM64_VIRT)
}

// How many instructions after its pulse each line answers. All answers of a line take the same number, and every pulse is
// answered.
fn constants(run: &BenchRun) -> [u64; 3] {
    let pulses = run.recording.edges.line("stimulus_a").expect("pulses").rises().count();
    ["isr", "ist", "app"].map(|line| {
        let found = latencies(run, "stimulus_a", line);
        let (instructions, answers) = found.first_key_value().expect("answers");
        assert_eq!((found.len(), *answers), (1, pulses as u64), "{line}: {found:?}");
        *instructions
    })
}

fn is_documented_compiler() -> bool {
    let version = Command::new("aarch64-linux-gnu-gcc").arg("-dumpversion").output();
    version.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).trim() == "12")
}

#[test]
fn detent_of_arm64_answers_each_pulse_after_as_many_instructions_and_twice_the_same() {
    if !is_there("detent_of_arm64_answers_each_pulse_after_as_many_instructions_and_twice_the_same") {
        return;
    }
    let scenario = shipped::find_only("detent-arm64").expect("it is shipped");
    let [first, second] = [(), ()].map(|()| run(&scenario));
    let edges = |run: &BenchRun| std::fs::read(run.edges_path()).expect("a run leaves its edges");
    assert!(edges(&first) == edges(&second), "two runs differ");
    let [isr, ist, app] = constants(&first);
    assert!(isr < ist && ist < app && app < 1_000, "{isr}, {ist}, {app}");
    if is_documented_compiler() {
        let said = format!("after {isr} (ISR), {ist} (IST) and {app} (APP) instructions");
        assert!(
            include_str!("../../../../docs/evidence/lab.md").contains(&said),
            "docs/evidence/lab.md does not say: {said}"
        );
    }
}

#[test]
fn the_lines_of_c_that_answer_on_linux_answer_on_detent_of_arm64() {
    if !is_there("the_lines_of_c_that_answer_on_linux_answer_on_detent_of_arm64") {
        return;
    }
    let [isr, ist, app] = constants(&run(&shipped::find_only("detent-bench-arm64").expect("it is shipped")));
    assert!(isr < ist && ist < app && app < 1_000, "{isr}, {ist}, {app}");
    if is_documented_compiler() {
        let said = format!("{isr}, {ist} and {app} where `detent-bench`");
        assert!(
            include_str!("../../../../docs/evidence/lab.md").contains(&said),
            "docs/evidence/lab.md does not say: {said}"
        );
    }
}

#[test]
fn polygons_beside_detent_of_arm64_costs_no_answer() {
    if !is_there("polygons_beside_detent_of_arm64_costs_no_answer") {
        return;
    }
    for name in ["detent-arm64-polygons", "detent-bench-arm64-polygons"] {
        let run = run(&shipped::find_only(name).expect("it is shipped"));
        let rises = |line| run.recording.edges.line(line).expect("the line moves").rises().count();
        let pulses = rises("stimulus_a");
        assert_eq!(["isr", "ist", "app"].map(rises), [pulses; 3], "{name}");
        assert!(rises("progress") > 0, "{name}: Polygons draws");
    }
}

#[test]
fn osbench_on_detent_of_arm64_measures_the_rows_that_it_measures_on_x86() {
    if !is_there("osbench_on_detent_of_arm64_measures_the_rows_that_it_measures_on_x86") {
        return;
    }
    let (_, run) = operations(&ARM64_VIRT, "detent-probe", "-all -n 5");
    assert_eq!(judged(&run, 7, is_documented_compiler()), ROWS_OF_ONE_PROCESS);
}

#[test]
fn osbench_as_processes_of_detent_of_arm64_measures_every_row_of_the_paper() {
    if !is_there("osbench_as_processes_of_detent_of_arm64_measures_every_row_of_the_paper") {
        return;
    }
    let (bench, run) = operations(&ARM64_VIRT, "detent-process", "-all -n 5");
    assert_eq!(judged(&run, 8, is_documented_compiler()), (1..=33).collect::<Vec<u64>>());
    assert!(!bench.console.contains("no second process"), "{}", bench.console);
}

#[test]
fn the_probe_says_the_same_twice_on_detent_of_arm64() {
    if !is_there("the_probe_says_the_same_twice_on_detent_of_arm64") {
        return;
    }
    let text = "about = 'test'\nmachine = 'arm64-virt'\nguest = 'detent-probe'\nstream = true\n\
                options = 'probe measure wakeup --count 200 --warmup 10'";
    let scenario = Scenario::parse("test", text).expect("a sound scenario");
    let streams = [(), ()].map(|()| std::fs::read(run(&scenario).channel_path()).expect("the stream"));
    assert!(streams[0].len() > 1_000 && streams[0] == streams[1], "{} bytes", streams[0].len());
}
