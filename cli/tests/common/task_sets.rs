// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks as the tests run them, and what holds of every run of one.
use crate::common::lacking::skipped;
use crate::common::program::program;
use crate::common::tool::code_of;
use backwall_model::picture::TaskSet;
use backwall_model::{Picture, Run, Series};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

pub const FAKE: &str = backwall_runner::device::built::FAKE;

pub fn run(folder: &Path, set: &str, words: &[&str]) -> Output {
    fs::write(folder.join("set.toml"), set).unwrap();
    let mut command = Command::new(program());
    command.args(["tasks", "run", "set.toml"]).args(words).current_dir(folder).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_string()
}

pub fn read(output: &Output) -> Run {
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), code_of(&run), "{}", text(&output.stderr));
    run
}

pub fn task_set(run: &Run) -> &TaskSet {
    let found = run.pictures.iter().find_map(|picture| match picture {
        Picture::TaskSet(set) => Some(set),
        _ => None,
    });
    found.unwrap()
}

pub fn series<'a>(run: &'a Run, name: &str) -> &'a Series {
    run.series.iter().find(|series| series.key.name == name).unwrap()
}

pub fn one(period: &str, computation: &str, more: &str) -> String {
    let series =
        format!("[[series]]\nname = \"a\"\nperiod = \"{period}\"\ncomputation = \"{computation}\"\npriority = 10\n");
    format!("duration = \"10ms\"\n{more}\n{series}")
}

pub fn real(folder: &Path, test: &str, set: &str, words: &[&str]) -> Option<Run> {
    let output = run(folder, set, &[&["--json", "--work", "cpu-time"], words].concat());
    (!skipped(test, &output)).then(|| read(&output))
}

pub fn closes(run: &Run) {
    for task in &task_set(run).tasks {
        assert!(task.fates.closes(), "{task:?}");
        let of_task = run.series.iter().filter(|series| series.key.variant["task"] == task.name);
        let due: Vec<_> = of_task.map(|series| series.due).collect();
        assert_eq!(due, [Some(task.fates.nominal); 3], "{}", task.name);
    }
}

// Bounded tasks; none was later than its bound, and none a third earlier.
pub fn bounded(run: &Run) -> usize {
    let mut found = 0;
    for task in &task_set(run).tasks {
        let Some(bound) = task.predicted.as_ref().unwrap().bound else { continue };
        let of_task = |one: &&Series| one.key.name == "response" && one.key.variant["task"] == task.name;
        let measured = run.series.iter().find(of_task).unwrap().max.unwrap();
        assert!(measured <= bound, "{}: {measured} of {bound}", task.name);
        assert!(bound * 2 <= measured * 3, "{}: {measured} of {bound}", task.name);
        found += 1;
    }
    found
}

pub fn terms_add_up(json: &Value) {
    let processors = json["processors"].as_array().unwrap();
    let all = processors.iter().flat_map(|processor| processor["series"].as_array().unwrap());
    for series in all.filter(|series| series["from_nominal_ns"].is_u64()) {
        let sum: u64 = series["terms"].as_array().unwrap().iter().map(|term| term["total_ns"].as_u64().unwrap()).sum();
        let response = series["from_nominal_ns"].as_u64().unwrap();
        assert_eq!(sum, response + series["before_release_ns"].as_u64().unwrap(), "{series}");
    }
}
