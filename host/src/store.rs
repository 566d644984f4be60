// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs on disk: a folder whose files are whole or not there.
use crate::exit::{unable, usage};
use crate::run::{self, Run};
use anyhow::Context;
use jiff::Timestamp;
use rustix::fs::OFlags;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Where runs go when `--out` does not say.
const RUNS: &str = "backwall-runs";
const RUN_FILE: &str = "run.json";
/// Most bytes of a `run.json`: a thousand series with all they can hold.
const MOST_BYTES: u64 = 1 << 30;

/// The folder of a run that is being made. Left empty, what was made of it disappears again.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl RunFolder {
    /// Makes `out`, or a folder under `backwall-runs/` named by time and command.
    /// A folder that holds a run is refused: nothing is overwritten.
    pub fn create(out: Option<&Path>, command: &str, started: Timestamp) -> anyhow::Result<Self> {
        let path = match out {
            Some(path) => path.to_path_buf(),
            None => vacant(&Path::new(RUNS).join(format!("{}-{command}", started.strftime("%Y%m%dT%H%M%SZ")))),
        };
        if path.join(RUN_FILE).exists() {
            return Err(usage(format!("--out {}: it holds a run already; name another folder", path.display())));
        }
        let refused = |error| unable(format!("{}: {error}; name another folder with --out", path.display()));
        let made = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let made = made.map(Path::to_path_buf).collect();
        fs::create_dir_all(&path).map_err(refused)?;
        Ok(Self { path, made })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file whole or not at all: beside its place first, then renamed into it.
    pub fn write(&self, name: &str, contents: &[u8]) -> anyhow::Result<()> {
        let place = self.path.join(name);
        let beside = self.path.join(format!("{name}.part"));
        let written = write_through(&beside, contents).and_then(|()| fs::rename(&beside, &place));
        written.and_then(|()| File::open(&self.path)?.sync_all()).map_err(|error| {
            let _ = fs::remove_file(&beside);
            unable(format!("{} cannot be written: {error}", place.display()))
        })
    }

    /// Takes a file in, whole or not at all, however long it is.
    pub fn copy(&self, name: &str, from: &Path) -> anyhow::Result<()> {
        let place = self.path.join(name);
        let beside = self.path.join(format!("{name}.part"));
        let copied = fs::copy(from, &beside).and_then(|_| File::open(&beside)?.sync_all());
        copied.and_then(|()| fs::rename(&beside, &place)).and_then(|()| File::open(&self.path)?.sync_all()).map_err(
            |error| {
                let _ = fs::remove_file(&beside);
                unable(format!("{} cannot be written: {error}", place.display()))
            },
        )
    }

    /// Writes `run.json`, which makes the folder a run.
    pub fn write_run(&self, run: &Run) -> anyhow::Result<()> {
        self.write(RUN_FILE, json(run)?.as_bytes())
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // Ends, as it should, at a folder with something in it.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// A run as it stands in `run.json`.
pub fn json(run: &Run) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(run).context("run.json")? + "\n")
}

/// Reads a run from its folder, or from its `run.json`.
///
/// # Errors
/// When there is no such file, or it is no run that this version reads; one line with its place.
pub fn read(place: &Path) -> anyhow::Result<Run> {
    let file = if place.is_dir() { place.join(RUN_FILE) } else { place.to_path_buf() };
    let text = text_of(&file)?;
    run::read(&text).map_err(|error| usage(format!("{}: {error}", file.display())))
}

/// The text of a file of bounded size. A device or a pipe may have no end, or nobody at its other end: it is refused
/// without waiting for it.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let refused = |what: String| usage(format!("{}: {what}", path.display()));
    let failed = |error: std::io::Error| refused(error.to_string());
    let nonblocking = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(nonblocking).open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(refused("neither the folder of a run nor its run.json".to_string()));
    }
    if found.len() > MOST_BYTES {
        return Err(refused(format!("{} bytes, and no run has more than {MOST_BYTES}", found.len())));
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

fn write_through(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// The name itself, or with the first free number behind it.
fn vacant(path: &Path) -> PathBuf {
    let numbered = (2..).map(|number| PathBuf::from(format!("{}-{number}", path.display())));
    let mut names = std::iter::once(path.to_path_buf()).chain(numbered);
    names.find(|name| !name.exists()).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(place: &Path) -> RunFolder {
        RunFolder::create(Some(place), "run", Timestamp::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn a_folder_without_a_file_disappears_and_one_with_a_run_is_never_reused() {
        let top = tempfile::tempdir().unwrap();
        let place = top.path().join("a/b");
        drop(folder(&place));
        assert!(!top.path().join("a").exists() && top.path().exists());
        drop(folder(top.path()));
        assert!(top.path().exists(), "what was there before stays");
        folder(&place).write(RUN_FILE, b"{}").unwrap();
        let refused = RunFolder::create(Some(&place), "run", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(refused.to_string().contains("holds a run already"));
        assert!(place.join(RUN_FILE).exists());
    }

    #[test]
    fn a_file_is_written_whole_and_leaves_nothing_beside_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = folder(&top.path().join("run"));
        folder.write("page", b"first").unwrap();
        folder.write("page", b"second").unwrap();
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["page"]);
        assert_eq!(fs::read(folder.path().join("page")).unwrap(), b"second");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let top = tempfile::tempdir().unwrap();
        let name = top.path().join("x");
        assert_eq!(vacant(&name), name);
        fs::create_dir(&name).unwrap();
        assert_eq!(vacant(&name), top.path().join("x-2"));
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_place() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join(RUN_FILE), "{\"schema\": 3}").unwrap();
        let error = format!("{:#}", read(top.path()).unwrap_err());
        assert!(error.contains("run.json: no run: invalid type: integer `3`, expected a string at line 1"), "{error}");
    }
}
