// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop that is measured: `backwall run` as a program of its own, so that what a trial measures is what a user would.
use crate::compare::Placed;
use crate::complaint::last_line;
use crate::exit::unable;
use crate::process::{self, Ended, Leash};
use crate::store;
use settings::trial::Side;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a slice may take longer than it was asked to measure: its start, its loads, its page.
const MARGIN: Duration = Duration::from_secs(120);
/// Codes with which a run ends that is on the disk: done, a requirement failed, undecided.
const MEASURED: [i32; 3] = [0, 1, 3];

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
        let errors = std::fs::File::create(&log)?;
        let mut leash = Leash::start(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors))?;
        let ended = process::finish(&mut leash, self.length + MARGIN, stop)?;
        match ended {
            Ended::Stopped => Ok(None),
            Ended::Itself(status) if status.code().is_some_and(|code| MEASURED.contains(&code)) => {
                let run = store::read(&place)?;
                let measured = !run.interrupted;
                Ok(measured.then(|| Placed { place: place.display().to_string(), run }))
            }
            _ => {
                let said = last_line(&std::fs::read(&log).unwrap_or_default());
                let said = said.unwrap_or_else(|| "it said nothing".to_string());
                Err(unable(format!("a slice of the trial of {name} did not measure: {said}")))
            }
        }
    }
}
