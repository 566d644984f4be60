// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measured loop: `backwall run` or `backwall watch` as a separate program, so that a trial measures what a user would
//! measure.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use crate::settings::machine::Machine;
use crate::settings::trial::Side;
use backwall_judge::compare::PlacedRun;
use backwall_os::itself::{self, Became};
use backwall_os::refusal::{Result, unable};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LOG: &str = "log";
/// Extra time that a slice may take, for its start, its loads and its page.
const MARGIN: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub struct Slices<'a> {
    tool: PathBuf,
    words: Vec<String>,
    folder: &'a Path,
    length: Duration,
    count: usize,
}

impl<'a> Slices<'a> {
    /// The slices of backwall's own loop on the measured CPU, or of the measured application's threads. `words` are options of
    /// `backwall run`. If the folder already has slices, the new ones are added to them.
    ///
    /// # Errors
    /// If this program's own file cannot be found.
    pub fn begin(machine: &Machine, words: &[String], length_ns: u64, folder: &'a Path) -> Result<Self> {
        let tool =
            std::env::current_exe().map_err(|error| unable(format!("cannot find backwall's own file: {error}")))?;
        let words = Self::words(machine, words, length_ns);
        let is_log = |entry: &DirEntry| entry.path().extension().is_some_and(|end| end == LOG);
        let count = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(is_log).count();
        Ok(Self { tool, words, folder, length: Duration::from_nanos(length_ns), count })
    }

    /// Command words of each slice except its folder: `run`, or `watch` for an application's threads.
    pub fn words(machine: &Machine, words: &[String], length_ns: u64) -> Vec<String> {
        let watched: Vec<String> = machine.watched().iter().map(|thread| format!("thread:{}", thread.id)).collect();
        let mut all = match watched.is_empty() {
            // Both sides run without the recorder, because its cost would hide a small improvement.
            true => vec!["run".to_string(), "--no-recorder".to_string(), "--cpu".to_string(), machine.cpu.to_string()],
            false => vec!["watch".to_string(), watched.join(",")],
        };
        all.extend(["-D".to_string(), format!("{length_ns}ns")]);
        all.extend_from_slice(words);
        all
    }

    /// Measures one more slice; `None` if the user has asked to stop.
    ///
    /// # Errors
    /// One line if nothing was measured, with the last message of the run.
    pub fn measure(&mut self, name: &str, side: Side, stop: &dyn Fn() -> bool) -> Result<Option<PlacedRun>> {
        self.count += 1;
        let word = if side == Side::With { "with" } else { "without" };
        let place = self.folder.join(format!("{:03}-{word}-{name}", self.count));
        let mut command = Command::new(&self.tool);
        command.args(&self.words).arg("--quiet").arg("--output").arg(&place);
        let log = self.folder.join(format!("{:03}.{LOG}", self.count));
        match itself::run(&mut command, &log, self.length + MARGIN, stop)? {
            Became::Stopped => Ok(None),
            Became::OnDisk => {
                let run = backwall_store::read(&place)?;
                let measured = !run.interrupted;
                Ok(measured.then(|| PlacedRun { place: place.display().to_string(), run }))
            }
            Became::Failed(said) => Err(unable(format!("a slice of the trial of {name} failed: {said}"))),
        }
    }
}
