// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool reads everything that the bench writes: each shipped scenario whose guest writes to the byte channel and needs no
//! fetched kernel is run, drawn again, exported and compared. Needs QEMU.
use crate::tool::tool_in;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;
use std::path::Path;

fn done(folder: &Path, words: &[&str]) {
    let output = tool_in(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

// The names of the scenarios with a stream, without those of Linux.
fn speaking() -> Vec<String> {
    let all = shipped::all().map(|scenario| scenario.expect("a shipped scenario"));
    let speaks = |scenario: &Scenario| scenario.stream && !scenario.guest.to_string().starts_with("linux");
    all.filter(speaks).map(|scenario| scenario.name).collect()
}

#[test]
#[ignore = "make long"]
fn a_run_of_a_guest_that_speaks_is_read_drawn_exported_and_compared() {
    let names = speaking();
    assert!(names.len() >= 4, "the byte channel's scenarios are among the shipped: {names:?}");
    let folder = tempfile::tempdir().unwrap();
    for name in &names {
        done(folder.path(), &["lab", "run", name, "--output", name]);
        done(folder.path(), &["report", name]);
        done(folder.path(), &["export", "csv", name]);
        done(folder.path(), &["compare", name, "--", name]);
    }
}

#[test]
fn a_group_of_such_runs_leaves_a_page_of_all() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["lab", "run", "detent-wakeup", "detent", "--output", "two"]);
    assert!(folder.path().join("two/report.html").is_file(), "the page of all");
}
