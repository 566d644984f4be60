// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where saved states are kept: a folder that is the user's alone, of bounded size, each state whole or not there.
use super::cache;
use super::instrument::{CHANNEL, EDGES, HELD};
use super::state_key::Key;
use crate::folder::Folder;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Error, Result};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

/// All states together; the one not used for longest goes first.
const MOST_BYTES: u64 = 2 << 30;
/// A guest that boots in fewer instructions is booted sooner than restored.
const WORTH_INSTRUCTIONS: u64 = 1_000_000_000;
/// Nobody else looks into a guest's memory.
const OURS_ALONE: u32 = 0o700;
/// States share so many locks: two that are made at once seldom wait for each other.
const LOCKS: usize = 16;

/// The machine's memory and devices.
pub(super) const STATE: &str = "state";
const KEY: &str = "key.txt";
/// How the folder of a state begins that is not whole.
const NEW: &str = "new-";
/// How the files of the locks begin.
const LOCK: &str = "lock-";

/// The guest's console.
pub(super) const CONSOLE: &str = "console.txt";
/// Files in which a run that was held has left something, and another goes on.
const RECORDED: [&str; 4] = [EDGES, CHANNEL, CONSOLE, HELD];

/// A machine that goes on where it was held. What was recorded until then is in the folder of the run.
#[derive(Debug)]
pub(super) struct Restored {
    /// The state, to be read from the beginning.
    pub state: File,
    /// What the instrument must be told.
    pub arguments: Vec<String>,
    /// The folder it came from.
    pub place: PathBuf,
}

/// A folder of states.
#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
    most_bytes: u64,
    worth_instructions: u64,
}

/// A state that is being made; dropped before it is finished, it disappears.
#[derive(Debug)]
pub(super) struct Growing<'a> {
    folder: TempDir,
    shelf: &'a Shelf,
}

impl Shelf {
    /// The one in the user's cache.
    pub fn of_user() -> Result<Shelf> {
        Shelf::at(&cache::folder("states")?)
    }

    /// One in that folder, which is made where it is missing.
    ///
    /// # Errors
    /// When it is not the user's alone, or cannot be made.
    pub fn at(folder: &Path) -> Result<Shelf> {
        DirBuilder::new().recursive(true).mode(OURS_ALONE).create(folder)?;
        Folder::open_own(folder).map_err(|why| Error::other(format!("{}: {why}", folder.display())))?;
        Ok(Shelf { folder: folder.to_path_buf(), most_bytes: MOST_BYTES, worth_instructions: WORTH_INSTRUCTIONS })
    }

    /// The same for every guest, however soon it boots.
    pub fn for_all(self) -> Shelf {
        Shelf { worth_instructions: 0, ..self }
    }

    /// Whether a guest that takes so long to boot is kept.
    pub fn keeps(&self, boot_instructions: u64) -> bool {
        boot_instructions >= self.worth_instructions
    }

    /// Held while a state is looked for, made or taken.
    pub(super) fn lock(&self, key: &Key) -> Result<File> {
        let lock = self.lock_file(&key.name())?;
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    fn lock_file(&self, name: &str) -> Result<File> {
        let place = self.folder.join(format!("{LOCK}{}", lock_number(name)));
        OpenOptions::new().create(true).truncate(false).write(true).open(place)
    }

    /// The state of this key, where there is one; what was recorded until it was held goes into the folder of the run.
    pub(super) fn take(&self, key: &Key, run: &Path) -> Result<Option<Restored>> {
        let place = self.folder.join(key.name());
        if fs::read_to_string(place.join(KEY)).ok().as_deref() != Some(key.text()) {
            return Ok(None);
        }
        for name in RECORDED {
            fs::copy(place.join(name), run.join(name))?;
        }
        // Its age counts from when it was used last.
        File::options().write(true).open(place.join(KEY))?.set_modified(SystemTime::now())?;
        let held = fs::read_to_string(run.join(HELD))?;
        let arguments = held.lines().map(str::to_string).collect();
        Ok(Some(Restored { state: File::open(place.join(STATE))?, arguments, place }))
    }

    /// A new state, beside its place. What a killed process left of one goes.
    pub(super) fn begin(&self, key: &Key) -> Result<Growing<'_>> {
        let _ = fs::remove_dir_all(self.folder.join(key.name()));
        let folder = tempfile::Builder::new().prefix(&format!("{NEW}{}-", key.name())).tempdir_in(&self.folder)?;
        Ok(Growing { folder, shelf: self })
    }

    /// Removes what was used longest ago until all is small enough, and what was left unfinished; never the state `kept`.
    pub(super) fn trim(&self, kept: &Key) -> Result<()> {
        let mut states = self.states()?;
        states.sort_by_key(|(used, ..)| *used);
        let mut bytes: u64 = states.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, name) in states {
            let unfinished = name.strip_prefix(NEW);
            if unfinished.is_none() && (bytes <= self.most_bytes || name == kept.name()) {
                continue;
            }
            let of = unfinished.and_then(|rest| rest.split('-').next()).unwrap_or(&name);
            let lock = self.lock_file(of)?;
            // Ours is held by this process, through another opening of the same file, like that of a state in use.
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
                && fs::remove_dir_all(self.folder.join(&name)).is_ok()
            {
                bytes -= size;
            }
        }
        Ok(())
    }

    /// When each was used last, its bytes, and its name.
    fn states(&self) -> Result<Vec<(SystemTime, u64, String)>> {
        let mut states = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let place = self.folder.join(&name);
            if name.starts_with(LOCK) || !place.is_dir() {
                continue;
            }
            let used = fs::metadata(place.join(KEY)).and_then(|key| key.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            states.push((used, size_of(&place), name));
        }
        Ok(states)
    }
}

impl Growing<'_> {
    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Takes in what was recorded until the machine was held, and gives the state its name.
    pub fn finish(self, key: &Key, run: &Path) -> Result<()> {
        for name in RECORDED {
            fs::copy(run.join(name), self.path().join(name))?;
        }
        fs::write(self.path().join(KEY), key.text())?;
        fs::rename(self.path(), self.shelf.folder.join(key.name()))?;
        let _ = self.folder.keep();
        Ok(())
    }
}

fn lock_number(name: &str) -> usize {
    name.bytes().map(usize::from).sum::<usize>() % LOCKS
}

fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.metadata().ok());
    files.map(|file| file.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    struct Place {
        top: TempDir,
    }

    impl Place {
        fn new() -> Place {
            let top = tempfile::tempdir().unwrap();
            let run = top.path().join("run");
            fs::create_dir(&run).unwrap();
            for name in RECORDED {
                fs::write(run.join(name), "a-data=1\n").unwrap();
            }
            Place { top }
        }

        fn run(&self) -> PathBuf {
            self.top.path().join("run")
        }

        fn shelf(&self) -> Shelf {
            Shelf::at(&self.top.path().join("states")).unwrap()
        }

        fn put(&self, shelf: &Shelf, key: &Key, bytes: usize) {
            let growing = shelf.begin(key).unwrap();
            fs::write(growing.path().join(STATE), vec![0; bytes]).unwrap();
            growing.finish(key, &self.run()).unwrap();
        }
    }

    #[test]
    fn a_state_is_given_back_under_its_key_and_no_other() {
        let (place, key) = (Place::new(), Key::of(&["kernel: one".to_string()]));
        let shelf = place.shelf();
        assert!(shelf.take(&key, &place.run()).unwrap().is_none());
        place.put(&shelf, &key, 10);
        let taken = shelf.take(&key, &place.run()).unwrap().unwrap();
        assert_eq!(
            (taken.arguments.as_slice(), taken.state.metadata().unwrap().len()),
            (&["a-data=1".to_string()][..], 10)
        );
        assert!(shelf.take(&Key::of(&["kernel: two".to_string()]), &place.run()).unwrap().is_none());
        // As if two keys had one name.
        fs::write(shelf.folder.join(key.name()).join(KEY), "kernel: two\n").unwrap();
        assert!(shelf.take(&key, &place.run()).unwrap().is_none());
    }

    #[test]
    fn what_was_not_finished_is_no_state_and_goes() {
        let (place, key) = (Place::new(), Key::of(&["kernel: one".to_string()]));
        let shelf = place.shelf();
        let left = shelf.begin(&key).unwrap().folder.keep(); // as after a kill
        drop(shelf.begin(&key).unwrap());
        assert!(shelf.take(&key, &place.run()).unwrap().is_none() && left.is_dir());
        shelf.trim(&key).unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn the_shelf_stays_small_by_what_was_used_longest_ago_and_spares_what_is_in_use() {
        let place = Place::new();
        let shelf = Shelf { most_bytes: 250, ..place.shelf() };
        let mut keys: Vec<Key> = (0..100).map(|n| Key::of(&[format!("kernel: {n}")])).collect();
        keys.sort_by_key(|key| lock_number(&key.name()));
        keys.dedup_by_key(|key| lock_number(&key.name())); // with the lock of one the others are free
        for (key, age) in keys.iter().zip([60, 10, 50, 40, 30, 20]) {
            place.put(&shelf, key, 60);
            let file = File::options().write(true).open(shelf.folder.join(key.name()).join(KEY)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        let in_use = shelf.lock(&keys[0]).unwrap();
        shelf.trim(&keys[2]).unwrap();
        let there = |key: &Key| shelf.folder.join(key.name()).is_dir();
        assert!(there(&keys[0]) && there(&keys[2]), "in use, and the one that was just made");
        assert!(!there(&keys[3]));
        drop(in_use);
        shelf.trim(&keys[2]).unwrap();
        assert!(shelf.states().unwrap().iter().map(|(_, bytes, _)| bytes).sum::<u64>() <= 250);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_no_shelf() {
        let place = Place::new();
        let folder = place.shelf().folder;
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, OURS_ALONE);
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o770)).unwrap();
        assert!(Shelf::at(&folder).unwrap_err().to_string().contains("somebody else can write there"));
    }
}
