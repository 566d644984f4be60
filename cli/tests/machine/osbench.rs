// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel operations on this machine: whatever they cost, every row accounts for what was due.
use crate::lacking::skipped;
use crate::operations::{osbench, rows};
use backwall_model::Run;
use std::fs;

#[test]
#[ignore = "make long"]
fn every_row_of_this_machine_accounts_for_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--all", "-n", "4", "--json", "--output", "run"]);
    if skipped("every_row_of_this_machine", &output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    let papers: Vec<u64> = rows(&run).iter().filter_map(|(row, _)| row.paper_row).collect();
    assert_eq!(papers, (1..=33).collect::<Vec<u64>>());
    for (row, series) in rows(&run) {
        assert_eq!((series.due, series.done + series.known_missed()), (Some(14), 14), "{}", row.test);
        assert!(row.void <= series.known_missed() && row.failure.is_none(), "{row:?}");
    }
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("What each operation costs") && !page.contains("id=\"figures-table\""));
}
