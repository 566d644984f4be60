// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stores runs in folders, in which each file is either complete or missing.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
mod layout;
pub mod samples;
pub mod seal;

use backwall_model::Run;
use backwall_os::folder::{ClaimError, Folder, Unsynced};
use backwall_os::refusal::{Refusal, unable, usage};
use backwall_os::regular_file;
use jiff::Timestamp;
use std::fs::{self, DirBuilder, File};
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

pub const RUNS: &str = "backwall-runs";
pub const LATEST: &str = "latest";
const PIECE_BYTES: usize = 1 << 20;
// The file of a recording. `chain --find` and `trace record` write only this file into the folder, and no run.
const RECORDING: &str = "trace.dat";
pub const RUN_FILE: &str = "run.json";
pub const EDGES_FILE: &str = "edges.bin";
/// An ftrace recording in text form that a lab guest made of itself.
pub const GUEST_TRACE_FILE: &str = "trace.txt";
/// The run so far. If a run is interrupted, this file stays.
pub const CHECKPOINT: &str = "checkpoint.json";
const PAGE: &str = "report.html";
// Other users may read the folders.
const FOLDER_MODE: u32 = 0o755;

/// The folder of a run in progress, locked by this process. If it stays empty, it is removed at the end.
#[derive(Debug)]
pub struct RunFolder {
    folder: Folder,
    /// The folders that this run created for its own folder, innermost first.
    made: Vec<PathBuf>,
}

impl RunFolder {
    /// Creates `out`, or a folder below `backwall-runs/` named after the time and the command. A folder that is not empty is
    /// refused, so nothing is overwritten.
    pub fn create(out: Option<&Path>, command: &str, started: Timestamp) -> backwall_os::refusal::Result<Self> {
        let Some(path) = out else { return numbered(Path::new(RUNS), command, started) };
        let missing = missing(path);
        match make(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(refused(path, error.into())),
            _ => claim(path, missing).map_err(|error| refused(path, error)),
        }
    }

    /// Opens the folder of an unfinished run and returns what it measured; an empty or missing folder starts a new run. Partial
    /// files are removed. If `resumable` refuses the run, nothing is changed.
    pub fn resume(
        path: &Path,
        command: &str,
        started: Timestamp,
        resumable: impl FnOnce(&Run) -> backwall_os::refusal::Result<()>,
    ) -> backwall_os::refusal::Result<(Self, Option<Run>)> {
        if ![RUN_FILE, CHECKPOINT].iter().any(|name| path.join(name).exists()) {
            return Ok((Self::create(Some(path), command, started)?, None));
        }
        let folder = Folder::claim_used(path).map_err(|error| refused(path, error))?;
        let before = read(path)?;
        resumable(&before)?;
        folder.sweep(&[RUN_FILE, CHECKPOINT, PAGE]);
        let folder = Self { folder, made: Vec::new() };
        folder.checkpoint()?.write(&before)?;
        [RUN_FILE, PAGE].iter().for_each(|name| folder.folder.remove(name));
        Ok((folder, Some(before)))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn handle(&self) -> &Folder {
        &self.folder
    }

    /// Writes a file completely or not at all: to a temporary file first, then by a rename.
    pub fn write(&self, name: &str, contents: &[u8]) -> backwall_os::refusal::Result<()> {
        self.folder.write(name, contents).map_err(|error| self.unwritten(name, &error))
    }

    /// Writes a file completely or not at all; `write` provides its contents piece by piece.
    pub fn stream(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
    ) -> backwall_os::refusal::Result<()> {
        self.sync(name, &self.stream_unsynced(name, write)?)
    }

    /// As [`Self::stream`], without a sync.
    pub fn stream_unsynced(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
    ) -> backwall_os::refusal::Result<Unsynced> {
        let written = self.folder.begin(name).and_then(|mut part| {
            let mut pieces = BufWriter::with_capacity(PIECE_BYTES, part.file());
            write(&mut pieces)?;
            pieces.flush()?;
            drop(pieces);
            part.finish_unsynced()
        });
        written.map_err(|error| self.unwritten(name, &error))
    }

    /// Waits until a file is on the disk.
    ///
    /// # Errors
    /// If the disk refuses it.
    pub fn sync(&self, name: &str, file: &Unsynced) -> backwall_os::refusal::Result<()> {
        file.sync().map_err(|error| self.unwritten(name, &error))
    }

    /// Copies a file of any length into the folder, completely or not at all.
    pub fn copy(&self, name: &str, from: &Path) -> backwall_os::refusal::Result<()> {
        let copied = regular_file::open(from).and_then(|mut source| {
            let mut part = self.folder.begin(name)?;
            std::io::copy(&mut source, part.file())?;
            part.finish()
        });
        copied.map_err(|error| self.unwritten(name, &error))
    }

    /// Writes `run.json`, which completes the run, and removes its checkpoint.
    pub fn write_run(&self, run: &Run) -> backwall_os::refusal::Result<()> {
        self.write(RUN_FILE, json(run)?.as_bytes())?;
        self.folder.remove(CHECKPOINT);
        Ok(())
    }

    pub fn checkpoint(&self) -> backwall_os::refusal::Result<Checkpoint> {
        let folder = self.folder.try_clone().map_err(|error| self.unwritten(CHECKPOINT, &error))?;
        Ok(Checkpoint { folder })
    }

    fn unwritten(&self, name: &str, error: &Error) -> Refusal {
        unable(format!("cannot write {}: {error}", self.path().join(name).display()))
    }
}

/// Resolves `latest`: if no file has that name, it means the newest run in the folder of the given path, or in
/// `backwall-runs`. Other names stay as they are.
///
/// # Errors
/// If that folder contains no run.
pub fn meant(place: &Path) -> backwall_os::refusal::Result<PathBuf> {
    newest(place, file_in, "run", "measure one")
}

/// As [`meant`], for the newest recording: the newest folder with this file.
///
/// # Errors
/// If no folder has it.
pub fn meant_recording(place: &Path, file: &str) -> backwall_os::refusal::Result<PathBuf> {
    newest(place, |folder| folder.join(file), "recording", "make one with `backwall trace record`")
}

fn newest(
    place: &Path,
    file_of: impl Fn(&Path) -> PathBuf,
    what: &str,
    way: &str,
) -> backwall_os::refusal::Result<PathBuf> {
    if place.file_name().is_none_or(|name| name != LATEST) || place.exists() {
        return Ok(place.to_path_buf());
    }
    let inside = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(RUNS));
    let folders = fs::read_dir(inside).into_iter().flatten().flatten().map(|entry| entry.path());
    let written = |folder: PathBuf| Some((fs::metadata(file_of(&folder)).ok()?.modified().ok()?, folder));
    let newest = folders.filter(|folder| folder.is_dir()).filter_map(written).max();
    newest.map(|(_, folder)| folder).ok_or_else(|| {
        usage(format!("{}: no {what} in {}; {way}, or name the folder of one", place.display(), inside.display()))
    })
}

/// The name that identifies a run, however the user named it: its folder, or its file in a shared folder.
pub fn home(place: &Path) -> PathBuf {
    let own = place.file_name().is_some_and(|name| [RUN_FILE, CHECKPOINT].iter().any(|own| name == *own));
    place.parent().filter(|_| own).unwrap_or(place).to_path_buf()
}

#[derive(Debug)]
pub struct Checkpoint {
    folder: Folder,
}

impl Checkpoint {
    pub fn write(&self, run: &Run) -> backwall_os::refusal::Result<()> {
        let written = self.folder.write(CHECKPOINT, json(run)?.as_bytes());
        written
            .map_err(|error| unable(format!("cannot write {}: {error}", self.folder.path().join(CHECKPOINT).display())))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // Removing stops, as intended, at a folder that is not empty.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

/// Creates a folder with the first free name in `runs`, atomically.
fn numbered(runs: &Path, command: &str, started: Timestamp) -> backwall_os::refusal::Result<RunFolder> {
    let first = runs.join(format!("{}-{command}", started.strftime("%Y%m%dT%H%M%SZ")));
    let mut number = 1;
    loop {
        let path = if number == 1 { first.clone() } else { PathBuf::from(format!("{}-{number}", first.display())) };
        let missing = missing(&path);
        match own_link(runs).and_then(|()| make(&path)) {
            Ok(()) => return claim(&path, missing).map_err(|error| refused(&path, error)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(refused(&path, error.into())),
        }
    }
}

fn own_link(runs: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(runs) {
        Ok(found) if found.is_symlink() && ![0, rustix::process::geteuid().as_raw()].contains(&found.uid()) => {
            Err(Error::other(format!("{RUNS} is a symbolic link of user {}", found.uid())))
        }
        _ => Ok(()),
    }
}

fn missing(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    missing.map(Path::to_path_buf).collect()
}

/// Creates a folder that does not exist, and its parents. If two processes create the same folder, only one succeeds.
fn make(path: &Path) -> std::io::Result<()> {
    let exclusively = || DirBuilder::new().mode(FOLDER_MODE).create(path);
    match (exclusively(), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(parent)?;
            exclusively()
        }
        (made, _) => made,
    }
}

fn claim(path: &Path, missing: Vec<PathBuf>) -> Result<RunFolder, ClaimError> {
    let folder = Folder::claim(path)?;
    // Another run may have held this folder until now, and may have removed it when it ended.
    if !folder.in_place() {
        return Err(ClaimError::Busy);
    }
    Ok(RunFolder { folder, made: missing })
}

fn refused(path: &Path, why: ClaimError) -> Refusal {
    let place = path.display();
    match why {
        ClaimError::Holds(_) if path.join(RUN_FILE).exists() => {
            usage(format!("--output {place}: it holds a run already; name another folder"))
        }
        ClaimError::Holds(_) | ClaimError::Busy | ClaimError::HeldBy(_) => {
            usage(format!("--output {place}: {why}; name another folder"))
        }
        ClaimError::Shared(_) => usage(format!("--output {place}: {why}; name a folder that does not exist yet")),
        ClaimError::System(error) => unable(format!("{place}: {error}; name another folder with --output")),
    }
}

pub fn json(run: &Run) -> backwall_os::refusal::Result<String> {
    let text = layout::written(run).map_err(|error| usage(format!("run.json: {error}")))?;
    Ok(text + "\n")
}

/// Reads a run from its folder or its `run.json`. For a run in progress or interrupted, it reads the last checkpoint.
///
/// # Errors
/// If there is no such file, or this version cannot read the run. The error is one line with the path.
pub fn read(place: &Path) -> backwall_os::refusal::Result<Run> {
    let place = &meant(place)?;
    let file = if place.is_dir() { file_in(place) } else { place.to_path_buf() };
    if !place.exists() {
        let what = "no such file or folder; name the folder of a run, as printed by the command that made it";
        return Err(usage(format!("{}: {what}", place.display())));
    }
    from_text(regular_file::text(&file, backwall_model::read::MOST_BYTES), &file)
}

/// Reads a run from a file in an open folder. The file may have at most `most` bytes, and a symbolic link is refused.
///
/// # Errors
/// As [`read`].
pub fn read_in(folder: &Folder, name: &str, most: u64) -> backwall_os::refusal::Result<Run> {
    from_text(folder.text(name, most), &folder.path().join(name))
}

/// The runs of a place: the run itself, otherwise the runs in its subfolders, by name.
///
/// # Errors
/// If the place does not exist, or a folder contains no run.
pub fn runs_in(place: &Path) -> backwall_os::refusal::Result<Vec<PathBuf>> {
    let place = &meant(place)?;
    if !place.is_dir() || file_in(place).exists() {
        return Ok(vec![place.to_path_buf()]);
    }
    let failed = |error: Error| usage(format!("{}: {error}", place.display()));
    let inside = fs::read_dir(place).map_err(failed)?.map(|entry| entry.map(|entry| entry.path()));
    let inside: Vec<PathBuf> = inside.collect::<Result<_, Error>>().map_err(failed)?;
    let mut runs: Vec<PathBuf> = inside.into_iter().filter(|path| path.is_dir() && file_in(path).exists()).collect();
    runs.sort();
    // If the folder contains no run, the reader's error says what is missing.
    Ok(if runs.is_empty() { vec![place.to_path_buf()] } else { runs })
}

fn file_in(folder: &Path) -> PathBuf {
    let (run, checkpoint) = (folder.join(RUN_FILE), folder.join(CHECKPOINT));
    if !run.exists() && checkpoint.exists() { checkpoint } else { run }
}

fn from_text(text: Result<String, Error>, path: &Path) -> backwall_os::refusal::Result<Run> {
    let refused = |what: String| usage(format!("{}: {what}", path.display()));
    let failed = |error: Error| match error.kind() {
        ErrorKind::InvalidInput => refused("neither the folder of a run nor its run.json".to_string()),
        ErrorKind::NotFound if path.with_file_name(RECORDING).exists() => {
            refused("a recording, not a run; `backwall trace report` reads it".to_string())
        }
        ErrorKind::NotFound => refused(
            "run.json is missing: this is not the folder of a run, or the command was killed before it wrote this file"
                .to_string(),
        ),
        ErrorKind::FileTooLarge => refused(format!("{error}: no run")),
        _ => refused(error.to_string()),
    };
    let run = backwall_model::read(&text.map_err(failed)?).map_err(|error| refused(error.to_string()))?;
    Ok(run)
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
        assert!(refused.to_string().contains("it holds a run already"));
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
    fn runs_that_begin_in_one_second_get_folders_of_their_own() {
        let top = tempfile::tempdir().unwrap();
        let runs = top.path().join(RUNS);
        let make = || numbered(&runs, "run", Timestamp::UNIX_EPOCH).unwrap();
        let folders: Vec<RunFolder> = std::thread::scope(|scope| {
            let made: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
            made.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let mut paths: Vec<_> = folders.iter().map(|one| one.path().to_path_buf()).collect();
        paths.sort();
        paths.dedup();
        assert_eq!((paths.len(), paths[0].file_name().unwrap().to_str()), (16, Some("19700101T000000Z-run")));
        drop(folders);
        let left = fs::read_dir(&runs).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing was written, nothing stays");
    }

    #[test]
    fn of_many_that_want_one_folder_at_once_one_gets_it_and_the_others_are_told() {
        let top = tempfile::tempdir().unwrap();
        let place = top.path().join("a/b");
        let want = || RunFolder::create(Some(&place), "run", Timestamp::UNIX_EPOCH);
        for _ in 0..50 {
            let got: Vec<_> = std::thread::scope(|scope| {
                let asked: Vec<_> = (0..4).map(|_| scope.spawn(want)).collect();
                asked.into_iter().map(|one| one.join().unwrap()).collect()
            });
            assert_eq!(got.iter().filter(|one| one.is_ok()).count(), 1);
            for refused in got.iter().filter_map(|one| one.as_ref().err()) {
                assert!(refused.to_string().contains("another run is writing there"), "{refused}");
            }
        }
        assert!(!place.join(RUN_FILE).exists());
    }

    #[test]
    fn a_folder_with_anything_in_it_is_refused_and_stays_as_it_is() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("report.html"), "mine").unwrap();
        let refused = RunFolder::create(Some(top.path()), "run", Timestamp::UNIX_EPOCH).unwrap_err().to_string();
        assert!(refused.ends_with("it already contains report.html; name another folder"), "{refused}");
        assert_eq!(fs::read(top.path().join("report.html")).unwrap(), b"mine");
    }

    #[test]
    fn the_latest_run_is_the_one_that_was_written_last() {
        let top = tempfile::tempdir().unwrap();
        let latest = top.path().join(LATEST);
        assert!(meant(&latest).unwrap_err().to_string().contains("no run in"));
        for (name, second) in [("b", 2), ("c", 3), ("a", 1)] {
            let kept = folder(&top.path().join(name));
            kept.write(RUN_FILE, b"{}").unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
            File::open(top.path().join(name).join(RUN_FILE)).unwrap().set_modified(time).unwrap();
        }
        fs::create_dir(top.path().join("z")).unwrap();
        assert_eq!(meant(&latest).unwrap(), top.path().join("c"));
        fs::create_dir(&latest).unwrap();
        assert_eq!(meant(&latest).unwrap(), latest, "what has the name is meant");
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_place() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join(RUN_FILE), "{\"schema\": 3}").unwrap();
        let error = format!("{:#}", read(top.path()).unwrap_err());
        assert!(error.contains("run.json: no run: invalid type: integer `3`, expected a string at line 1"), "{error}");
    }
}
