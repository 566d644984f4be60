// SPDX-License-Identifier: MIT OR Apache-2.0
//! The store of saved states: a private folder of limited size that contains complete states only.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, reads the clock, sleeps"
)]
use super::instrument::{CHANNEL, HELD};
use super::state_key::Key;
use backwall_os::folder::Folder;
use backwall_os::{cache, temporary};
use backwall_store::EDGES_FILE;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Error, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Limit of all states together. The state that was not used for the longest time is removed first.
const MOST_BYTES: u64 = 2 << 30;
/// A guest that boots in fewer instructions boots faster than it could be restored.
const WORTH_INSTRUCTIONS: u64 = 1_000_000_000;
const OURS_ALONE: u32 = 0o700;
const LOOK_EVERY: Duration = Duration::from_millis(5);

pub(super) const STATE: &str = "state";
const KEY: &str = "key.txt";
const NEW: &str = "new-";
const LOCK: &str = "lock-";

pub(super) const CONSOLE: &str = "console.txt";
const RECORDED: [&str; 4] = [EDGES_FILE, CHANNEL, CONSOLE, HELD];

/// A machine that continues from a saved state. The recording up to that state is in the folder of the run.
#[derive(Debug)]
pub(super) struct RestoredMachine {
    pub state: File,
    pub arguments: Vec<String>,
    /// Bytes of edges that were recorded before the state was saved.
    pub edge_bytes: u64,
}

#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
    most_bytes: u64,
    worth_instructions: u64,
}

/// A state that is being saved. If it is dropped before it is finished, it is removed.
#[derive(Debug)]
pub(super) struct UnfinishedState<'a> {
    folder: TempDir,
    shelf: &'a Shelf,
}

impl Shelf {
    pub fn of_user() -> Result<Shelf> {
        Shelf::at(&cache::folder("states")?)
    }

    /// Opens the store in that folder and creates the folder if it is missing.
    ///
    /// # Errors
    /// If other users can write to it, or it cannot be created.
    pub fn at(folder: &Path) -> Result<Shelf> {
        DirBuilder::new().recursive(true).mode(OURS_ALONE).create(folder)?;
        Folder::open_own(folder).map_err(|why| Error::other(format!("{}: {why}", folder.display())))?;
        Ok(Shelf { folder: folder.to_path_buf(), most_bytes: MOST_BYTES, worth_instructions: WORTH_INSTRUCTIONS })
    }

    pub fn for_all(self) -> Shelf {
        Shelf { worth_instructions: 0, ..self }
    }

    pub fn keeps(&self, boot_instructions: u64) -> bool {
        boot_instructions >= self.worth_instructions
    }

    /// Locks a state while it is looked up, taken, saved or removed.
    ///
    /// # Errors
    /// If `give_up` returns true while another process still holds the lock.
    pub(super) fn lock(&self, key: &Key, give_up: &dyn Fn() -> bool) -> Result<File> {
        loop {
            if let Some(lock) = self.try_lock(&key.name())? {
                return Ok(lock);
            }
            if give_up() {
                return Err(Error::other("another run is making the saved state"));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn try_lock(&self, name: &str) -> Result<Option<File>> {
        let place = self.lock_place(name);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&place)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(None);
        }
        // The previous holder may have removed the lock file. Other processes then lock a new file, so this lock is worth
        // nothing.
        let is_the_one =
            fs::metadata(&place).is_ok_and(|there| lock.metadata().is_ok_and(|own| own.ino() == there.ino()));
        Ok(is_the_one.then_some(lock))
    }

    fn lock_place(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{LOCK}{name}"))
    }

    /// Returns the state of this key, if there is one, and copies its recording into the folder of the run. Removes an unreadable
    /// state. The caller must hold the lock.
    pub(super) fn take(&self, key: &Key, run: &Path) -> Result<Option<RestoredMachine>> {
        let place = self.folder.join(key.name());
        if fs::read_to_string(place.join(KEY)).ok().as_deref() != Some(key.text()) {
            return Ok(None);
        }
        let (Ok(recorded), Ok(state)) = (recorded(&place), File::open(place.join(STATE))) else {
            self.remove(key);
            return Ok(None);
        };
        for (name, bytes) in RECORDED.iter().zip(&recorded) {
            fs::write(run.join(name), bytes)?;
        }
        // Touch the state, because its age counts from its last use.
        File::options().write(true).open(place.join(KEY))?.set_modified(SystemTime::now())?;
        let [edges, .., held] = &recorded;
        let arguments = String::from_utf8_lossy(held).lines().map(str::to_string).collect();
        Ok(Some(RestoredMachine { state, arguments, edge_bytes: edges.len() as u64 }))
    }

    pub(super) fn remove(&self, key: &Key) {
        // Whatever cannot be removed here is replaced when the state is saved again.
        let _ = fs::remove_dir_all(self.folder.join(key.name()));
    }

    /// Begins a new state in a temporary folder and removes the remains of killed processes. The caller must hold the lock.
    pub(super) fn begin(&self, key: &Key) -> Result<UnfinishedState<'_>> {
        self.remove(key);
        let beside = format!("{NEW}{}-", key.name());
        for (.., left) in self.states()?.into_iter().filter(|(.., name)| name.starts_with(&beside)) {
            let _ = fs::remove_dir_all(self.folder.join(left));
        }
        let folder = temporary::folder(&beside, &self.folder)?;
        Ok(UnfinishedState { folder, shelf: self })
    }

    /// Removes unfinished states, and the least recently used ones until the total size is within the limit. It never removes
    /// `kept`.
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
            // This fails for a state in use, and for the one just saved: this process has that lock file open a second time.
            let Some(_lock) = self.try_lock(of)? else { continue };
            if fs::remove_dir_all(self.folder.join(&name)).is_ok() {
                bytes -= size;
                let _ = fs::remove_file(self.lock_place(of));
            }
        }
        Ok(())
    }

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

impl UnfinishedState<'_> {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Adds the recording made before the state was saved, writes everything to disk, and gives the state its name.
    pub fn finish(self, key: &Key, run: &Path) -> Result<()> {
        for name in RECORDED {
            fs::copy(run.join(name), self.path().join(name))?;
            File::open(self.path().join(name))?.sync_all()?;
        }
        fs::write(self.path().join(KEY), key.text())?;
        File::open(self.path().join(KEY))?.sync_all()?;
        File::open(self.path())?.sync_all()?;
        fs::rename(self.path(), self.shelf.folder.join(key.name()))?;
        let _ = self.folder.keep();
        Ok(())
    }
}

fn recorded(place: &Path) -> Result<[Vec<u8>; RECORDED.len()]> {
    let mut read = RECORDED.map(|_| Vec::new());
    for (bytes, name) in read.iter_mut().zip(RECORDED) {
        *bytes = fs::read(place.join(name))?;
    }
    Ok(read)
}

fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.metadata().ok());
    files.map(|file| file.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::os::unix::fs::PermissionsExt;

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
        // Imitates two keys with the same digest.
        fs::write(shelf.folder.join(key.name()).join(KEY), "kernel: two\n").unwrap();
        assert!(shelf.take(&key, &place.run()).unwrap().is_none());
    }

    #[test]
    fn what_was_not_finished_is_no_state_and_goes() {
        let (place, key, other) = (Place::new(), Key::of(&["kernel: one".into()]), Key::of(&["kernel: two".into()]));
        let shelf = place.shelf();
        let left = |key: &Key| shelf.begin(key).unwrap().folder.keep(); // leaves the folder behind, as a killed process does
        let (own, others) = (left(&key), left(&other));
        let _lock = shelf.lock(&key, &|| false).unwrap();
        assert!(shelf.take(&key, &place.run()).unwrap().is_none() && own.is_dir());
        drop(shelf.begin(&key).unwrap());
        assert!(!own.exists() && others.is_dir(), "who makes a state anew removes what is left of it");
        shelf.trim(&key).unwrap();
        assert!(!others.exists());
    }

    #[test]
    fn the_shelf_stays_small_by_what_was_used_longest_ago_and_spares_what_is_in_use() {
        let place = Place::new();
        let shelf = Shelf { most_bytes: 250, ..place.shelf() };
        let keys: Vec<Key> = (0..6).map(|n| Key::of(&[format!("kernel: {n}")])).collect();
        for (key, age) in keys.iter().zip([60, 10, 50, 40, 30, 20]) {
            place.put(&shelf, key, 60);
            let file = File::options().write(true).open(shelf.folder.join(key.name()).join(KEY)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        let in_use = shelf.lock(&keys[0], &|| false).unwrap();
        shelf.trim(&keys[2]).unwrap();
        let there = |key: &Key| shelf.folder.join(key.name()).is_dir();
        assert!(there(&keys[0]) && there(&keys[2]), "in use, and the one that was just made");
        assert!(!there(&keys[3]));
        drop(in_use);
        shelf.trim(&keys[2]).unwrap();
        assert!(shelf.states().unwrap().iter().map(|(_, bytes, _)| bytes).sum::<u64>() <= 250);
    }

    #[test]
    fn a_lock_that_another_holds_is_waited_for_until_it_is_time_to_give_up() {
        let place = Place::new();
        let (shelf, key, never) = (place.shelf(), Key::of(&["kernel: one".to_string()]), || false);
        let held = shelf.lock(&key, &never).unwrap();
        shelf.lock(&Key::of(&["kernel: two".to_string()]), &|| true).expect("another key has a lock of its own");
        let (looks, held) = (Cell::new(0), Cell::new(Some(held)));
        let asked = shelf.lock(&key, &|| looks.replace(looks.get() + 1) == 3);
        assert!(asked.unwrap_err().to_string().contains("another run"));
        // Another process releases the lock and removes its file while this one waits for it.
        shelf
            .lock(&key, &|| {
                let _ = fs::remove_file(shelf.lock_place(&key.name()));
                drop(held.take());
                false
            })
            .unwrap();
    }

    #[test]
    fn a_state_whose_files_cannot_be_read_is_no_more() {
        let (place, key) = (Place::new(), Key::of(&["kernel: one".to_string()]));
        let shelf = place.shelf();
        for name in RECORDED.into_iter().chain([STATE]) {
            place.put(&shelf, &key, 10);
            fs::remove_file(shelf.folder.join(key.name()).join(name)).unwrap();
            assert!(shelf.take(&key, &place.run()).unwrap().is_none(), "{name}");
            assert!(!shelf.folder.join(key.name()).exists(), "{name}");
        }
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
