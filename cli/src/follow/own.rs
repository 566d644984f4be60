// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application's own reports of late responses, next to what backwall measures: lines of its logs, each with the response at
//! that time, and the count that a separate program reads.
mod counter;
mod logs;

use crate::exit::unable;
use backwall_ftrace::attached::Recent;
use backwall_model::Warning;
use backwall_os::console::complain;
use backwall_report::watch::own as words;
use backwall_runner::attached::attachee::Attachee;
use backwall_store::RunFolder;
use backwall_watch::{Recipe, TheWorst};
use counter::{Counter, Unasked};
use logs::Logs;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, SystemTime};

const FILE: &str = "own.log";
/// Limit of two delays: from the end of a response until backwall reads the application's line about it, and from reading that
/// line until a report contains the response.
const APART: Duration = Duration::from_millis(300);
// Log lines kept between two reports; further lines are only counted.
const MOST_LINES: usize = 1_000;

pub struct Own {
    recipe: Recipe,
    folder: OwnFile,
    logs: Logs,
    counter: Option<Counter>,
    /// Lines that no report has shown yet, with their times. A new line waits for a response in the next report.
    said: Vec<(SystemTime, String)>,
    /// The longest responses of the last report. A line that comes just after that report belongs to one of them.
    before: Vec<Response>,
    /// Number of lines since the last report, and in total.
    lines: [u64; 2],
    counted: [u64; 2],
    answered: bool,
}

#[derive(Clone, Debug)]
struct Response {
    began: SystemTime,
    what: TheWorst,
}

impl Response {
    fn of(recent: &Recent) -> Self {
        Self { began: recent.began(), what: crate::follow::late::told(recent) }
    }

    fn is_before(&self, seen: SystemTime) -> bool {
        let passed = seen.duration_since(self.began);
        passed.is_ok_and(|passed| passed <= APART + Duration::from_nanos(self.what.ns))
    }
}

struct OwnFile {
    folder: backwall_os::folder::Folder,
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
    /// `None` if the recipe does not say how the application reports late responses.
    ///
    /// # Errors
    /// The folder of the run cannot be used.
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
            before: Vec::new(),
            lines: [0; 2],
            counted: [0; 2],
            answered: false,
        }))
    }

    /// Follows these threads from now on. Returns messages about counts that backwall cannot read.
    pub fn turn_to(&mut self, all: &[Attachee]) -> Vec<String> {
        let processes: BTreeSet<i32> = all.iter().map(|attachee| attachee.thread.process).collect();
        self.take_count();
        let counter = processes.first().map(|process| Counter::begin(&self.recipe.own, *process));
        let (counter, why) = counter.map_or((None, None), |counter| {
            counter.map_or_else(|why| (None, Some(why)), |counter| (Some(counter), None))
        });
        self.counter = counter;
        let files = if self.recipe.own.lines.is_empty() { 0 } else { self.logs.turn_to(&processes) };
        if let Some(why) = why.filter(|why| !matches!(why, Unasked::Missing)) {
            return vec![words::unasked(&self.recipe, &why.to_string())];
        }
        let unseen = files == 0 && self.counter.is_none();
        unseen.then(|| words::unseen(&self.recipe)).into_iter().collect()
    }

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

    /// The application's count since the last report, and the first of its new log lines. A file in the run's folder has all
    /// lines. `recent` are the longest responses of that time.
    pub fn minute(&mut self, recent: &[Recent]) -> (Option<u64>, Vec<String>) {
        self.take_count();
        let told = self.tell(recent.iter().map(Response::of).collect(), Some(SystemTime::now()));
        let (lines, counted) = (std::mem::take(&mut self.lines[0]), std::mem::take(&mut self.counted[0]));
        let mut shown: Vec<String> = told.iter().take(1).cloned().collect();
        shown.extend(self.keep(&told));
        let why = self.counter.as_mut().and_then(Counter::why);
        shown.extend(why.map(|why| words::unasked(&self.recipe, &why.to_string())));
        let count = match self.counter.as_ref().is_some_and(Counter::has_answered) {
            // The program also counts responses that the log does not mention.
            true => Some(counted.max(lines)),
            false => self.logs.are_followed().then_some(lines),
        };
        (count, shown)
    }

    /// The lines, each with its response. A recent line without a response waits, because the response may still come; if
    /// `now` is `None`, no line waits.
    fn tell(&mut self, responses: Vec<Response>, now: Option<SystemTime>) -> Vec<String> {
        let mut told = Vec::new();
        for (seen, line) in std::mem::take(&mut self.said) {
            let fitting = self.before.iter().chain(&responses).filter(|one| one.is_before(seen));
            let then = fitting.max_by_key(|one| one.what.ns).map(|one| one.what.clone());
            let may_come = now.and_then(|now| now.duration_since(seen).ok()).is_some_and(|passed| passed < APART);
            if then.is_none() && may_come {
                self.said.push((seen, line));
                continue;
            }
            let at = jiff::Timestamp::try_from(seen).unwrap_or_default();
            told.push(words::line(&format!("{at:.3}"), &self.recipe, &line, then.as_ref()));
        }
        self.before = responses;
        told
    }

    fn keep(&mut self, told: &[String]) -> Option<String> {
        let text: String = told.iter().map(|line| format!("{line}\n")).collect();
        if text.is_empty() {
            return None;
        }
        self.folder.add(&text).err().map(|error| format!("backwall: {FILE}: {error}"))
    }

    /// The application's total count, as a note of the run. Writes pending lines first.
    pub fn into_note(mut self) -> Warning {
        self.take_count();
        let told = self.tell(Vec::new(), None);
        self.keep(&told).iter().for_each(|line| complain(line));
        let (by_log, by_program) = (self.logs.were_followed(), self.answered);
        let counts = (by_log.then_some(self.lines[1]), by_program.then_some(self.counted[1]));
        Warning::new("own-count", words::note(&self.recipe, counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Blame;

    fn own(folder: &std::path::Path) -> (Own, RunFolder) {
        let recipe = backwall_watch::shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap();
        let folder = RunFolder::create(Some(folder), "watch", jiff::Timestamp::now()).unwrap();
        (Own::begin(&recipe, &folder).unwrap().unwrap(), folder)
    }

    fn response(began: SystemTime, thread: &str) -> Response {
        let what = TheWorst { thread: thread.to_string(), ns: 1_000_000, blame: Blame::Unfitting };
        Response { began, what }
    }

    // A report comes between a response and the application's line about it, whichever of the two is first.
    #[test]
    fn a_line_finds_its_response_in_the_sentence_before_and_in_the_next_one() {
        let top = tempfile::tempdir().unwrap();
        let (mut own, _folder) = own(&top.path().join("run"));
        let (long_ago, step) = (SystemTime::now() - Duration::from_secs(3_600), Duration::from_millis(100));
        assert!(own.tell(vec![response(long_ago, "first-1")], Some(long_ago + step)).is_empty());
        own.said.push((long_ago + 2 * step, "XRun a".to_string()));
        let told = own.tell(Vec::new(), Some(long_ago + 3 * step));
        assert!(told[0].contains("\"XRun a\": first-1 "), "{told:?}");
        let seen = long_ago + 100 * step;
        own.said.push((seen, "XRun b".to_string()));
        assert!(own.tell(Vec::new(), Some(seen + step)).is_empty(), "its response may still come");
        let told = own.tell(vec![response(seen - step, "second-2")], Some(seen + 20 * step));
        assert!(told[0].contains("\"XRun b\": second-2 "), "{told:?}");
        own.said.push((seen + 900 * step, "XRun c".to_string()));
        let told = own.tell(Vec::new(), Some(seen + 910 * step));
        assert!(
            told[0].contains("\"XRun c\": none of the longest responses came shortly before this line"),
            "{told:?}"
        );
    }

    #[test]
    fn what_waits_for_its_response_at_the_end_is_written() {
        let top = tempfile::tempdir().unwrap();
        let (mut own, _folder) = own(&top.path().join("run"));
        own.said.push((SystemTime::now(), "XRun d".to_string()));
        assert!(own.minute(&[]).1.is_empty());
        own.into_note();
        let text = std::fs::read_to_string(top.path().join("run").join(FILE)).unwrap();
        assert!(text.contains("\"XRun d\": none of the longest responses"), "{text}");
    }
}
