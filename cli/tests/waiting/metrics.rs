// SPDX-License-Identifier: MIT OR Apache-2.0
//! Metrics of a run in progress, for other programs.
use crate::tool::{Begin, backwall, wait_until};

#[test]
fn metrics_are_there_while_the_run_goes_on_and_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backwall.prom");
    let mut command = backwall(&folder.path().join("run"));
    command.args(["--load", "none", "--for", "2s", "--checkpoint-every", "50ms", "--metrics"]).arg(&file);
    let tool = command.args(["--require", "max < 1000s"]).begin();
    wait_until("metrics", || file.exists());
    let going = std::fs::read_to_string(&file).unwrap();
    assert!(going.contains("backwall_run_unfinished 1\n"), "{going}");
    assert_eq!(tool.wait_with_output().unwrap().status.code(), Some(3));
    let end = std::fs::read_to_string(&file).unwrap();
    assert!(end.contains("backwall_run_unfinished 0\n") && end.contains("outcome=\"undecided\"} 1\n"), "{end}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing half-written stays");
}
