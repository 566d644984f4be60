// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the running threads that a recipe matches.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::recipe::{Recipe, fits};
use backwall_os::threads::{self, Thread};
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Clone, Debug, Default)]
pub struct Process {
    pub id: i32,
    /// The name of the first thread, which the kernel cuts to 15 characters.
    pub name: String,
    pub words: Vec<String>,
    pub threads: Vec<Thread>,
    /// A process that was just forked and is still a copy of its parent; it may soon become another program.
    pub is_fresh_copy: bool,
}

#[derive(Clone, Debug, Default)]
pub struct AppThreads {
    pub threads: Vec<Thread>,
    pub processes: usize,
    /// None of the threads that count is real-time: the application lacks the right, or nobody asked it to use the right.
    pub ordinary: bool,
}

/// The processes below a folder like `/proc`, except this process and those it started.
pub fn processes(proc: &Path) -> Vec<Process> {
    let now = threads::now_ticks(proc);
    threads::numbered(proc).filter_map(|(id, folder)| process(id, &folder, now)).collect()
}

/// The process with that number, unless it is this one or one that it started.
pub fn process_of(proc: &Path, id: i32) -> Option<Process> {
    process(id, &proc.join(id.to_string()), threads::now_ticks(proc))
}

/// Processes that a recipe may match. Compares names first: reading all data takes ten times as long, and the search repeats.
pub fn meant(recipe: &Recipe, proc: &Path) -> Vec<Process> {
    let all = threads::numbered(proc).filter(|(_, folder)| may_be_meant(recipe, folder));
    let now = threads::now_ticks(proc);
    all.filter_map(|(id, folder)| process(id, &folder, now)).collect()
}

/// Compares names only; an unreadable name belongs to a process that has ended.
fn may_be_meant(recipe: &Recipe, folder: &Path) -> bool {
    let fitting = |patterns: &[String], folder: &Path| {
        std::fs::read(folder.join("comm")).is_ok_and(|name| fits(patterns, String::from_utf8_lossy(&name).trim_end()))
    };
    let has_thread = || threads::numbered(&folder.join("task")).any(|(_, thread)| fitting(&recipe.thread, &thread));
    match (&recipe.process[..], &recipe.thread[..]) {
        ([], []) => true,
        ([], _) => has_thread(),
        (names, _) => fitting(names, folder),
    }
}

const INTERPRETERS: [&str; 13] =
    ["python", "perl", "ruby", "node", "bash", "sh", "dash", "zsh", "ksh", "lua", "php", "tclsh", "guile"];
/// The kernel cuts thread names to this many bytes.
const NAME_BYTES: usize = 15;

/// Processes with this name: that of the first thread, the executable, or an interpreted script. Children of a match with the
/// same name are left out.
pub fn called(name: &str, proc: &Path) -> Vec<Process> {
    let wanted = base(name);
    let all = threads::numbered(proc).filter(|(_, folder)| is_called(wanted, folder));
    let now = threads::now_ticks(proc);
    all.filter_map(|(id, folder)| process(id, &folder, now)).collect()
}

/// The processes that no other process of the list started: one per application.
pub fn roots(all: &[Process]) -> Vec<&Process> {
    let parent = |process: &Process| process.threads.first().map(|first| first.parent);
    all.iter().filter(|process| all.iter().all(|other| Some(other.id) != parent(process))).collect()
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn is_called(wanted: &str, folder: &Path) -> bool {
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap_or_default();
    let comm = String::from_utf8_lossy(&read("comm")).trim_end().to_string();
    let executable = std::fs::read_link(folder.join("exe")).ok();
    let executable = executable.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let line = read("cmdline");
    let words: Vec<String> =
        line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    names(&comm, executable.as_deref(), &words).contains(wanted)
        || (wanted.len() > NAME_BYTES && wanted.is_char_boundary(NAME_BYTES) && comm == wanted[..NAME_BYTES])
}

fn names(comm: &str, executable: Option<&str>, words: &[String]) -> BTreeSet<String> {
    let executable = executable.map(|name| name.strip_suffix(" (deleted)").unwrap_or(name));
    let interpreter = |name: &str| {
        INTERPRETERS.iter().any(|known| {
            name.strip_prefix(known).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
        })
    };
    let runs = executable.is_some_and(interpreter);
    // Options of python and shells before a script take no separate argument, except -c, -m and -e.
    let script = words.iter().skip(1).find(|word| !word.starts_with('-')).filter(|_| {
        runs && !words
            .iter()
            .skip(1)
            .take_while(|word| word.starts_with('-'))
            .any(|word| ["-c", "-e"].contains(&word.as_str()))
    });
    let first = words.first().filter(|_| !runs).map(String::as_str);
    let all = [Some(comm), executable, script.map(String::as_str), first];
    all.into_iter().flatten().map(base).filter(|name| !name.is_empty()).map(String::from).collect()
}

/// The kernel's flag of a forked process that has not become another program yet, PF_FORKNOEXEC.
const IS_COPY: u64 = 0x40;
/// A copy that will become another program does so within this time, even on a busy machine; an older one is a worker.
const FRESH_SECONDS: u64 = 1;

fn process(id: i32, folder: &Path, now: Option<u64>) -> Option<Process> {
    let threads: Vec<Thread> = threads::of_process(id, folder).collect();
    let first = threads.iter().find(|thread| thread.id == id)?;
    if threads::is_ours(first) {
        return None;
    }
    let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let words = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let is_fresh = now.is_some_and(|now| now < first.began + FRESH_SECONDS * threads::ticks_per_second());
    let is_fresh_copy = is_fresh && first.flags & IS_COPY != 0;
    Some(Process { id, name: first.name.clone(), words, is_fresh_copy, threads })
}

/// The threads that a recipe matches. If the recipe names no thread, it matches all real-time threads of a process, or the first
/// thread if the process has none; `ordinary` reports this. A freshly forked process waits for the next look, because it still
/// has the name and words of its parent.
pub fn found(recipe: &Recipe, all: &[Process]) -> AppThreads {
    let mut found = AppThreads { ordinary: true, ..AppThreads::default() };
    let meant: Vec<&Process> = all.iter().filter(|process| is_meant(recipe, process)).collect();
    let has_maker = |process: &Process| {
        let parent = process.threads.first().map(|first| first.parent);
        meant.iter().any(|maker| Some(maker.id) == parent)
    };
    for process in meant.iter().filter(|process| !(process.is_fresh_copy && has_maker(process))) {
        let counts = |thread: &&Thread| match recipe.thread.is_empty() {
            true => thread.real_time > 0,
            false => fits(&recipe.thread, &thread.name),
        };
        let mut threads: Vec<Thread> = process.threads.iter().filter(counts).cloned().collect();
        if threads.is_empty() && recipe.thread.is_empty() {
            threads.extend(process.threads.iter().find(|thread| thread.id == process.id).cloned());
        }
        if !threads.is_empty() {
            found.processes += 1;
            found.ordinary &= threads.iter().all(|thread| thread.real_time == 0);
            found.threads.extend(threads);
        }
    }
    found.ordinary &= found.processes > 0;
    found
}

fn is_meant(recipe: &Recipe, process: &Process) -> bool {
    let ends = |word: &String| recipe.command.iter().any(|end| word.ends_with(end.as_str()));
    (recipe.process.is_empty() || fits(&recipe.process, &process.name))
        && (recipe.command.is_empty() || process.words.iter().any(ends))
}

#[cfg(test)]
mod tests;
