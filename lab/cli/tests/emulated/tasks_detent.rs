// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets on Detent, where every figure is a number of instructions: predictions, and the limit of events.
use crate::common::program::program;
use crate::lacking::skipped;
use crate::lehoczky::{RESPONSES, TICK, responses, run};
use crate::task_sets::{bounded, closes, read, task_set, text};
use backwall_model::units::Unit;
use std::fs;
use std::process::Command;

// Predicted with the kernel's measured constants and the release instants that were drawn: each bound holds and is at most half
// as large again as the response.
#[test]
fn on_detent_no_response_of_a_shipped_set_is_later_than_predicted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, length, tasks) in [("overload", "900ms", 2), ("control", "3s", 4)] {
        let set = format!("{}/../../docs/how-to/tasks/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(program());
        command.args(["tasks", "run", &set, "--guest", "detent-probe", "--json", "--for", length]);
        let output = command.current_dir(folder.path()).output().unwrap();
        if skipped("on_detent_no_response", &output) {
            return;
        }
        let run = read(&output);
        closes(&run);
        assert_eq!(bounded(&run), tasks, "{name}");
    }
}

// On the bench one instruction counts as a nanosecond in the rules, but no figure is printed as a time.
#[test]
#[ignore = "make long"]
fn on_detent_the_limit_of_events_is_found_in_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let limit = |guest: &str| {
        let mut command = Command::new(program());
        command.args(["bench", "events", "--guest", guest, "--json", "--output", "run"]);
        command.current_dir(folder.path()).output().unwrap()
    };
    let refused = limit("linux:stock");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("task sets run on detent-probe"), "{}", text(&refused.stderr));
    let output = limit("detent-probe");
    if skipped("the_limit_of_events_on_detent", &output) {
        return;
    }
    let run = read(&output);
    let limit = run.results.limit.unwrap();
    let (events, fails) = (limit.events, limit.fails_at.unwrap());
    assert!(0 < events && events < fails && fails - events <= events / 50 + 1, "{limit:?}");
    assert_eq!(limit.calculated, 10_000_000 / (2 * limit.switch + limit.computation.unwrap()));
    assert_eq!((limit.period, limit.unit), (10_000_000, backwall_model::units::Unit::Instructions));
    assert!(run.series.iter().all(|one| one.unit == backwall_model::units::Unit::Instructions));
    let responses = || run.series.iter().filter(|one| one.key.name == "response");
    let due: u64 = responses().map(|one| one.due.unwrap()).sum();
    let missed: u64 = responses().map(|one| one.late.unwrap() + one.known_missed()).sum();
    assert_eq!(due, 10 * events, "the last trial that held, whole");
    assert!(missed * 100 <= due, "{missed} of {due}");
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("id=\"figure-5\"") && page.contains("events in 10,000,000 instructions"));
}

// In executed instructions, a million per tick. Ticks, switches and clock readings add far less than the difference between two
// responses.
#[test]
fn on_detent_the_worst_job_of_lehoczkys_example_is_the_fifth_with_118() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--guest", "detent-probe", "--output", "run"]);
    if skipped("lehoczky_on_detent", &output) {
        return;
    }
    let run = read(&output);
    closes(&run);
    let tasks = &task_set(&run).tasks;
    assert_eq!(tasks.iter().map(|task| task.fates.on_time).collect::<Vec<_>>(), [10, 7]);
    let found: Vec<u64> = responses(&folder.path().join("run")).iter().map(|response| response / TICK).collect();
    assert_eq!(found, RESPONSES);
    let worst = run.series.iter().find(|one| one.key.name == "response" && one.key.variant["task"] == "long").unwrap();
    assert_eq!((worst.worst[0].seq, worst.unit), (4, Unit::Instructions));
    assert_eq!(bounded(&run), 2);
}
