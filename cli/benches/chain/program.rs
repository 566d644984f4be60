// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program, its rows, and its periods with others kept out.
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("chain.c");
const LINKS: &str = include_str!("links.h");

// The program's knowledge of one instance; 0 for stages that it did not reach.
#[derive(Clone, Debug)]
pub struct Instance {
    pub release_ns: u64,
    pub handed_ns: u64,
    pub got_ns: u64,
    // When the worker asked for the lock.
    pub asked_ns: u64,
    pub worked_ns: u64,
    pub taken_ns: u64,
    pub written_ns: u64,
    // The longest time in which the worker's own loop did not run.
    pub gap_ns: u64,
    pub injected: u32,
    pub fate: String,
}

#[derive(Clone, Debug, Default)]
pub struct Written {
    pub instances: Vec<Instance>,
    pub held: Vec<(String, u64, u64)>,
    // Another thread may be the last: the worker's stamps do not tell its delays.
    pub joins: bool,
}

pub struct Program {
    path: PathBuf,
}

impl Program {
    pub fn build(out: &Path) -> Result<Self> {
        let (source, path) = (out.join("chain.c"), out.join("chain"));
        std::fs::write(&source, SOURCE)?;
        std::fs::write(out.join("links.h"), LINKS)?;
        let words = ["-std=c11", "-O2", "-Wall", "-pthread", "-o"];
        let built = Command::new("cc").args(words).arg(&path).arg(&source).status()?;
        if built.success() { Ok(Self { path }) } else { Err(Error::other("chain.c does not compile")) }
    }

    pub fn record(&self, spec: &str, words: &[&str], folder: &Path) -> Result<Written> {
        // `chain` records no page faults: a busy machine has too many.
        let records: &[&str] =
            if words.contains(&"fault") { &["trace", "record", "--faults"] } else { &["chain", spec] };
        let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"))
            .args(records)
            .args(["--quiet", "--output"])
            .arg(folder)
            .stdout(Stdio::null())
            .spawn()?;
        std::thread::sleep(Duration::from_secs(1));
        let told = Command::new(&self.path).args(words).output()?;
        // SAFETY: the process is a child of this one that was not waited for.
        unsafe { libc::kill(tool.id() as i32, libc::SIGINT) };
        let over = Instant::now() + Duration::from_secs(120);
        while tool.try_wait()?.is_none() && Instant::now() < over {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = tool.kill();
        if !told.status.success() {
            return Err(Error::other(format!("{words:?}: {}", String::from_utf8_lossy(&told.stderr))));
        }
        let joins = words.iter().any(|word| word.contains("join"));
        Ok(Written { joins, ..written(&String::from_utf8_lossy(&told.stdout)) })
    }
}

fn written(text: &str) -> Written {
    let mut written = Written::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = |place: usize| words.get(place).and_then(|word| word.parse().ok()).unwrap_or(0);
        match words.as_slice() {
            [_, _, _, _, _, _, _, _, _, _, injected, fate] => written.instances.push(Instance {
                release_ns: at(1),
                handed_ns: at(3),
                got_ns: at(4),
                asked_ns: at(5),
                worked_ns: at(6),
                taken_ns: at(7),
                written_ns: at(8),
                gap_ns: at(9),
                injected: injected.parse().unwrap_or(0),
                fate: fate.to_string(),
            }),
            [name, ..] => written.held.push((name.to_string(), at(1), at(2))),
            [] => {}
        }
    }
    written
}
