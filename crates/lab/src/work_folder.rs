// SPDX-License-Identifier: MIT OR Apache-2.0
//! The temporary folder of a scenario. It disappears with its owner, and the next run removes what a killed owner left.
//!
//! A file in it is locked as long as the owner lives. The kernel releases the lock however the owner ends. The lock also works
//! between containers that share a temporary folder but do not see each other's process numbers.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use backwall_os::folder::Folder;
use backwall_os::{parts, temporary};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "backwall-lab-";
const LOCK: &str = "lock";

#[derive(Debug)]
pub struct WorkFolder {
    folder: TempDir,
    _lock: File,
}

impl WorkFolder {
    pub fn create() -> std::io::Result<WorkFolder> {
        let top = std::env::temp_dir();
        sweep(&top)?;
        create_in(&top)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn create_in(top: &Path) -> std::io::Result<WorkFolder> {
    loop {
        let folder = temporary::folder(PREFIX, top)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        // No links left: another process removed the folder between the last two steps, because it looked abandoned. Try again.
        if lock.metadata()?.nlink() > 0 {
            return Ok(WorkFolder { folder, _lock: lock });
        }
    }
}

/// Removes the folders in `top` that are this user's and whose lock is free.
fn sweep(top: &Path) -> std::io::Result<()> {
    parts::sweep(&Folder::open(top)?, |name, folder| if name.starts_with(PREFIX) { abandoned(folder) } else { None })
}

/// Takes the lock of a folder without an owner; `None` if it has an owner. A folder without a lock file is about to get one.
fn abandoned(folder: &Folder) -> Option<File> {
    let lock = folder.open_file(LOCK).ok()?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive).ok().map(|()| lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_stays_while_its_owner_lives_and_goes_when_the_lock_is_free() {
        let top = tempfile::tempdir().unwrap();
        let owned = create_in(top.path()).unwrap();
        let left = create_in(top.path()).unwrap();
        let WorkFolder { folder, _lock } = left;
        let left = folder.keep(); // leaves the folder behind without its lock, as a killed process does
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
        let pipe = top.path().join("backwall-lab-pipe/lock");
        fs::create_dir(pipe.parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
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
