// SPDX-License-Identifier: MIT OR Apache-2.0
//! `export site` and `fleet report` killed or stopped by Ctrl-C at any instant: the output is complete, and the next call does the rest.
use crate::tool::{Begin, files, message, signal, tool_in, wait_until};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RUNS: usize = 24;

fn runs(folder: &Path) {
    let words = [
        "run",
        "--probe",
        backwall_runner::device::built::FAKE,
        "--load",
        "none",
        "--for",
        "1s",
        "--quiet",
        "--output",
        "one",
    ];
    let output = tool_in(folder, &words);
    assert!(folder.join("one/run.json").exists(), "{}", message(&output));
    let text = fs::read_to_string(folder.join("one/run.json")).unwrap();
    let started = text.split("\"started\"").nth(1).and_then(|rest| rest.split('"').nth(1)).unwrap().to_string();
    for number in 0..RUNS {
        let place = folder.join(format!("spool/press/{number:02}"));
        fs::create_dir_all(&place).unwrap();
        // What is published has the day alone.
        let other = format!("2026-01-{:02}T03:00:00Z", number + 1);
        fs::write(place.join("run.json"), text.replacen(&started, &other, 1)).unwrap();
    }
}

// Every file below a folder, by its place, but for what is being written.
fn whole(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(next) = left.pop() {
        for path in files(&next).into_iter().filter(|path| !path.ends_with(".part")) {
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn tool(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(words).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

fn publish(folder: &Path, to: &str) {
    let output = tool(folder, &["export", "site", "spool/press", "-o", to, "--quiet"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
}

// Starts the command, and stops it by a signal after this many bundles, or earlier.
fn ended_at(folder: &Path, words: &[&str], name: &str, at: usize) {
    let mut child = tool(folder, words).stdout(Stdio::null()).stderr(Stdio::null()).begin();
    let id = child.id();
    wait_until("it is at work", || files(&folder.join("table/bundles")).len() >= at || crate::tool::ended(id));
    signal(id, name);
    child.wait().unwrap();
}

#[test]
fn whoever_dies_while_he_publishes_leaves_whole_bundles_and_the_next_one_makes_the_rest() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    runs(folder);
    publish(folder, "expected");
    let expected = whole(&folder.join("expected"));
    assert_eq!(expected.len(), 2 * RUNS + 1);
    let words = ["export", "site", "spool/press", "-o", "table", "--quiet"];
    for (number, name) in ["KILL", "INT", "KILL", "TERM"].into_iter().enumerate() {
        ended_at(folder, &words, name, 1 + 5 * number);
        let there = whole(&folder.join("table"));
        for (path, bytes) in there.iter().filter(|(path, _)| path.starts_with("bundles")) {
            assert!(expected.get(path) == Some(bytes), "{} is not whole", path.display());
            assert!(there.contains_key(&path.with_file_name("run.json")), "{}", path.display());
        }
    }
    publish(folder, "table");
    assert!(whole(&folder.join("table")) == expected, "the same as at once");
    assert!(!folder.join("table/.part").exists(), "nothing half-written is left");
}

// The user's cache of bundles may be damaged: then each bundle is read again.
#[test]
fn rows_of_the_index_that_are_damaged_or_gone_are_made_again() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    runs(folder);
    publish(folder, "table");
    let expected = whole(&folder.join("table"));
    let cached = || files(&folder.join("cache/backwall/published"));
    let [cache] = &cached()[..] else { panic!("{:?}", cached()) };
    let good = fs::read(cache).unwrap();
    let half = good[..good.len() / 2].to_vec();
    for damage in [None, Some(b"{".to_vec()), Some(Vec::new()), Some(half), Some(vec![0xff; 64]), Some(b"[1]".to_vec())]
    {
        match &damage {
            Some(bytes) => fs::write(cache, bytes).unwrap(),
            None => fs::remove_file(cache).unwrap(),
        }
        fs::remove_file(folder.join("table/index.html")).unwrap();
        publish(folder, "table");
        assert!(whole(&folder.join("table")) == expected, "{damage:?}");
        assert!(fs::read(cache).unwrap() == good, "{damage:?}");
    }
    let other = String::from_utf8(good).unwrap();
    let forged = other.replace("\"version\"", "\"no-version\"");
    assert_ne!(forged, other);
    fs::write(cache, forged).unwrap();
    publish(folder, "table");
    assert!(whole(&folder.join("table")) == expected, "rows of another version are not read");
}

#[test]
fn whoever_dies_while_he_reports_leaves_each_file_whole() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    runs(folder);
    let import = tool_in(folder, &["fleet", "import", "spool", "--output", "fleet", "--quiet"]);
    assert_eq!(import.status.code(), Some(0), "{}", message(&import));
    let report = ["fleet", "report", "fleet", "--quiet"];
    let names = ["figures.parquet", "metrics.prom", "report.html"];
    let read = |name: &str| fs::read(folder.join("fleet").join(name)).ok();
    assert_eq!(tool_in(folder, &report).status.code(), Some(0));
    let expected = names.map(read);
    for name in ["KILL", "INT", "KILL", "TERM"] {
        names.iter().for_each(|name| fs::remove_file(folder.join("fleet").join(name)).unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        let mut child = command.args(report).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).begin();
        let id = child.id();
        wait_until("a file is there", || names.iter().any(|name| read(name).is_some()) || crate::tool::ended(id));
        signal(id, name);
        child.wait().unwrap();
        for (name, expected) in names.iter().zip(&expected) {
            assert!(read(name).is_none() || read(name) == *expected, "{name} is not whole");
        }
        assert_eq!(tool_in(folder, &report).status.code(), Some(0));
        assert!(names.map(read) == expected, "the same as at once");
    }
}
