// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders that are written below another name than the one they will have, so that they come whole or not at all.
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells what this process writes apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A folder of a name of its own that is being written: ours while this is there, and what a killed process leaves is nobody's.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    _lock: File,
}

impl Part {
    /// A new one among others. Whoever sweeps between its making and its locking takes it: then another is made.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn create(parts: &Path) -> Result<Self> {
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parts.join(format!("{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            let Ok(lock) = File::open(&path) else { continue };
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() && path.is_dir() {
                return Ok(Self { path, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// Where something has that name already, or the folder cannot be written.
    pub fn finish(self, name: &Path) -> Result<()> {
        fs::rename(&self.path, name)
    }
}

impl Drop for Part {
    /// What has no name by now gets none.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Takes away what processes have left among parts; see [`Part`].
///
/// # Errors
/// Where the folder cannot be read.
pub fn sweep_left(parts: &Path) -> Result<()> {
    sweep(parts, |part| {
        File::open(part).is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
    })
}

/// Takes away what processes have left in a folder that died while they wrote. Only who made a thing knows whether it `is_left`: by
/// its own lock where the disk is this machine's, by the lock of what is made where many machines share it, whose folders cannot be
/// locked.
///
/// # Errors
/// Where the folder cannot be read.
pub fn sweep(parts: &Path, is_left: impl Fn(&Path) -> bool) -> Result<()> {
    for entry in fs::read_dir(parts)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && is_left(&entry.path()) {
            // Whoever sweeps at the same time may have been first.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_has_left_is_taken_away_and_what_is_being_written_is_not() {
        let top = tempfile::tempdir().unwrap();
        let part = Part::create(top.path()).unwrap();
        let left = top.path().join("1-0");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("run.json"), "{\"sch").unwrap();
        sweep_left(top.path()).unwrap();
        assert_eq!((part.path().is_dir(), left.exists()), (true, false));
        let held = part.path().to_path_buf();
        // A program that another test starts at this moment has the open file until it runs, and so would have the lock.
        flock(&part._lock, FlockOperation::Unlock).unwrap();
        sweep_left(top.path()).unwrap();
        assert!(!held.exists());
    }

    #[test]
    fn a_part_has_its_name_whole_or_is_gone() {
        let top = tempfile::tempdir().unwrap();
        for (name, goes) in [("a", true), ("a", false), ("b", true)] {
            let part = Part::create(top.path()).unwrap();
            let path = part.path().to_path_buf();
            fs::write(path.join("x"), name).unwrap();
            assert_eq!(part.finish(&top.path().join(name)).is_ok(), goes);
            assert!(!path.exists());
        }
    }

    #[test]
    fn only_folders_that_are_left_are_taken_away() {
        let top = tempfile::tempdir().unwrap();
        ["left-1", "held-1"].iter().for_each(|name| fs::create_dir(top.path().join(name)).unwrap());
        fs::write(top.path().join("left-2"), "no folder").unwrap();
        sweep(top.path(), |part| part.file_name().unwrap().to_string_lossy().starts_with("left")).unwrap();
        assert_eq!(["left-1", "held-1", "left-2"].map(|name| top.path().join(name).exists()), [false, true, true]);
    }
}
