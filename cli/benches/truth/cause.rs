// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program that makes a thread late on purpose, and what it changes of the machine.
use std::fs;
use std::io::{BufRead, BufReader, Result, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

#[derive(Clone, Copy, PartialEq)]
pub enum Group {
    None,
    Unified,
    Freezer,
    Cpu,
}

const STEERED: &str = "/sys/class/net/lo/queues/rx-0/rps_cpus";

pub fn build(out: &Path) -> Result<PathBuf> {
    let program = out.join("causes");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probe/bench/causes");
    let files: Vec<PathBuf> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let sources = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "c"));
    let done = Command::new("gcc")
        .args(["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .args(sources)
        .status()?;
    assert!(done.success(), "the injectors do not compile");
    Ok(program)
}

// A victim that waits to be made late; dropping it ends both and puts back what they changed.
pub struct Cause {
    child: Child,
    begin: Option<ChildStdin>,
    pub thread: u32,
    pub ledger: PathBuf,
    group: Option<PathBuf>,
    steered: Option<String>,
}

impl Cause {
    pub fn start(
        program: &Path,
        kind: &str,
        group: Group,
        times: usize,
        out: &Path,
    ) -> std::result::Result<Self, String> {
        let group = make(group)?;
        let ledger = out.join(format!("{kind}.ledger"));
        let steered = fs::read_to_string(STEERED).ok();
        let mut child = Command::new(program)
            .args([kind, &times.to_string(), "1"])
            .arg(group.clone().unwrap_or_default())
            .env("BACKWALL_LEDGER", &ledger)
            .env("BACKWALL_HELD_MS", held_ms(kind))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut said = String::new();
        let _ = BufReader::new(child.stdout.take().expect("piped")).read_line(&mut said);
        let thread = said.strip_prefix("thread ").and_then(|number| number.trim().parse().ok());
        let begin = child.stdin.take();
        let mut cause = Self { child, begin, thread: 0, ledger, group, steered };
        cause.thread = thread.ok_or_else(|| format!("no victim of kind {kind}"))?;
        Ok(cause)
    }

    pub fn begin(&mut self) {
        if let Some(mut begin) = self.begin.take() {
            let _ = begin.write_all(b"\n");
        }
    }

    pub fn wait(&mut self) {
        let _ = self.child.wait();
    }
}

impl Drop for Cause {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(steered) = self.steered.take() {
            let _ = fs::write(STEERED, steered);
        }
        let Some(group) = self.group.take() else { return };
        for _ in 0..100 {
            if fs::remove_dir(&group).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        eprintln!("bench: {} could not be removed", group.display());
    }
}

// A load that wants more than the machine has, until it is dropped.
pub struct Crowd(Child);

impl Crowd {
    // Threads that compute and wait in turns, and pairs that wake each other.
    pub fn begin(program: &Path, pollers: usize, pairs: usize) -> Result<Self> {
        let words = ["crowd", &pollers.to_string(), &pairs.to_string()].map(str::to_string);
        Command::new(program).args(words).stdin(Stdio::null()).stdout(Stdio::null()).spawn().map(Self)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// A burst of timers sets each of them: more of them than a recorder can take would be another test.
fn held_ms(kind: &str) -> &'static str {
    if kind == "interrupt" { "4" } else { "8" }
}

fn make(group: Group) -> std::result::Result<Option<PathBuf>, String> {
    let (version_2, controller) = match group {
        Group::None => return Ok(None),
        Group::Unified => (true, ""),
        Group::Freezer => (false, "freezer"),
        Group::Cpu => (false, "cpu"),
    };
    let mounts = fs::read_to_string("/proc/mounts").map_err(|error| error.to_string())?;
    let place = mounts.lines().find_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let fits = match version_2 {
            true => words[2] == "cgroup2",
            false => words[2] == "cgroup" && words[3].split(',').any(|word| word == controller),
        };
        fits.then(|| PathBuf::from(words[1]))
    });
    let place = place
        .ok_or_else(|| format!("no control groups {controller}"))?
        .join(format!("backwall-bench-{}", std::process::id()));
    fs::create_dir(&place).map_err(|error| error.to_string())?;
    Ok(Some(place))
}
