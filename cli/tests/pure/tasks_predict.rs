// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict`: its table, its exit codes, the shipped sets, and what it refuses.
use crate::task_sets::terms_add_up;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SHIPPED: &[(&str, i32, &[&str])] = &[
    ("control.toml", 0, &["every deadline is met: 4 series on 1 CPU", "from arrival", "wake-up"]),
    ("lehoczky-3.toml", 0, &["reached by job 5 of its", "118 ms", "before its release"]),
    ("overload.toml", 1, &["a deadline can be missed: third, fourth", "third: unbounded: ", "117 %"]),
    ("earliest-first.toml", 0, &["every deadline is met: 2 series", "60 ms"]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/tasks")
}

fn predict(set: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).args(["tasks", "predict"]).arg(set).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

// The tests by utilization are about jobs that come at least a period apart; a Poisson series' do not.
#[test]
fn a_poisson_series_has_no_test_by_utilization_and_growth_is_looked_for_up_to_a_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("set.toml");
    let said = |when: &str| {
        let set = format!(
            "exceeded=0.9999\n[[series]]\nname=\"a\"\n{when}=\"7ms\"\ndeadline=\"7ms\"\ncomputation=\"1us\"\npriority=1\n"
        );
        std::fs::write(&file, set).unwrap();
        text(&predict(&file, &[]).stdout)
    };
    assert!(said("period").contains("Liu and Layland's test passes"), "{}", said("period"));
    assert!(said("period").contains("all computations 1000.000 times, or more"), "{}", said("period"));
    assert!(!said("mean").contains("Layland"), "{}", said("mean"));
}

#[test]
fn every_shipped_set_is_answered_in_80_columns_and_in_json() {
    let mut names: Vec<String> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut listed: Vec<&str> = SHIPPED.iter().map(|row| row.0).collect();
    listed.sort();
    assert_eq!(names, listed);
    for (name, code, says) in SHIPPED {
        let output = predict(&folder().join(name), &[]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(*code), "{name}: {said}{}", text(&output.stderr));
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        for part in *says {
            assert!(said.contains(part), "{name}: {part}: {said}");
        }
        let json: Value = serde_json::from_slice(&predict(&folder().join(name), &["--json"]).stdout).unwrap();
        assert_eq!(json["verdict"], if *code == 0 { "met" } else { "missed" }, "{name}");
        terms_add_up(&json);
    }
}

#[test]
fn what_the_system_costs_can_be_given_and_a_miss_exits_with_1() {
    let set = folder().join("lehoczky-3.toml");
    assert_eq!(predict(&set, &["--constants", "wakeup=2ms"]).status.code(), Some(0));
    let missed = predict(&set, &["--constants", "wakeup=2001us"]);
    assert_eq!(missed.status.code(), Some(1), "{}", text(&missed.stdout));
    assert!(text(&missed.stdout).contains("a deadline can be missed: long"), "{}", text(&missed.stdout));
}

const REFUSED: &[(&str, &str, &str)] = &[
    ("period = \"70ms\"", "period = \"70\"", "line 7: period: \"70\" is not a duration"),
    ("period = \"70ms\"", "periode = \"70ms\"", "line 7: periode: unknown field `periode`"),
    ("priority = 80", "priority = -1", "line 9: priority: invalid value: integer `-1`"),
    ("period = \"70ms\"", "", "series short: period: missing; a Poisson series has mean instead"),
    ("computation = \"26ms\"", "computation = \"0s\"", "series short: computation: expected a time above 0"),
    ("name = \"short\"", "name = \"long\"", "series: name: duplicate \"long\""),
    (
        "priority = 80",
        "priority = 80\nsection = [{ lock = \"bus\", length = \"1ms\" }]",
        "lock bus: no [[lock]] has this name",
    ),
    ("priority = 80", "policy = \"deadline\"\npriority = 3", "priority: leave it out with policy = \"deadline\""),
    ("priority = 80", "priority = 80\ncpu = 1", "series long: cpu: missing, although there are several CPUs"),
    ("about", "constants = { swich-in = \"1us\" }\nabout", "swich-in: unknown constant; expected one of switch-in, "),
];

#[test]
fn a_bad_set_gets_one_line_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string(folder().join("lehoczky-3.toml")).unwrap();
    for (from, to, says) in REFUSED {
        let place = home.path().join("set.toml");
        std::fs::write(&place, good.replacen(from, to, 1)).unwrap();
        let output = predict(&place, &[]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{to}: {said}{}", text(&output.stdout));
        assert!(said.contains(says) && said.contains("set.toml: "), "{says}: {said}");
    }
    for (words, says) in [
        ("wakeup", "expected RUN, here, detent or NAME=TIME"),
        ("wakeup=3", "is not a duration"),
        ("wake=3us", "unknown constant"),
    ] {
        let said = text(&predict(&folder().join("control.toml"), &["--constants", words]).stderr);
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
    }
}

/// A device's interrupt of 10 us each 200 us, a servo of 30 us each 1 ms above a filter of 100 us each 2 ms; nothing else.
fn recording() -> String {
    let idle = ("swapper/1", 0, 120);
    let (servo, filter) = (("bw-servo", 7, 9), ("filter", 8, 49));
    let mut rows: Vec<(u64, String, String)> = Vec::new();
    let mut row = |at_us: u64, (name, id, _): (&str, i32, i32), event: String| {
        let name = if id == 0 { "<idle>" } else { name };
        rows.push((at_us, format!("{name}-{id}"), event));
    };
    let switch = |from: (&str, i32, i32), state: &str, to: (&str, i32, i32)| {
        format!(
            "sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state={state} ==> next_comm={} next_pid={} next_prio={}",
            from.0, from.1, from.2, to.0, to.1, to.2
        )
    };
    let waking = |(name, id, priority): (&str, i32, i32)| {
        format!("sched_waking: comm={name} pid={id} prio={priority} target_cpu=001")
    };
    for (at, thread) in [(100, servo), (110, filter)] {
        row(at, idle, switch(idle, "R", thread));
        row(at + 5, thread, switch(thread, "S", idle));
    }
    for cycle in 1..40 {
        let at = cycle * 2_000;
        row(at, idle, waking(servo));
        row(at, idle, waking(filter));
        row(at, idle, switch(idle, "R", servo));
        row(at + 30, servo, switch(servo, "S", filter));
        row(at + 50, filter, "irq_handler_entry: irq=9 name=eth0".to_string());
        row(at + 60, filter, "irq_handler_exit: irq=9 ret=handled".to_string());
        row(at + 140, filter, switch(filter, "S", idle));
        row(at + 1_000, idle, waking(servo));
        row(at + 1_000, idle, switch(idle, "R", servo));
        row(at + 1_030, servo, switch(servo, "S", idle));
    }
    let line =
        |(at_us, thread, event): &(u64, String, String)| format!("  {thread} [001] d..2.  10.{at_us:06}: {event}\n");
    format!("# tracer: nop\n#\n{}", rows.iter().map(line).collect::<String>())
}

fn predicted(words: &[&str]) -> (Option<i32>, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trace.txt"), recording()).unwrap();
    let set = "[[series]]\nname='servo'\nperiod='1ms'\ncomputation='20us'\npriority=90\ncpu=0\n\
               [[series]]\nname='log'\nperiod='10ms'\ncomputation='1ms'\npriority=10\ncpu=0\n\
               [[chain]]\nname='loop'\nseries=['servo','log']\ndeadline='15ms'\n";
    std::fs::write(folder.path().join("set.toml"), set).unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(["tasks", "predict"]).args(words).args(more).current_dir(folder.path()).output().unwrap()
    };
    let (output, json) = (run(&[]), run(&["--json"]));
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), serde_json::from_slice(&json.stdout).unwrap_or(Value::Null), said)
}

#[test]
fn a_recordings_own_threads_are_predicted_next_to_what_was_measured() {
    let (code, json, said) = predicted(&["--from", "trace.txt"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("predicted from a recording, not a bound: "), "{said}");
    let tasks = &json["cpus"][0]["tasks"];
    let figures = |name: &str| {
        let task = tasks.as_array().unwrap().iter().find(|task| task["name"] == name).unwrap().clone();
        [task["predicted_ns"].as_u64(), task["measured"]["longest_ns"].as_u64()].map(Option::unwrap)
    };
    assert_eq!(figures("bw-servo"), [40_000, 30_000], "one interrupt may come at any time");
    assert_eq!(figures("filter"), [140_000, 140_000], "the servo, an interrupt, and its own 100 us");
    assert_eq!(json["is_bound"], false);
    assert_eq!(json["cpus"][0]["sources"][0]["curve"]["most"], 1);
    assert!(said.contains("predicted / measured: 1.33 at the median"), "{said}");
    assert!(said.contains("with 95 % confidence, in at most 1 of 188 windows of this length"), "{said}");
}

#[test]
fn a_set_is_predicted_beside_a_recording_and_its_chain_is_bounded() {
    let (code, json, said) = predicted(&["set.toml", "--from", "trace.txt"]);
    assert_eq!(code, Some(0), "{said}");
    let series = &json["prediction"]["processors"][0]["series"];
    assert_eq!(series[0]["from_nominal_ns"], 40_000, "30 us, as recorded, and an interrupt");
    let log = series[1]["from_nominal_ns"].as_u64().unwrap();
    assert_eq!(log, 1_000_000 + 2 * 30_000 + 100_000 + 10_000, "two of the servo, the filter, an interrupt");
    assert_eq!(json["recording"]["cpus"][0]["tasks"][0]["measured"]["longest_ns"], 30_000);
    let chain = &json["prediction"]["chains"][0];
    assert_eq!(chain["reaction_ns"].as_u64(), Some(1_000_000 + log + 10_000_000), "{chain}");
    assert_eq!(chain["age_ns"].as_u64(), Some(log + 1_000_000), "{chain}");
    assert!(
        said.contains(
            "chain loop: button to action within 12.17 ms, data age within 2,170 us, deadline\n  15 ms: met\n"
        ),
        "{said}"
    );
}

#[test]
fn what_a_prediction_lacks_is_one_line() {
    let (code, _, said) = predicted(&["set.toml", "--from", "trace.txt", "--cpu", "3"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no events of CPU 3; name a CPU of the recording with --cpu: 1"), "{said}");
    let (code, _, said) = predicted(&["set.toml", "--cpu", "1"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, _, said) = predicted(&[]);
    assert_eq!(code, Some(2), "{said}");
}
