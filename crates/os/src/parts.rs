// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders that are written under a temporary name, so that they appear complete or not at all.
//!
//! The owner of the surrounding folder may have put anything there: a symbolic link in place of a folder, or folders of their
//! own. So all access is through open handles, links are refused, and a folder is removed only if its name is one of backwall's
//! and it belongs to this user.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use crate::folder::Folder;
use rustix::fs::{AtFlags, FlockOperation, Mode, fchmod, flock, unlinkat};
use rustix::io::Errno;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

static NUMBER: AtomicU64 = AtomicU64::new(0);
const OURS_ALONE: Mode = Mode::from_raw_mode(0o700);

#[derive(Debug)]
pub struct Parts(Folder);

/// A part that is being written. If the process is killed, the part stays behind without an owner.
#[derive(Debug)]
pub struct Part {
    parts: Folder,
    name: String,
    folder: Folder,
}

impl Parts {
    /// The folder with that name in `home`, created if missing.
    ///
    /// # Errors
    /// If it is a symbolic link or belongs to another user, or cannot be created.
    pub fn create(home: &Folder, name: &str) -> Result<Self> {
        let folder = home.make(name)?;
        if !folder.is_own() {
            let why = format!("{} belongs to another user; remove it", folder.path().display());
            return Err(Error::new(ErrorKind::PermissionDenied, why));
        }
        fchmod(&folder, OURS_ALONE)?;
        Ok(Self(folder))
    }

    /// Begins a new part. If another process sweeps the new folder before this process has locked it, creates another folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn begin(&self) -> Result<Part> {
        loop {
            let name = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
            match self.0.make_new(&name) {
                Err(Errno::EXIST) => continue,
                made => made?,
            }
            let Ok(folder) = self.0.inside(&name) else { continue };
            // If the file system cannot lock folders, a sweep cannot tell whether the part has an owner, and leaves the part
            // alone.
            let is_taken = flock(&folder, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
            if !is_taken && folder.in_place() {
                return Ok(Part { parts: self.0.try_clone()?, name, folder });
            }
        }
    }

    /// Removes the parts of killed processes.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sweep(&self) -> Result<()> {
        let is_free = |part: &Folder| flock(part, FlockOperation::NonBlockingLockExclusive).is_ok();
        // The part's handle keeps the lock until the part is removed.
        sweep(&self.0, |name, part| (is_part(name) && is_free(part)).then_some(()))
    }

    pub fn remove_empty(&self, home: &Folder) {
        if let Some(name) = self.0.path().file_name() {
            let _ = unlinkat(home, name, AtFlags::REMOVEDIR);
        }
    }
}

impl Part {
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Moves the part into a folder under its final name.
    ///
    /// # Errors
    /// If the name exists already, or the folder cannot be written.
    pub fn finish(self, into: &Folder, name: &str) -> Result<()> {
        self.parts.rename(&self.name, into, name)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.parts.remove_tree(&self.name);
    }
}

fn is_part(name: &str) -> bool {
    let is_number = |digits: &str| (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-').is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Removes folders that killed processes left: those that belong to this user and for which `left` returns a value. This function
/// keeps that value, for example a lock, until the folder is removed. Only the caller can tell whether a folder was left. On a
/// local disk, the folder's own lock is free. A disk that many machines share cannot lock folders; there the caller checks the
/// lock file of the result.
///
/// # Errors
/// If the folder cannot be read.
pub fn sweep<T>(folder: &Folder, left: impl Fn(&str, &Folder) -> Option<T>) -> Result<()> {
    for name in folder.folders()? {
        let Ok(part) = folder.inside(&name) else { continue };
        if part.is_own()
            && let Some(_held) = left(&name, &part)
        {
            // Another process may have removed the folder at the same time.
            let _ = folder.remove_tree(&name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, create_dir, create_dir_all, write};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn parts(top: &Path) -> Result<Parts> {
        Parts::create(&Folder::open(top).unwrap(), "part")
    }

    #[test]
    fn what_a_killed_process_has_left_is_removed_and_what_is_being_written_is_not() {
        let top = tempfile::tempdir().unwrap();
        let parts = parts(top.path()).unwrap();
        let part = parts.begin().unwrap();
        let left = top.path().join("part/1-0");
        create_dir(&left).unwrap();
        write(left.join("run.json"), "{\"sch").unwrap();
        parts.sweep().unwrap();
        assert_eq!((part.path().is_dir(), left.exists()), (true, false));
        let held = part.path().to_path_buf();
        // A program that another test starts just now shares the open file, and so the lock, until its exec.
        flock(part.folder(), FlockOperation::Unlock).unwrap();
        parts.sweep().unwrap();
        assert!(!held.exists());
    }

    #[test]
    fn a_part_has_its_name_whole_or_is_gone() {
        let top = tempfile::tempdir().unwrap();
        let home = Folder::open(top.path()).unwrap();
        for (name, goes) in [("a", true), ("a", false), ("b", true)] {
            let part = parts(top.path()).unwrap().begin().unwrap();
            let path = part.path().to_path_buf();
            part.folder().write("x", name.as_bytes()).unwrap();
            assert_eq!(part.finish(&home, name).is_ok(), goes);
            assert!(!path.exists());
        }
        assert!(top.path().join("a/x").is_file());
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_refused_and_nothing_behind_it_is_touched() {
        let top = tempfile::tempdir().unwrap();
        let repository = top.path().join("clone");
        let thesis = top.path().join("thesis");
        create_dir_all(&repository).unwrap();
        create_dir(&thesis).unwrap();
        create_dir(top.path().join("17-0")).unwrap();
        for to in [Path::new(".."), top.path()] {
            symlink(to, repository.join("part")).unwrap();
            let refused = parts(&repository).unwrap_err().to_string();
            assert!(
                refused.ends_with("clone/part is a symbolic link, which backwall does not follow; remove it"),
                "{refused}"
            );
            fs::remove_file(repository.join("part")).unwrap();
        }
        assert!(thesis.is_dir() && repository.is_dir() && top.path().join("17-0").is_dir());
    }

    #[test]
    fn only_what_is_ours_by_name_and_by_owner_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let parts = parts(top.path()).unwrap();
        let folder = top.path().join("part");
        let foreign = ["thesis", "17", "17-", "-0", "17-0x", "17-0-0", "+17-0", "17-000000000000000000000"];
        for name in foreign.iter().chain(&["17-0", "17-2"]) {
            create_dir(folder.join(name)).unwrap();
        }
        create_dir(top.path().join("away")).unwrap();
        symlink("../away", folder.join("17-1")).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            chown(folder.join("17-2"), Some(65_534), None).unwrap();
        }
        parts.sweep().unwrap();
        assert!(foreign.iter().all(|name| folder.join(name).is_dir()));
        assert!(top.path().join("away").is_dir() && folder.join("17-1").is_symlink());
        assert_eq!((folder.join("17-0").exists(), folder.join("17-2").exists()), (false, is_root));
    }

    #[test]
    fn the_folder_is_this_users_alone_whatever_it_was_and_that_of_another_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("part");
        create_dir(&folder).unwrap();
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        parts(top.path()).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o7777, 0o700);
        if rustix::process::geteuid().is_root() {
            chown(&folder, Some(65_534), None).unwrap();
            assert!(parts(top.path()).unwrap_err().to_string().ends_with("belongs to another user; remove it"));
        }
    }
}
