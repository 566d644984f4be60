// SPDX-License-Identifier: MIT OR Apache-2.0
//! The measured loop: `backwall run` or `backwall watch` as a separate program, so that a trial measures what a user would.
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
/// Extra time a slice may take: its start, loads and page.
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
    /// Those of a loop of ours on the measured processor, or of the threads of the application that is measured. The words are options
    /// of `backwall run`. Where the folder has slices already, these are further ones.
    ///
    /// # Errors
    /// When this program's own file cannot be told.
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
            // Both sides without the recorder: what it costs would hide a small improvement.
            true => vec!["run".to_string(), "--no-recorder".to_string(), "--cpu".to_string(), machine.cpu.to_string()],
            false => vec!["watch".to_string(), watched.join(",")],
        };
        all.extend(["-D".to_string(), format!("{length_ns}ns")]);
        all.extend_from_slice(words);
        all
    }

    /// One more; `None` when the user has asked to stop.
    ///
    /// # Errors
    /// One line when nothing was measured, with what the run said last.
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
