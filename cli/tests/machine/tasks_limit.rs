// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench events`: the result is a complete trial, on this machine and on Detent, however early it is stopped.
use crate::lacking::skipped;
use crate::task_sets::{read, text};
use crate::tool::{Begin, children, ended, wait_until};
use backwall_model::Series;
use backwall_model::units::Unit;
use std::process::Command;
use std::time::Duration;

#[test]
#[ignore = "make long"]
fn the_limit_of_events_is_found_stored_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["bench", "events", "--rounds", "2", "--wcet", "20us", "--json"]).current_dir(folder.path());
    let output = command.output().unwrap();
    if skipped("the_limit_of_events", &output) {
        return;
    }
    let run = read(&output);
    let limit = run.results.limit.unwrap();
    let (events, fails, spread) = (limit.events, limit.fails_at, limit.spread.unwrap());
    assert_eq!((limit.unit, limit.computation, spread.searches), (Unit::Ns, Some(20_000), 2));
    assert_eq!(spread.least, events, "of two searches the lower one stands for both");
    assert!(spread.most >= events && events <= 500, "500 times 20 us are the whole period");
    assert!(limit.switch > 0 && fails.is_none_or(|fails| fails > events), "{limit:?}");
    let sum = |of: fn(&Series) -> u64| run.series.iter().filter(|one| one.key.name == "response").map(of).sum::<u64>();
    let (due, missed) = (sum(|one| one.due.unwrap()), sum(|one| one.late.unwrap() + one.known_missed()));
    if events == 0 {
        assert_eq!((due, fails), (600, Some(20)), "the fewest, which this machine did not bear");
        assert!(missed * 100 > due);
    } else {
        assert_eq!(due, 30 * events, "the last trial that held, whole");
        assert!(missed * 100 <= due, "{missed} of {due}");
    }
}

#[test]
fn an_interrupted_search_says_so_and_takes_no_trial_that_was_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = 0;
    for after_ms in [0, 150, 1_100] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(["bench", "events", "--json"]).current_dir(folder.path());
        let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).begin();
        // Its first probe, or its end where the machine refuses.
        wait_until("the first trial", || !children(child.id()).is_empty() || ended(child.id()));
        std::thread::sleep(Duration::from_millis(after_ms));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        if skipped("an_interrupted_search", &output) {
            return;
        }
        let said = text(&output.stderr);
        if output.status.code() == Some(4) && said.contains("interrupted before the first trial") {
            told += 1;
            continue;
        }
        let run = read(&output);
        if !run.interrupted {
            continue; // it was quicker
        }
        told += 1;
        let due: u64 = run.series.iter().filter(|one| one.key.name == "response").map(|one| one.due.unwrap()).sum();
        match run.results.limit {
            Some(limit) => assert_eq!(due, 30 * limit.events, "a whole trial"),
            None => assert!(due <= 600, "part of the first one: {due}"),
        }
    }
    assert!(told > 0);
}
