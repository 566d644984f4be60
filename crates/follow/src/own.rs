// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the application itself says of late responses, beside what is measured: lines of the logs that it writes, each with what the
//! kernel did then, and the count of a program that asks it.
//!
//! - `logs`: files that a process writes, followed as they grow
//! - `counter`: a program that is asked for a count again and again
mod counter;
mod logs;

use counter::Counter;
use exit::unable;
use logs::Logs;
use record::attached::Recent;
use report::watch::own as words;
use run::Warning;
use session::attachee::Attachee;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, SystemTime};
use store::RunFolder;
use watch::Recipe;

/// In the folder of the run.
const FILE: &str = "own.log";
/// A line is seen at the latest so long after the response that it tells of was over.
const BEFORE: Duration = Duration::from_millis(300);
/// Of the lines since the last sentence no more are kept; the others are counted.
const MOST_LINES: usize = 1_000;

/// What an application says of itself.
pub struct Own {
    recipe: Recipe,
    folder: OwnFile,
    logs: Logs,
    counter: Option<Counter>,
    /// Lines since the last sentence, and when each was seen.
    said: Vec<(SystemTime, String)>,
    /// Lines since the last sentence, and in all.
    lines: [u64; 2],
    /// By the counter since the last sentence, and in all.
    counted: [u64; 2],
    /// The counter has said anything at all.
    answered: bool,
}

/// A file that is made when the first line is written.
struct OwnFile {
    folder: system::folder::Folder,
    file: Option<File>,
}

impl OwnFile {
    fn add(&mut self, text: &str) -> std::io::Result<()> {
        if self.file.is_none() {
            self.file = Some(self.folder.append(FILE)?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(text.as_bytes()))
    }
}

impl Own {
    /// Of an application whose recipe says how it counts; `None` where it does not.
    ///
    /// # Errors
    /// When the folder of the run cannot be used.
    pub fn begin(recipe: &Recipe, folder: &RunFolder) -> anyhow::Result<Option<Self>> {
        if !recipe.own.is_known() {
            return Ok(None);
        }
        let folder =
            folder.handle().try_clone().map_err(|error| unable(format!("{}: {error}", folder.path().display())))?;
        let folder = OwnFile { folder, file: None };
        let (logs, said) = (Logs::default(), Vec::new());
        Ok(Some(Self {
            recipe: recipe.clone(),
            folder,
            logs,
            counter: None,
            said,
            lines: [0; 2],
            counted: [0; 2],
            answered: false,
        }))
    }

    /// From now on of these threads; what is not to be seen of it, as lines.
    pub fn turn_to(&mut self, all: &[Attachee]) -> Vec<String> {
        let processes: BTreeSet<i32> = all.iter().map(|attachee| attachee.thread.process).collect();
        self.take_count();
        self.counter = processes.first().and_then(|process| Counter::begin(&self.recipe.own, *process));
        let files = if self.recipe.own.lines.is_empty() { 0 } else { self.logs.turn_to(&processes) };
        let unseen = files == 0 && self.counter.is_none();
        unseen.then(|| words::unseen(&self.recipe)).into_iter().collect()
    }

    /// Reads what was written since the last look.
    pub fn look(&mut self) {
        let now = SystemTime::now();
        for line in self.logs.read().into_iter().filter(|line| self.recipe.own.tells(line)) {
            self.lines = self.lines.map(|count| count + 1);
            if self.said.len() < MOST_LINES {
                self.said.push((now, line));
            }
        }
    }

    fn take_count(&mut self) {
        let new = self.counter.as_mut().map_or(0, Counter::new_since);
        self.counted = self.counted.map(|count| count + new);
        self.answered |= self.counter.as_ref().is_some_and(Counter::has_answered);
    }

    /// How many it counted since the last sentence, and one line for the first of those that its log told of; all are in the folder's
    /// file. `recent` are the longest responses of that time.
    pub fn minute(&mut self, recent: &[Recent]) -> (Option<u64>, Vec<String>) {
        self.take_count();
        let said = std::mem::take(&mut self.said);
        let told: Vec<String> = said.iter().map(|(seen, line)| self.told(*seen, line, recent)).collect();
        let text: String = told.iter().map(|line| format!("{line}\n")).collect();
        let (lines, counted) = (std::mem::take(&mut self.lines[0]), std::mem::take(&mut self.counted[0]));
        let mut shown: Vec<String> = told.into_iter().take(1).collect();
        if !text.is_empty() {
            shown.extend(self.folder.add(&text).err().map(|error| format!("backwall: {FILE}: {error}")));
        }
        let count = match self.counter.as_ref().is_some_and(Counter::has_answered) {
            // It knows of those, too, that the log does not tell.
            true => Some(counted.max(lines)),
            false => self.logs.are_followed().then_some(lines),
        };
        (count, shown)
    }

    fn told(&self, seen: SystemTime, line: &str, recent: &[Recent]) -> String {
        let fits = |one: &&Recent| {
            let began = one.began();
            began <= seen
                && seen.duration_since(began).is_ok_and(|passed| passed <= BEFORE + Duration::from_nanos(one.ns))
        };
        let then = recent.iter().filter(fits).max_by_key(|one| one.ns).map(crate::late::told);
        let at = jiff::Timestamp::try_from(seen).unwrap_or_default();
        words::line(&format!("{at:.3}"), &self.recipe, line, then.as_ref())
    }

    /// What it counted in all, as a note of the run.
    pub fn into_note(mut self) -> Warning {
        self.take_count();
        let (by_log, by_program) = (self.logs.were_followed(), self.answered);
        let counts = (by_log.then_some(self.lines[1]), by_program.then_some(self.counted[1]));
        Warning::new("own-count", words::note(&self.recipe, counts))
    }
}
