// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool as the tests call it, its processes, and its stored run.
use crate::common::copied::script;
use crate::common::program::program;
use backwall_ftrace::tracefs::Tracefs;
use backwall_model::{Run, Series};
use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

// Far beyond what a loaded machine needs to start or end a process.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn backwall(out: &Path) -> Command {
    let mut command = Command::new(program());
    command.args(["run", "--best-effort", "--quiet", "--output"]).arg(out);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

// A process that ends with the test, however that does: where an assertion fails it is killed, and waited for.
pub struct Running(Option<Child>);

pub trait Begin {
    fn begin(&mut self) -> Running;
}

impl Begin for Command {
    fn begin(&mut self) -> Running {
        Running(Some(self.spawn().unwrap()))
    }
}

impl Running {
    pub fn wait_with_output(mut self) -> std::io::Result<Output> {
        self.0.take().unwrap().wait_with_output()
    }

    // Waits until something holds for its process. If the process ends before, the test fails with what it said.
    pub fn wait_until(mut self, what: &str, holds: impl Fn(u32) -> bool) -> Self {
        let begun = Instant::now();
        while !holds(self.id()) {
            if self.try_wait().unwrap().is_some() {
                let output = self.wait_with_output().unwrap();
                panic!("{what} did not happen, {}: {}", output.status, message(&output));
            }
            assert!(begun.elapsed() < PATIENCE, "{what} did not happen, and the tool still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
        self
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().unwrap()
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Of one that has ended and was waited for, neither does anything.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub fn tool_in(folder: &Path, words: &[&str]) -> Output {
    Command::new(program()).args(words).current_dir(folder).output().unwrap()
}

// A long run with one load; returns once something was measured beyond the warm-up, and the load has worked.
pub fn start(out: &Path) -> (Running, Vec<Process>) {
    let tool = backwall(out).args(["--load", "spin", "--for", "50s"]).args(LOOKED_INTO).begin();
    wait_until("the first figure and unit", || so_far(out).is_some_and(|run| measured(&run) > 0 && worked(&run) > 0));
    let started = children(tool.id());
    assert!(started.iter().any(|child| child.name == "bw-spin"), "{started:?}");
    (tool, started)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    pub name: String,
    parent: u32,
    // Start in ticks since boot: tells a process from a later one with its number.
    since: u64,
}

fn process(id: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (before, after) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = after.split(' ').collect();
    let name = before.split_once('(')?.1.to_string();
    let alive = !["Z", "X"].contains(&fields[0]);
    alive.then(|| Process { id, name, parent: fields[1].parse().unwrap(), since: fields[19].parse().unwrap() })
}

pub fn children(parent: u32) -> Vec<Process> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(process).filter(|process| process.parent == parent).collect()
}

// How often a thread has waited and continued, from its folder in `/proc`. Preemptions do not count: on a busy machine they come before
// it has done anything.
pub fn turns(thread: &Path) -> u64 {
    let status = fs::read_to_string(thread.join("status")).unwrap_or_default();
    let waited = status.lines().find_map(|row| row.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok());
    waited.unwrap_or(0)
}

pub fn ended(id: u32) -> bool {
    process(id).is_none()
}

pub fn all_gone(processes: &[Process]) -> bool {
    processes.iter().all(|known| process(known.id).is_none_or(|now| now.since != known.since))
}

pub fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn signal(id: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status().unwrap().success());
}

pub fn emulators(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let lines = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let bytes = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
    });
    lines.filter(|line| line.starts_with("qemu") && line.contains(folder)).collect()
}

pub const LOOKED_INTO: [&str; 2] = ["--checkpoint-every", "50ms"];

pub fn so_far(out: &Path) -> Option<Run> {
    backwall_store::read(&out.join("checkpoint.json")).ok()
}

pub fn measured(run: &Run) -> u64 {
    run.series.iter().map(|series| series.done - series.warmup).sum()
}

pub fn worked(run: &Run) -> u64 {
    run.loads.iter().map(|load| load.done).sum()
}

// Returns once an observed run has checked its surroundings, which it does before each checkpoint.
pub fn has_looked(out: &Path) {
    for _ in 0..2 {
        let seconds = |run: Option<Run>| run.map(|run| run.seconds);
        let before = seconds(so_far(out));
        wait_until("another checkpoint", || seconds(so_far(out)).is_some_and(|now| Some(now) != before));
    }
}

// How a command ends that measured `run` and had no requirement: no evidence is never a success.
pub fn code_of(run: &Run) -> Option<i32> {
    Some(if run.valid { 0 } else { 3 })
}

pub fn stored(out: &Path) -> Run {
    let run: Run = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    assert!(out.join("report.html").exists());
    for series in &run.series {
        assert_eq!(series.due, series.missed.map(|lost| series.done + lost));
    }
    run
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map_or(Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
}

pub fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn instances(owner: u32) -> Vec<PathBuf> {
    let Ok(tracefs) = Tracefs::open() else { return Vec::new() };
    let own = format!("backwall-{owner}-");
    let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&own);
    files(&tracefs.root().join("instances")).into_iter().filter(named).collect()
}

pub fn stand_in(folder: &Path, measure: &str) -> PathBuf {
    let file = folder.join("stand-in");
    let list = "if [ \"$1\" = list ]; then printf 'measure\\twakeup\\tx\\n'; exit; fi";
    script(&format!("#!/bin/sh\n{list}\n{measure}\n"), &file);
    file
}

pub fn due(series: &Series) -> u64 {
    let due = series.due.unwrap();
    assert_eq!(due, series.done + series.missed.unwrap());
    due - series.warmup
}

// A response that is late at the end of a phase may have some more releases come due.
pub fn is_planned(due: u64, planned: u64) -> bool {
    (planned..=2 * planned).contains(&due)
}
