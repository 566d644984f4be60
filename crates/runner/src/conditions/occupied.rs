// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether another run of backwall uses the same CPUs at the same time.
//!
//! Each run holds a shared lock on one file per CPU. A process that can lock the file exclusively is alone on that CPU. The
//! kernel releases locks however a run ends, and locks work between containers, where process numbers do not. The files of root
//! are in a folder that only root can write, those of another user in a folder of that user. Otherwise a stranger could lock a
//! file, and every run would report another run that does not exist. `rivals.rs` finds the threads of another user's run.
#![expect(clippy::disallowed_types, reason = "reads and writes files, starts programs")]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use backwall_os::folder::Folder;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Candidate folders whose contents last until the next boot, with backwall's subfolder in each. In `/run` only root can create a
/// folder.
fn places(user: u32) -> Vec<PathBuf> {
    let own = format!("backwall-{user}");
    let first = if user == 0 { PathBuf::from("/run/backwall") } else { format!("/run/user/{user}/backwall").into() };
    [first].into_iter().chain(["/dev/shm", "/tmp"].map(|folder| Path::new(folder).join(&own))).collect()
}

/// The first folder that this user owns or can create. A folder that another user owns or can write does not count.
fn own(places: &[PathBuf]) -> Option<&Path> {
    let is_own = |place: &&PathBuf| {
        // This fails if the folder exists, which is fine.
        let _ = DirBuilder::new().mode(0o700).create(place);
        Folder::open_own(place).is_ok()
    };
    places.iter().find(is_own).map(PathBuf::as_path)
}

#[derive(Debug)]
pub struct Occupied {
    locks: Vec<(u32, File)>,
    seen: BTreeSet<u32>,
}

impl Occupied {
    /// Locks the files of these CPUs. Locks are optional, so a failure prints nothing.
    pub fn begin(cpus: impl IntoIterator<Item = u32>) -> Self {
        let places = places(geteuid().as_raw());
        own(&places).map_or(Self::in_folder(Path::new(""), []), |folder| Self::in_folder(folder, cpus))
    }

    fn in_folder(folder: &Path, cpus: impl IntoIterator<Item = u32>) -> Self {
        let cpus: BTreeSet<u32> = cpus.into_iter().collect();
        let lock = |cpu: u32| {
            let file = lock_file(&folder.join(format!("cpu{cpu}.lock"))).ok()?;
            Some((cpu, file))
        };
        let mut occupied = Self { locks: cpus.into_iter().filter_map(lock).collect(), seen: BTreeSet::new() };
        occupied.look();
        occupied
    }

    pub fn look(&mut self) {
        let shared =
            |(_, file): &&(u32, File)| flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
        self.seen.extend(self.locks.iter().filter(shared).map(|(cpu, _)| *cpu));
        // Trying for the exclusive lock released the shared one, so take the shared one again. If another run holds the file
        // right now, the next check retries.
        for (_, file) in &self.locks {
            let _ = flock(file, FlockOperation::NonBlockingLockShared);
        }
    }

    pub fn sentence(&self) -> Option<String> {
        let cpus: Vec<String> = self.seen.iter().map(u32::to_string).collect();
        let cpus = cpus.join(", ");
        (!cpus.is_empty())
            .then(|| format!("another backwall run used CPU {cpus} at the same time, so each disturbed the other"))
    }
}

/// Opens the file that all runs of this user share, or creates it. Does not follow a symbolic link.
fn lock_file(path: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let own = Mode::from_raw_mode(0o600);
    let there = || openat(CWD, path, flags, Mode::empty());
    let new = || openat(CWD, path, flags | OFlags::CREATE | OFlags::EXCL, own);
    // Another run may create the file between the two attempts.
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

    // Folders and locks that a stranger can leave in a folder that everybody can write.
    #[test]
    fn what_a_stranger_made_or_may_lock_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        for (name, mode) in [("open", 0o777), ("ours", 0o700)] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::set_permissions(at(name), PermissionsExt::from_mode(mode)).unwrap();
        }
        symlink(at("ours"), at("link")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        let places = ["open", "link", "file", "missing/deep", "ours"].map(at);
        assert_eq!(own(&places), Some(at("ours").as_path()));
        assert_eq!(own(&places[..4]), None, "nothing is said rather than something wrong");
        let made = at("made");
        assert_eq!(own(std::slice::from_ref(&made)), Some(made.as_path()));
        let run = Occupied::in_folder(&made, [1]);
        let modes =
            [made.clone(), made.join("cpu1.lock")].map(|path| path.metadata().unwrap().permissions().mode() & 0o777);
        assert_eq!((modes, run.locks.len()), ([0o700, 0o600], 1), "nobody else can open it, and so not lock it");
        if geteuid().is_root() {
            let stranger = std::process::Command::new("setpriv")
                .args(["--reuid=65534", "--clear-groups", "flock", "-s", "-n"])
                .args([made.join("cpu1.lock").as_os_str(), "true".as_ref()])
                .status();
            assert!(stranger.is_err() || !stranger.unwrap().success());
        }
    }

    #[test]
    fn one_after_the_other_is_alone_and_a_planted_link_is_not_followed() {
        let top = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(top.path().join("new"), top.path().join("cpu3.lock")).unwrap();
        drop(Occupied::in_folder(top.path(), [1, 3]));
        let mut next = Occupied::in_folder(top.path(), [1, 3]);
        next.look();
        assert_eq!((next.sentence(), next.locks.len()), (None, 1));
        assert!(!top.path().join("new").exists());
    }
}
