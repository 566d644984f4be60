// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lehoczky 1990, example 3, with a tick of 1 ms: its run, and the responses of its jobs.
use crate::common::program::{of_repository, program};
use std::path::Path;
use std::process::{Command, Output};

const SET: &str = "docs/how-to/tasks/lehoczky-3.toml";
pub const RESPONSES: [u64; 7] = [114, 102, 116, 104, 118, 106, 94];
pub const TICK: u64 = 1_000_000;
pub const PERIOD: u64 = 100 * TICK;
// The release that the busy period does not meet: in theory it ends 6 ticks before.
pub const NEXT: u64 = 700 * TICK;

pub fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(["tasks", "run"]).arg(of_repository(SET)).args(["--json", "--keep-samples"]).args(words);
    command.current_dir(folder).output().unwrap()
}

pub fn responses(run: &Path) -> Vec<u64> {
    let jobs = std::fs::read_to_string(run.join("jobs.csv")).unwrap();
    let done = jobs.lines().filter(|line| line.starts_with("\"long\"") && line.ends_with(",done"));
    let response = |line: &str| {
        let cells: Vec<u64> = line.split(',').skip(2).take(4).map(|cell| cell.parse().unwrap()).collect();
        cells[3] - cells[0]
    };
    done.map(response).collect()
}
