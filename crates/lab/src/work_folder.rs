// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder a scenario works in. It disappears with its owner, and what an owner that was killed left is removed.
//!
//! A file in it is locked for as long as the owner lives; the kernel gives the lock back however the owner ends, and
//! also tells owners apart that do not see each other's process numbers, in containers that share a temporary folder.
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "backwall-lab-";
const LOCK: &str = "lock";

/// A folder that nobody removes while this value lives.
#[derive(Debug)]
pub struct WorkFolder {
    folder: TempDir,
    /// Open, and so locked.
    _lock: File,
}

impl WorkFolder {
    /// Makes one in the temporary folder, and removes those there that nobody owns any more.
    pub fn create() -> std::io::Result<WorkFolder> {
        let top = std::env::temp_dir();
        sweep(&top)?;
        create_in(&top)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn create_in(top: &Path) -> std::io::Result<WorkFolder> {
    loop {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(top)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        // Somebody who swept between the last two steps took it for left behind, and it is gone.
        if lock.metadata()?.nlink() > 0 {
            return Ok(WorkFolder { folder, _lock: lock });
        }
    }
}

/// Removes the folders in `top` that are this user's and whose lock is free.
fn sweep(top: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(top)?.filter_map(Result::ok) {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && let Ok(Some(_lock)) = abandoned(&entry.path()) {
            // What cannot be removed now is removed by another run.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// The lock of a folder without an owner, taken; `None` while it has one. A folder without a lock is about to get one.
fn abandoned(folder: &Path) -> std::io::Result<Option<File>> {
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(Error::from(ErrorKind::PermissionDenied));
    }
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let lock = OpenOptions::new().read(true).custom_flags(no_link).open(folder.join(LOCK))?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(lock)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stays_while_its_owner_lives_and_goes_when_the_lock_is_free() {
        let top = tempfile::tempdir().unwrap();
        let owned = create_in(top.path()).unwrap();
        let left = create_in(top.path()).unwrap();
        let WorkFolder { folder, _lock } = left;
        let left = folder.keep(); // as after a kill: the folder is there, its lock is not held
        drop(_lock);
        sweep(top.path()).unwrap();
        assert!(owned.path().is_dir() && !left.exists());
        let path = owned.path().to_path_buf();
        drop(owned);
        assert!(!path.exists());
    }

    #[test]
    fn what_only_looks_like_a_folder_of_ours_stays() {
        let top = tempfile::tempdir().unwrap();
        let kept = top.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(&kept, top.path().join("backwall-lab-link")).unwrap();
        fs::create_dir(top.path().join("backwall-lab-new")).unwrap();
        fs::create_dir(top.path().join("another-lab")).unwrap();
        sweep(top.path()).unwrap();
        assert!(kept.is_dir() && top.path().join("backwall-lab-link").is_symlink());
        assert!(top.path().join("backwall-lab-new").is_dir() && top.path().join("another-lab").is_dir());
    }

    #[test]
    fn folders_made_and_swept_at_once_are_never_taken_from_a_living_owner() {
        let top = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        sweep(top.path()).unwrap();
                        let owned = create_in(top.path()).unwrap();
                        sweep(top.path()).unwrap();
                        assert!(owned.path().join(LOCK).is_file());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }
}
