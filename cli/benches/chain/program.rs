// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program, its rows, and its periods with others kept out.
use std::io::{Error, Read, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("chain.c");
const HEADERS: [(&str, &str); 2] = [("links.h", include_str!("links.h")), ("quota.h", include_str!("quota.h"))];

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
    // Of ch-right, if it has an end of its own.
    pub right_got_ns: u64,
    pub right_written_ns: u64,
    // The longest time in which the worker's own loop did not run.
    pub gap_ns: u64,
    pub injected: u32,
    pub fate: String,
}

impl Instance {
    // As the chain that ends at ch-right sees it, which takes each instance.
    fn right(&self) -> Self {
        let fate = match (self.right_written_ns > 0, self.fate.as_str()) {
            (true, _) => "done",
            (false, "not_handed_on") => "not_handed_on",
            (false, _) => "unfinished",
        };
        Self { taken_ns: self.right_got_ns, written_ns: self.right_written_ns, fate: fate.to_string(), ..self.clone() }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Written {
    pub instances: Vec<Instance>,
    pub held: Vec<(String, u64, u64)>,
    // Another thread may be the last: the worker's stamps do not tell its delays.
    pub joins: bool,
}

impl Written {
    pub fn right(&self) -> Self {
        Self { instances: self.instances.iter().map(Instance::right).collect(), joins: true, held: Vec::new() }
    }
}

pub struct Program {
    path: PathBuf,
}

impl Program {
    pub fn build(out: &Path) -> Result<Self> {
        let (source, path) = (out.join("chain.c"), out.join("chain"));
        std::fs::write(&source, SOURCE)?;
        HEADERS.iter().try_for_each(|(name, text)| std::fs::write(out.join(name), text))?;
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
        // The program lives until its input ends, so that the recorder learns of its threads' control groups.
        let mut program = Command::new(&self.path)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut rows = String::new();
        program.stdout.take().into_iter().try_for_each(|mut out| out.read_to_string(&mut rows).map(drop))?;
        // SAFETY: the process is a child of this one that was not waited for.
        unsafe { libc::kill(tool.id() as i32, libc::SIGINT) };
        let over = Instant::now() + Duration::from_secs(120);
        while tool.try_wait()?.is_none() && Instant::now() < over {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = tool.kill();
        let told = program.wait_with_output()?;
        if !told.status.success() {
            return Err(Error::other(format!("{words:?}: {}", String::from_utf8_lossy(&told.stderr))));
        }
        let joins = words.iter().any(|word| word.contains("join"));
        Ok(Written { joins, ..written(&rows) })
    }
}

fn written(text: &str) -> Written {
    let mut written = Written::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = |place: usize| words.get(place).and_then(|word| word.parse().ok()).unwrap_or(0);
        match words.as_slice() {
            [_, _, _, _, _, _, _, _, _, _, _, _, injected, fate] => written.instances.push(Instance {
                release_ns: at(1),
                handed_ns: at(3),
                got_ns: at(4),
                asked_ns: at(5),
                worked_ns: at(6),
                taken_ns: at(7),
                written_ns: at(8),
                right_got_ns: at(9),
                right_written_ns: at(10),
                gap_ns: at(11),
                injected: injected.parse().unwrap_or(0),
                fate: fate.to_string(),
            }),
            [name, ..] => written.held.push((name.to_string(), at(1), at(2))),
            [] => {}
        }
    }
    written
}
