// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace report --rules`: verdicts, exit codes and mistakes.
use crate::recordings;
use crate::tool::tool_in as tool;
use serde_json::Value;
use std::path::Path;

fn judged(folder: &Path, rules: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("rules"), rules).unwrap();
    let output = tool(folder, &["trace", "report", "trace.dat", "--rules", "rules"]);
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[test]
fn each_rule_has_its_account_and_the_worst_outcome_is_the_exit_code() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let (code, said) = judged(home.path(), "after runs 15360 within 1ns runs nobody\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.starts_with("violated: after runs 15360 within 1ns runs nobody\n") && said.contains(" due: 0 kept"),
        "{said}"
    );
    let (code, said) = judged(home.path(), "after runs nobody within 1s runs 15360\n");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("undecided: the first event of the rule never occurred: "), "{said}");
    let output = tool(home.path(), &["trace", "report", "trace.dat", "--rules", "rules", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rules"][0]["due"], 0, "{json}");
}

#[test]
fn a_mistake_has_its_file_its_line_and_its_column() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let (code, said) = judged(home.path(), "# loop\nafter timer in 1ms timer\n");
    assert_eq!((code, said.as_str()), (Some(2), "backwall: rules: line 2, column 13: 'in': expected 'within'\n"));
}
