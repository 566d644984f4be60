// SPDX-License-Identifier: MIT OR Apache-2.0
//! An open folder. What is written there stays there, even if somebody renames folders or creates links at the same time.
//!
//! Every file is created anew, never through a symbolic link, and gets its name when it is complete.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, sleeps")]
use crate::threads;
use rustix::fs::{self, AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Result, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod inside;

const FILE_MODE: Mode = Mode::from_raw_mode(0o644);
const OTHERS_WRITE: u32 = 0o022;
/// Number of names to try for a temporary file, because a killed earlier run may have left a file with such a name.
const MOST_TRIES: u32 = 16;

#[derive(Debug)]
pub struct Folder {
    handle: File,
    path: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error("it already contains {0}")]
    Holds(String),
    #[error("another run is writing there")]
    Busy,
    #[error("process {0} is working there")]
    HeldBy(i32),
    #[error("somebody else can write there ({0})")]
    Shared(String),
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// The process that has locked the file with this inode, from `/proc/locks` (proc(5)). The number is 0 for a process that is not
/// visible from here.
fn holder(locks: &str, inode: u64) -> Option<i32> {
    let held = |row: &str| {
        let words: Vec<&str> = row.split_whitespace().skip_while(|word| *word != "FLOCK").collect();
        let [_, _, _, process, place, ..] = words[..] else { return None };
        let is_it = place.rsplit(':').next()?.parse() == Ok(inode);
        process.parse().ok().filter(|process| is_it && *process > 0)
    };
    // Rows with an arrow belong to processes that wait for the lock.
    locks.lines().filter(|row| !row.contains("->")).find_map(held)
}

/// Number of checks, and interval between them, until the lock of a killed process is gone: 2 s together. They are counted,
/// because on a busy machine a sleep may take seconds.
const CHECKS: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(20);

impl Folder {
    /// Opens an existing folder. An empty path is the current folder.
    pub fn open(path: &Path) -> Result<Self> {
        Self::opened(path, OFlags::empty())
    }

    pub fn open_own(path: &Path) -> std::result::Result<Self, ClaimError> {
        let folder = Self::opened(path, OFlags::NOFOLLOW)?;
        folder.is_unshared().map(|()| folder)
    }

    /// Opens an empty folder that only this user can write, and locks it against other runs as long as it is open.
    pub fn claim(path: &Path) -> std::result::Result<Self, ClaimError> {
        let folder = Self::locked(path)?;
        // Some file systems do not support locks on folders. The checks below work there too.
        let refusal = folder.holds_nothing().and_then(|()| folder.is_unshared());
        folder.unless(refusal)
    }

    pub fn claim_used(path: &Path) -> std::result::Result<Self, ClaimError> {
        let folder = Self::locked(path)?;
        let refusal = folder.is_unshared();
        folder.unless(refusal)
    }

    /// Like [`Folder::claim_used`], but an error names the process that holds the lock. If no live process holds it, this waits:
    /// a child that a killed process was starting holds the lock until its exec.
    pub fn claim_once_free(path: &Path) -> std::result::Result<Self, ClaimError> {
        Self::once_free(path, Self::claim_used)
    }

    /// Like [`Folder::claim_once_free`], but for a folder of the kernel, where backwall creates no files.
    pub fn hold_once_free(path: &Path) -> std::result::Result<Self, ClaimError> {
        Self::once_free(path, Self::locked)
    }

    fn once_free(
        path: &Path,
        mut claim: impl FnMut(&Path) -> std::result::Result<Self, ClaimError>,
    ) -> std::result::Result<Self, ClaimError> {
        for _ in 1..CHECKS {
            let claimed = claim(path);
            let Err(ClaimError::Busy) = claimed else { return claimed };
            if let Some(holder) = Self::locked_by(path) {
                return Err(ClaimError::HeldBy(holder));
            }
            std::thread::sleep(INTERVAL);
        }
        claim(path)
    }

    /// The live process that has locked this folder, if it is visible from here. Takes no lock.
    pub fn locked_by(path: &Path) -> Option<i32> {
        let locks = std::fs::read_to_string("/proc/locks").ok()?;
        let folder = std::fs::metadata(path).ok()?;
        holder(&locks, folder.ino()).filter(|holder| threads::is_alive(*holder))
    }

    fn locked(path: &Path) -> std::result::Result<Self, ClaimError> {
        let folder = Self::opened(path, OFlags::NOFOLLOW)?;
        match fs::flock(&folder.handle, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Err(ClaimError::Busy),
            _ => Ok(folder),
        }
    }

    fn holds_nothing(&self) -> std::result::Result<(), ClaimError> {
        self.names()?.into_iter().next().map_or(Ok(()), |name| Err(ClaimError::Holds(name)))
    }

    fn is_unshared(&self) -> std::result::Result<(), ClaimError> {
        self.shared_with()?.map_or(Ok(()), |whom| Err(ClaimError::Shared(whom)))
    }

    /// On refusal, unlocks the folder at once. Closing the file would not be enough, because a child that is being started shares
    /// backwall's files and their locks until its exec.
    fn unless(self, refusal: std::result::Result<(), ClaimError>) -> std::result::Result<Self, ClaimError> {
        if refusal.is_err() {
            self.release();
        }
        refusal.map(|()| self)
    }

    fn opened(path: &Path, flags: OFlags) -> Result<Self> {
        let place = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = flags | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { handle: fs::openat(CWD, place, flags, Mode::empty())?.into(), path: path.to_path_buf() })
    }

    /// Unlocks the folder for other processes, even while a new child still shares this file.
    pub fn release(&self) {
        let _ = fs::flock(&self.handle, FlockOperation::Unlock);
    }

    pub fn try_clone(&self) -> Result<Self> {
        Ok(Self { handle: self.handle.try_clone()?, path: self.path.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a file that will get the name `name`. If the file system supports it, the file has no name until it is complete, so
    /// a killed writer leaves nothing.
    pub fn begin(&self, name: &str) -> Result<Part> {
        let folder = self.handle.try_clone()?;
        let (file, part) = match self.nameless() {
            Some(file) => (file, None),
            None => {
                let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let (part, file) = first_free(name, |part| fs::openat(&folder, part, new, FILE_MODE))?;
                (file.into(), Some(part))
            }
        };
        Ok(Part { file, folder, part, name: name.to_string() })
    }

    /// A file without a name (O_TMPFILE), if it can get a name later through /proc/self/fd.
    fn nameless(&self) -> Option<File> {
        let new = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = fs::openat(&self.handle, ".", new, FILE_MODE).ok()?;
        fs::statat(CWD, place_of(&file), AtFlags::empty()).ok().map(|_| file.into())
    }

    /// Writes a file completely or not at all.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<()> {
        let mut part = self.begin(name)?;
        part.file.write_all(contents)?;
        part.finish()
    }

    /// Opens a file for appending, and creates it if missing. Others can read the file meanwhile.
    pub fn append(&self, name: &str) -> Result<File> {
        let end = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.handle, name, end, FILE_MODE)?.into())
    }

    pub fn remove(&self, name: &str) {
        let _ = fs::unlinkat(&self.handle, name, AtFlags::empty());
    }

    /// Removes the temporary files that a killed writer left for files with these names.
    pub fn sweep(&self, names: &[&str]) {
        let parts = names.iter().flat_map(|name| (1..=MOST_TRIES).map(move |number| part_name(name, number)));
        parts.for_each(|part| self.remove(&part));
    }

    pub fn in_place(&self) -> bool {
        let same =
            |here: std::fs::Metadata, there: std::fs::Metadata| (here.dev(), here.ino()) == (there.dev(), there.ino());
        let there = std::fs::symlink_metadata(&self.path);
        self.handle.metadata().and_then(|here| Ok(same(here, there?))).unwrap_or(false)
    }

    fn shared_with(&self) -> Result<Option<String>> {
        let found = self.handle.metadata()?;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Ok(Some(format!("it belongs to user {}", found.uid())));
        }
        let mode = found.mode() & 0o7777;
        Ok((mode & OTHERS_WRITE != 0).then(|| format!("its mode is {mode:o}")))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Writes one file completely or not at all. It replaces an existing file, but never a device or pipe.
pub fn write_file(file: &Path, contents: &[u8]) -> Result<()> {
    let mut part = begin_file(file)?;
    part.file.write_all(contents)?;
    part.finish()
}

/// The first step of [`write_file`]. It fails early if the file cannot be written.
pub fn begin_file(file: &Path) -> Result<Part> {
    let name = file.file_name().and_then(|name| name.to_str()).ok_or(Errno::ISDIR)?;
    if std::fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Folder::open(file.parent().unwrap_or(Path::new("")))?.begin(name)
}

fn part_name(name: &str, number: u32) -> String {
    if number == 1 { format!("{name}.part") } else { format!("{name}.part{number}") }
}

fn first_free<T>(name: &str, make: impl Fn(&str) -> rustix::io::Result<T>) -> Result<(String, T)> {
    let made = |part: String| match make(&part) {
        Err(Errno::EXIST) => None,
        made => Some(made.map(|made| (part, made))),
    };
    Ok((1..=MOST_TRIES).map(|number| part_name(name, number)).find_map(made).unwrap_or(Err(Errno::EXIST))?)
}

fn place_of(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A file that is not complete yet. If it is dropped before it is finished, it is removed.
#[derive(Debug)]
pub struct Part {
    file: File,
    folder: File,
    part: Option<String>,
    name: String,
}

impl Part {
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its final name, replacing an existing file.
    pub fn finish(mut self) -> Result<()> {
        self.file.sync_all()?;
        self.take_name()?;
        self.folder.sync_all()
    }

    /// Gives the file its name at once, without a sync. Others can then read it. A caller that needs it on the disk syncs the
    /// returned file.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn finish_unsynced(mut self) -> Result<Unsynced> {
        let unsynced = Unsynced { file: self.file.try_clone()?, folder: self.folder.try_clone()? };
        self.take_name()?;
        Ok(unsynced)
    }

    fn take_name(&mut self) -> Result<()> {
        let part = self.part.take().map_or_else(|| self.named(), Ok)?;
        if let Err(error) = fs::renameat(&self.folder, &part, &self.folder, &self.name) {
            self.part = Some(part);
            return Err(error.into());
        }
        Ok(())
    }

    /// A hard link cannot replace a file, so a file without a name first gets a temporary name.
    fn named(&self) -> Result<String> {
        let place = place_of(&self.file);
        let link = |part: &str| fs::linkat(CWD, &place, &self.folder, part, AtFlags::SYMLINK_FOLLOW);
        Ok(first_free(&self.name, link)?.0)
    }
}

/// A complete file with its final name, which may not be on the disk yet.
#[derive(Debug)]
#[must_use = "a power failure may lose the file until it is synced"]
pub struct Unsynced {
    file: File,
    folder: File,
}

impl Unsynced {
    /// Waits until the file is on the disk.
    ///
    /// # Errors
    /// If the disk refuses it.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_all()?;
        self.folder.sync_all()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let _ = fs::unlinkat(&self.folder, part, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir, read, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn who_holds_a_lock_stands_in_a_row_of_the_kernels() {
        let rows = "1: POSIX  ADVISORY  READ  7 fe:00:11 128 128\n2: FLOCK  ADVISORY  WRITE 4711 fe:00:12 0 EOF\n\
                    2: -> FLOCK  ADVISORY  WRITE 8 fe:00:13 0 EOF\n3: FLOCK  ADVISORY  WRITE 0 fe:00:14 0 EOF\n";
        assert_eq!([11, 12, 13, 14, 15].map(|inode| holder(rows, inode)), [None, Some(4711), None, None, None]);
        for bad in ["", "FLOCK", "1: FLOCK ADVISORY WRITE x fe:00:12 0 EOF", "1: FLOCK ADVISORY WRITE 5 12"] {
            assert!(holder(bad, 12).is_none_or(|process| process == 5), "{bad}");
        }
    }

    #[test]
    fn who_is_at_work_in_a_folder_is_named_at_once() {
        let top = tempfile::tempdir().unwrap();
        let _held = Folder::claim_once_free(top.path()).unwrap();
        let refused = Folder::claim_once_free(top.path()).unwrap_err();
        assert!(matches!(refused, ClaimError::HeldBy(holder) if holder == std::process::id() as i32), "{refused}");
    }

    #[test]
    fn a_lock_that_nobody_alive_holds_is_waited_for() {
        let top = tempfile::tempdir().unwrap();
        for busy in [1, CHECKS - 1, CHECKS] {
            let mut checks = 0;
            let claimed = Folder::once_free(top.path(), |path| {
                checks += 1;
                if checks <= busy { Err(ClaimError::Busy) } else { Folder::claim_used(path) }
            });
            assert_eq!((claimed.is_ok(), checks), (busy < CHECKS, CHECKS.min(busy + 1)));
        }
    }

    fn names(place: &Path) -> Vec<String> {
        Folder::open(place).unwrap().names().unwrap()
    }

    #[test]
    fn links_planted_under_every_name_are_left_alone_or_replaced_never_followed() {
        let top = tempfile::tempdir().unwrap();
        let (victim, place) = (top.path().join("victim"), top.path().join("run"));
        write(&victim, "mine").unwrap();
        create_dir(&place).unwrap();
        for name in ["page", "page.part", "page.part2"] {
            symlink(&victim, place.join(name)).unwrap();
        }
        symlink(top.path().join("new"), place.join("page.part3")).unwrap();
        Folder::open(&place).unwrap().write("page", b"ours").unwrap();
        assert_eq!((read(&victim).unwrap(), read(place.join("page")).unwrap()), (b"mine".to_vec(), b"ours".to_vec()));
        assert!(!place.join("page").is_symlink() && !top.path().join("new").exists());
    }

    #[test]
    fn a_folder_that_was_moved_away_and_replaced_by_a_link_is_written_where_it_is() {
        let top = tempfile::tempdir().unwrap();
        let (place, moved, victim) = (top.path().join("run"), top.path().join("moved"), top.path().join("victim"));
        create_dir(&place).unwrap();
        create_dir(&victim).unwrap();
        let folder = Folder::claim(&place).unwrap();
        std::fs::rename(&place, &moved).unwrap();
        symlink(&victim, &place).unwrap();
        folder.write("page", b"ours").unwrap();
        assert_eq!((names(&victim), names(&moved)), (vec![], vec!["page".to_string()]));
        assert!(!folder.in_place());
    }

    #[test]
    fn only_an_empty_folder_of_our_own_is_claimed_and_only_once() {
        let top = tempfile::tempdir().unwrap();
        let place = top.path().join("run");
        create_dir(&place).unwrap();
        let first = Folder::claim(&place).unwrap();
        assert!(first.in_place() && matches!(Folder::claim(&place), Err(ClaimError::Busy)));
        first.release();
        for mode in [0o775, 0o757, 0o1777] {
            set_permissions(&place, PermissionsExt::from_mode(mode)).unwrap();
            let claimed = Folder::claim(&place).map(|_| ());
            assert!(matches!(claimed, Err(ClaimError::Shared(_))), "{mode:o} {claimed:?}");
        }
        set_permissions(&place, PermissionsExt::from_mode(0o755)).unwrap();
        symlink(&place, top.path().join("link")).unwrap();
        assert!(matches!(Folder::claim(&top.path().join("link")), Err(ClaimError::System(_))));
        write(place.join("notes"), "mine").unwrap();
        assert!(matches!(Folder::claim(&place), Err(ClaimError::Holds(name)) if name == "notes"));
    }

    #[test]
    fn a_file_given_up_leaves_nothing_and_a_name_planted_too_often_is_an_error() {
        let top = tempfile::tempdir().unwrap();
        let folder = Folder::open(top.path()).unwrap();
        drop(folder.begin("page").unwrap());
        assert!(names(top.path()).is_empty());
        let begun = folder.begin("page").unwrap();
        (1..=MOST_TRIES).for_each(|number| write(top.path().join(part_name("page", number)), "mine").unwrap());
        assert_eq!(begun.finish().unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
        assert_eq!(names(top.path()).len(), MOST_TRIES as usize);
    }

    #[test]
    #[expect(clippy::disallowed_macros, reason = "a test that cannot be tried says so")]
    fn a_file_that_is_being_written_has_no_name_by_which_a_killed_writer_could_leave_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = Folder::open(top.path()).unwrap();
        let Some(_) = folder.nameless() else {
            println!("SKIP files without a name: this file system has none");
            return;
        };
        let mut begun = folder.begin("page").unwrap();
        begun.file().write_all(b"ours").unwrap();
        assert!(names(top.path()).is_empty());
        begun.finish().unwrap();
        assert_eq!(
            (names(top.path()), read(top.path().join("page")).unwrap()),
            (vec!["page".into()], b"ours".to_vec())
        );
    }
}
