// SPDX-License-Identifier: MIT OR Apache-2.0
//! `lab = "bisect"` in a campaign finds the first bad guest of a list, in rounds whose units any engine may run. `lab = "diff"`
//! compares guests.
use super::lab_bisect::{SCENARIO, image, image_of};
use crate::common::program::programs;
use crate::tool::{message, tool_in};
use serde_json::Value;
use std::fs;
use std::path::Path;

const GUESTS: usize = 12;

// Twelve guests in order: those before `first` answer with their 5th instruction, the others with their 100th.
fn planned(first: usize, parts: usize) -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    image(5, folder);
    image(100, folder);
    let guest = |number: usize| {
        let name = format!("guest{number}");
        let same = if number < first { "answers-after-5" } else { "answers-after-100" };
        fs::copy(folder.join(same), folder.join(&name)).unwrap();
        format!("\"image:{}\"", folder.join(name).display())
    };
    let guests: Vec<String> = (0..GUESTS).map(guest).collect();
    fs::write(folder.join("test.toml"), format!("{SCENARIO}[limits]\ninstructions = 20_000_000\n")).unwrap();
    let text = format!(
        "[matrix]\nscenario = [\"test.toml\"]\nlab = \"bisect\"\nguest = [{}]\nparts = {parts}\n\
         require = [\"isr.max <= 50instructions\"]\n",
        guests.join(", ")
    );
    fs::write(folder.join("search.toml"), text).unwrap();
    top
}

fn campaign(folder: &Path, words: &[&str]) -> (Option<i32>, Value) {
    let output = tool_in(folder, &[&["lab", "batch"], words, &["--json", "--quiet"]].concat());
    let told = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    assert!(output.status.code().is_some_and(|code| code != 2 && code != 4), "{words:?}: {}", message(&output));
    (output.status.code(), told)
}

fn searched(folder: &Path) -> (Vec<u64>, Option<i32>, Value) {
    let mut rounds = Vec::new();
    loop {
        let (code, told) = campaign(folder, &["plan", "search.toml", "--output", "search"]);
        match told["units"].as_u64().unwrap() {
            0 => return (rounds, code, told),
            units => rounds.push(units),
        }
        // A plan requested before the round is done continues that round; no unit is planned twice.
        let (code, told) = campaign(folder, &["plan", "search.toml", "--output", "search"]);
        assert_eq!((code, &told["units"]), (Some(0), &Value::from(0)));
        let lines: Vec<String> = (1..=rounds.iter().sum()).map(|line: u64| line.to_string()).collect();
        // Runs one unit per call, as an engine does.
        lines.iter().for_each(|line| {
            campaign(folder, &["run", "search", "--units", line]);
        });
    }
}

#[test]
#[ignore = "make long"]
fn the_first_bad_guest_is_found_in_as_few_rounds_as_its_parts_allow() {
    let top = planned(7, 4);
    let (rounds, code, told) = searched(top.path());
    let [ref found] = told["searches"].as_array().unwrap()[..] else { panic!("{told:#}") };
    let among = found["first_bad_among"].as_array().unwrap();
    assert_eq!((code, among.len()), (Some(0), 1), "{told:#}");
    assert!(among[0].as_str().unwrap().ends_with("/guest7"), "{told:#}");
    assert_eq!(rounds, [5, 2], "both ends and three between; then the two that are left");
    let trials = found["trials"].as_array().unwrap();
    assert!(
        trials.iter().all(|trial| trial["because"].as_str().unwrap().contains("isr.max <= 50instructions")),
        "{told:#}"
    );

    let (code, merged) = campaign(top.path(), &["merge", "search"]);
    assert_eq!((code, &merged["searches"]), (Some(0), &told["searches"]));
    let text = tool_in(top.path(), &["lab", "batch", "merge", "search"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().last().unwrap().starts_with("first bad: ") && text.contains("\nbad      "), "{text}");

    // A requirement without a series to compare does not pass.
    let output = tool_in(top.path(), &["lab", "batch", "merge", "search", "--require", "isr.max <= 4instructions"]);
    assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
    assert!(message(&output).contains("matrix.require"), "{}", message(&output));

    // A different plan is refused in the folder of the first.
    let plan = fs::read_to_string(top.path().join("search.toml")).unwrap();
    fs::write(top.path().join("search.toml"), plan.replace("parts = 4", "parts = 5")).unwrap();
    let output = tool_in(top.path(), &["lab", "batch", "plan", "search.toml", "--output", "search"]);
    assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
    assert!(message(&output).contains("belongs to another plan"), "{}", message(&output));
}

#[test]
#[ignore = "make long"]
fn a_guest_that_does_not_come_up_is_skipped_and_told_and_the_search_goes_on() {
    let top = planned(7, 4);
    let folder = top.path();
    image_of("bare:silent-irq7", &folder.join("guest5"));
    let plan = ["plan", "search.toml", "--output", "search"];
    let mut rounds = Vec::new();
    let (code, told) = loop {
        let (code, told) = campaign(folder, &plan);
        match told["units"].as_u64().unwrap() {
            0 => break (code, told),
            units => rounds.push(units),
        }
        campaign(folder, &["run", "search"]);
    };
    let found = &told["searches"][0];
    assert_eq!((code, found["first_bad_among"].as_array().map(Vec::len)), (Some(0), Some(1)), "{told:#}");
    assert!(found["first_bad_among"][0].as_str().unwrap().ends_with("/guest7"), "{told:#}");
    assert_eq!(rounds, [5, 3, 1]);
    let is_silent = |trial: &&Value| trial["guest"].as_str().unwrap().ends_with("/guest5");
    let silent = found["trials"].as_array().unwrap().iter().find(is_silent).unwrap();
    assert_eq!(silent["verdict"], "skip", "{silent:#}");
    assert!(silent["because"].as_str().unwrap().starts_with("the guest was stopped at instruction"), "{silent:#}");
    let (code, again) = campaign(folder, &["run", "search", "--repeat", "100"]);
    assert_eq!((code, &again["failed"]), (Some(0), &Value::from(0)), "it is skipped again: {again:#}");
}

// Runs the loop of `docs/how-to/batch.md`, starting with a partly finished round.
#[test]
fn the_loop_of_the_document_comes_to_the_first_bad_guest() {
    let top = planned(3, 3);
    let folder = top.path();
    campaign(folder, &["plan", "search.toml", "--output", "search"]);
    campaign(folder, &["run", "search", "--units", "2"]);
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/batch.md")).unwrap();
    let line = document.lines().find(|line| line.starts_with("while backwall lab batch plan")).unwrap();
    let tool = programs();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line.replace("bisect.toml", "search.toml")]).env("PATH", path).current_dir(folder);
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.trim_end().ends_with("/guest3"), "{said}{}", message(&output));
}

#[test]
fn an_end_that_is_not_what_it_was_said_to_be_is_told() {
    let top = planned(0, 2);
    let folder = top.path();
    campaign(folder, &["plan", "search.toml", "--output", "search"]);
    campaign(folder, &["run", "search"]);
    let output = tool_in(folder, &["lab", "batch", "plan", "search.toml", "--output", "search"]);
    assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
    assert!(message(&output).contains("guest0 is the first guest and must be good, but fails"), "{}", message(&output));
    let merged = tool_in(folder, &["lab", "batch", "merge", "search"]);
    assert_eq!((merged.status.code(), message(&merged)), (Some(2), message(&output)), "merge says it too");
}

// Three guests that answer with their 5th, 100th and 5th instruction.
#[test]
#[ignore = "make long"]
fn pairs_of_guests_differ_by_what_their_functions_add_without_a_remainder() {
    let top = planned(7, 4);
    let folder = top.path();
    let guest = |number: usize| format!("\"image:{}\"", folder.join(format!("guest{number}")).display());
    let text = |pairs: &str| {
        let guests = [guest(0), guest(11), guest(1)].join(", ");
        format!("[matrix]\nscenario = [\"test.toml\"]\nlab = \"diff\"\nguest = [{guests}]\n{pairs}")
    };
    for (pairs, expected) in [("", &[95, -95][..]), ("pairs = \"all\"\n", &[95, 0, -95])] {
        fs::write(folder.join("pairs.toml"), text(pairs)).unwrap();
        let out = format!("pairs{}", expected.len());
        campaign(folder, &["plan", "pairs.toml", "--output", &out]);
        let (code, _) = campaign(folder, &["run", &out, "--units", "1"]);
        assert_eq!(code, Some(0));
        let (code, told) = campaign(folder, &["merge", &out]);
        assert_eq!((code, told["done"].as_u64().is_some_and(|done| done < expected.len() as u64)), (Some(3), true));
        campaign(folder, &["run", &out]);
        let (code, _) = campaign(folder, &["run", &out, "--repeat", "100"]);
        assert_eq!(code, Some(0), "the same comes again");
        let output = tool_in(folder, &["lab", "batch", "merge", &out, "--require", "missed == 0"]);
        assert_eq!((output.status.code(), message(&output).lines().count()), (Some(2), 1), "{}", message(&output));
        let (code, told) = campaign(folder, &["merge", &out]);
        let pairs = told["pairs"].as_array().unwrap();
        let differences: Vec<i64> = pairs.iter().map(|pair| pair["difference"].as_i64().unwrap()).collect();
        assert_eq!((code, &differences[..]), (Some(0), expected), "{told:#}");
        for pair in pairs {
            let terms = pair["terms"].as_array().unwrap();
            let sum: i64 = terms.iter().map(|term| term["difference"].as_i64().unwrap()).sum();
            assert_eq!((&pair["unexplained"], Some(sum)), (&Value::from(0), pair["difference"].as_i64()), "{pair:#}");
        }
    }
}
