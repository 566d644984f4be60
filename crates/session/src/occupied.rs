// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether another run of this tool uses the same processors at the same time.
//!
//! Each run holds a shared lock on one file a processor. Who can have one alone is alone; the kernel gives locks back
//! however a run ends, and they tell runs apart that do not see each other's process numbers.
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Folders for what lasts until the next start; the first that everybody may use is the one everybody looks in.
const FOLDERS: [&str; 3] = ["/run/lock", "/dev/shm", "/tmp"];
/// Everybody may write, and nobody can take away what another has made.
const FOR_EVERYBODY: u32 = 0o1777;

/// The locks of this run, and where others were seen.
#[derive(Debug)]
pub struct Occupied {
    locks: Vec<(u32, File)>,
    seen: BTreeSet<u32>,
}

impl Occupied {
    /// Occupies processors. Where no lock can be had nothing is said: it is nobody's duty to hold one.
    pub fn begin(cpus: impl IntoIterator<Item = u32>) -> Self {
        let folder = FOLDERS.iter().map(Path::new).find(|folder| {
            folder.metadata().is_ok_and(|found| found.is_dir() && found.mode() & 0o7777 == FOR_EVERYBODY)
        });
        folder.map_or(Self::in_folder(Path::new(""), []), |folder| Self::in_folder(folder, cpus))
    }

    fn in_folder(folder: &Path, cpus: impl IntoIterator<Item = u32>) -> Self {
        let cpus: BTreeSet<u32> = cpus.into_iter().collect();
        let lock = |cpu: u32| {
            let file = lock_file(&folder.join(format!("backwall-cpu{cpu}.lock"))).ok()?;
            Some((cpu, file))
        };
        let mut occupied = Self { locks: cpus.into_iter().filter_map(lock).collect(), seen: BTreeSet::new() };
        occupied.look();
        occupied
    }

    /// Looks whether somebody else holds a lock too.
    pub fn look(&mut self) {
        let shared =
            |(_, file): &&(u32, File)| flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
        self.seen.extend(self.locks.iter().filter(shared).map(|(cpu, _)| *cpu));
        // Asking for it alone gave up the shared lock. Where it cannot be had at once, the next look asks again.
        for (_, file) in &self.locks {
            let _ = flock(file, FlockOperation::NonBlockingLockShared);
        }
    }

    /// What is to be said about it.
    pub fn sentence(&self) -> Option<String> {
        let cpus: Vec<String> = self.seen.iter().map(u32::to_string).collect();
        let cpus = cpus.join(", ");
        (!cpus.is_empty())
            .then(|| format!("another run of this tool used CPU {cpus} at the same time: they are each other's load"))
    }
}

/// Opens the file that all users share, or makes it. A link in its place is not followed.
fn lock_file(path: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let readable = Mode::from_raw_mode(0o644);
    let there = || openat(CWD, path, flags, Mode::empty());
    let new = || openat(CWD, path, flags | OFlags::CREATE | OFlags::EXCL, readable);
    // Between the two another run may make it.
    there().or_else(|_| new()).or_else(|_| there()).map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_five_runs_at_once_each_is_told_and_one_on_another_processor_is_not() {
        let top = tempfile::tempdir().unwrap();
        let mut runs: Vec<Occupied> = (0..5).map(|_| Occupied::in_folder(top.path(), [1, 1, 0])).collect();
        let mut apart = Occupied::in_folder(top.path(), [2]);
        runs.iter_mut().for_each(Occupied::look);
        apart.look();
        for run in &runs {
            assert!(run.sentence().unwrap().contains("used CPU 0, 1 at the same time"), "{:?}", run.sentence());
        }
        assert_eq!(apart.sentence(), None);
    }

    #[test]
    fn one_after_the_other_is_alone_and_a_planted_link_is_not_followed() {
        let top = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(top.path().join("new"), top.path().join("backwall-cpu3.lock")).unwrap();
        drop(Occupied::in_folder(top.path(), [1, 3]));
        let mut next = Occupied::in_folder(top.path(), [1, 3]);
        next.look();
        assert_eq!((next.sentence(), next.locks.len()), (None, 1));
        assert!(!top.path().join("new").exists());
    }
}
