// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop that is measured: `backwall run` as a program of its own, so that what a trial measures is what a user would.
use crate::trial::Side;
use exit::unable;
use judge::compare::Placed;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use system::itself::{self, Became};

/// What a slice may take longer than it was asked to measure: its start, its loads, its page.
const MARGIN: Duration = Duration::from_secs(120);

/// Measures slices, each a run in a folder of its own.
#[derive(Debug)]
pub struct Slices<'a> {
    /// The tool itself.
    pub tool: PathBuf,
    /// What a slice is called with behind `run`.
    pub words: Vec<String>,
    /// Where the runs go.
    pub folder: &'a Path,
    /// How long all phases of a slice measure.
    pub length: Duration,
    /// How many there were.
    pub count: usize,
}

impl Slices<'_> {
    /// One more; `None` when the user has asked to stop.
    ///
    /// # Errors
    /// One line when nothing was measured, with what the run said last.
    pub fn measure(&mut self, name: &str, side: Side, stop: &dyn Fn() -> bool) -> anyhow::Result<Option<Placed>> {
        self.count += 1;
        let word = if side == Side::With { "with" } else { "without" };
        let place = self.folder.join(format!("{:03}-{word}-{name}", self.count));
        let mut command = Command::new(&self.tool);
        command.arg("run").args(&self.words).arg("--quiet").arg("--out").arg(&place);
        let log = self.folder.join(format!("{:03}.log", self.count));
        match itself::run(&mut command, &log, self.length + MARGIN, stop)? {
            Became::Stopped => Ok(None),
            Became::OnDisk => {
                let run = store::read(&place)?;
                let measured = !run.interrupted;
                Ok(measured.then(|| Placed { place: place.display().to_string(), run }))
            }
            Became::Failed(said) => Err(unable(format!("a slice of the trial of {name} did not measure: {said}"))),
        }
    }
}
