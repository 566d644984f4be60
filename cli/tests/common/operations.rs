// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench osbench` as the tests run it, and the rows of its table.
use crate::common::program::program;
use backwall_model::picture::{Operation, Operations};
use backwall_model::{Picture, Run, Series};
use std::path::Path;
use std::process::{Command, Output};

pub fn osbench(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(["bench", "osbench"]).args(words).current_dir(folder).output().unwrap()
}

pub fn rows(run: &Run) -> Vec<(&Operation, &Series)> {
    let Some(Picture::Operations(Operations { rows, .. })) = run.pictures.first() else { panic!("{:?}", run.pictures) };
    let series = |row: &Operation| run.series.iter().find(|one| one.key.variant["test"] == row.test).unwrap();
    rows.iter().map(|row| (row, series(row))).collect()
}
