// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the folder: each bundle with its page in a folder of its own, and an index of all bundles, also earlier ones. A
//! bundle gets its name when it is complete.
use super::listing::{ListedRun, Listing, Stamp};
use backwall_formats::anonymize::Words;
use backwall_model::{Run, identity};
use backwall_os::folder::Folder;
use backwall_os::parallel;
use backwall_os::parts::Parts;
use backwall_os::refusal::unable;
use backwall_report::page;
use backwall_report::site::{self, IndexEntry, PublishedBundle};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub const BUNDLES: &str = "bundles";
pub const INDEX: &str = "index.html";
const PARTS: &str = ".part";
pub const FILES: [&str; 2] = [page::FILE, backwall_store::RUN_FILE];
const MOST_BYTES: u64 = 1 << 30;

/// The published folder, held open with the folders in it that backwall writes to. None of them is a symbolic link.
pub struct Site {
    folder: Folder,
    bundles: Folder,
    parts: Parts,
    written: Mutex<BTreeMap<String, IndexEntry>>,
}

impl Site {
    /// Opens the folder; creates it if missing.
    ///
    /// # Errors
    /// The folder cannot be written, or a symbolic link or another user's folder is in its place.
    pub fn create(place: &Path) -> backwall_os::refusal::Result<Self> {
        let made = || {
            std::fs::create_dir_all(place)?;
            let folder = Folder::open(place)?;
            let parts = Parts::create(&folder, PARTS)?;
            parts.sweep()?;
            let bundles = folder.make(BUNDLES).inspect_err(|_| parts.remove_empty(&folder))?;
            Ok(Self { folder, bundles, parts, written: Mutex::default() })
        };
        made().map_err(|error| failed(place, &error))
    }

    /// Writes a bundle unless the folder has it. Returns whether it is new.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn add(&self, bundle: &Run) -> backwall_os::refusal::Result<bool> {
        let name = &identity::of(bundle);
        let is_there = || self.bundles.inside(name).is_ok_and(|there| there.has(backwall_store::RUN_FILE));
        if is_there() {
            return Ok(false);
        }
        let failed = |error: Error| failed(&self.bundles.path().join(name), &error);
        let part = self.parts.begin().map_err(failed)?;
        for (file, text) in texts(bundle)? {
            part.folder().write(file, text.as_bytes()).map_err(failed)?;
        }
        // If a bundle lacks its run, a killed process of an earlier version left it.
        if self.bundles.inside(name).is_ok() && !is_there() {
            self.bundles.remove_tree(name).map_err(failed)?;
        }
        match part.finish(&self.bundles, name) {
            Err(_) if is_there() => Ok(false),
            finished => {
                finished.map_err(failed)?;
                let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
                written.insert(name.clone(), IndexEntry::of(bundle));
                Ok(true)
            }
        }
    }

    /// Writes the index of all bundles of the folder. Returns its path, and a line for each bundle that cannot be read. `known`
    /// are words of the project; `cache` is the folder of the cache.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn index(
        &self,
        known: &BTreeSet<String>,
        cache: Option<&Path>,
    ) -> backwall_os::refusal::Result<(PathBuf, Vec<String>)> {
        // Symbolic links are left out: one may lead to a run that is not anonymized.
        let names = self.bundles.folders().map_err(|error| failed(self.bundles.path(), &error))?;
        let listing = Listing::open(cache, &self.folder);
        let (mut all, mut kept, mut refused) = (Vec::new(), BTreeMap::new(), Vec::new());
        for came in parallel::map(&names, parallel::jobs(None), |name| self.listed(name, known, &listing)) {
            match came {
                Ok(Some((name, one))) => {
                    let page = format!("{BUNDLES}/{name}/{}", page::FILE);
                    all.push(PublishedBundle { page, listed: one.listed.clone() });
                    kept.insert(name, one);
                }
                Ok(None) => {}
                Err(error) => refused.push(format!("{error:#}")),
            }
        }
        listing.keep(kept);
        let written = self.folder.write(INDEX, site::page(&all).as_bytes());
        written.map_err(|error| failed(self.folder.path(), &error))?;
        Ok((self.folder.path().join(INDEX), refused))
    }

    /// What the index shows of a bundle, anonymized if needed. `None` if it is not a bundle.
    fn listed(
        &self,
        name: &str,
        known: &BTreeSet<String>,
        listing: &Listing,
    ) -> backwall_os::refusal::Result<Option<(String, ListedRun)>> {
        let place = self.bundles.path().join(name);
        let failed = |error: Error| failed(&place, &error);
        let bundle = self.bundles.inside(name).map_err(failed)?;
        if !bundle.has(backwall_store::RUN_FILE) {
            return Ok(None);
        }
        let stamp =
            bundle.open_file(backwall_store::RUN_FILE).and_then(|file| Stamp::from_file(&file)).map_err(failed)?;
        if let Some(kept) = listing.find(name, stamp) {
            return Ok(Some((name.to_string(), kept.clone())));
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let listed = match written {
            Some(listed) => listed,
            None => {
                let run = backwall_store::read_in(&bundle, backwall_store::RUN_FILE, backwall_model::read::MOST_BYTES)?;
                IndexEntry::of(&backwall_formats::anonymize::bundle(&run, &mut Words::new(known)))
            }
        };
        Ok(Some((name.to_string(), ListedRun { stamp, listed })))
    }
}

impl Site {
    /// The bundles that are not among `committed`, and a line for each entry that backwall did not write. Such an entry may
    /// contain anything.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn uncommitted(
        &self,
        known: &BTreeSet<String>,
        committed: &BTreeSet<String>,
    ) -> backwall_os::refusal::Result<(Vec<String>, Vec<String>)> {
        let names = self.bundles.names().map_err(|error| failed(self.bundles.path(), &error))?;
        let names: Vec<String> = names.into_iter().filter(|name| !committed.contains(name)).collect();
        let (mut ours, mut foreign) = (Vec::new(), Vec::new());
        let refusals = parallel::map(&names, parallel::jobs(None), |name| self.refusal(name, known));
        for (name, refusal) in names.into_iter().zip(refusals) {
            match refusal {
                None => ours.push(name),
                // The index has already reported this bundle.
                Some(Refusal::Unreadable) => {}
                Some(Refusal::Foreign(why)) => {
                    foreign.push(format!("{}: {why}", self.bundles.path().join(name).display()));
                }
            }
        }
        Ok((ours, foreign))
    }

    /// Why a bundle must not be committed. If this process did not write the bundle, backwall makes it again from its run; both
    /// must be identical.
    fn refusal(&self, name: &str, known: &BTreeSet<String>) -> Option<Refusal> {
        if self.written.lock().unwrap_or_else(PoisonError::into_inner).contains_key(name) {
            return None;
        }
        let foreign = |why: &str| Some(Refusal::Foreign(why.to_string()));
        let Ok(folder) = self.bundles.inside(name) else { return foreign("not a folder") };
        if !folder.has(backwall_store::RUN_FILE) {
            return foreign("contains no run");
        }
        let Ok(run) = backwall_store::read_in(&folder, backwall_store::RUN_FILE, backwall_model::read::MOST_BYTES)
        else {
            return Some(Refusal::Unreadable);
        };
        let bundle = backwall_formats::anonymize::bundle(&run, &mut Words::new(known));
        let Ok(texts) = texts(&bundle) else { return Some(Refusal::Unreadable) };
        let is_same =
            |(file, text): &(&str, String)| folder.read(file, MOST_BYTES).is_ok_and(|found| found == text.as_bytes());
        match texts.iter().find(|text| !is_same(text)) {
            Some((file, _)) => foreign(&format!(
                "{file} differs from the output of backwall export site; remove it and publish the \
                    run again"
            )),
            None if identity::of(&bundle) != name => foreign("has the name of another run"),
            None => None,
        }
    }

    /// The bytes of a file, by its path in the folder. Does not follow symbolic links.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn contents(&self, path: &str) -> std::io::Result<Vec<u8>> {
        match path.split('/').collect::<Vec<_>>()[..] {
            [BUNDLES, bundle, file] => self.bundles.inside(bundle)?.read(file, MOST_BYTES),
            _ => self.folder.read(path, MOST_BYTES),
        }
    }
}

enum Refusal {
    Unreadable,
    Foreign(String),
}

fn texts(bundle: &Run) -> backwall_os::refusal::Result<[(&'static str, String); 2]> {
    Ok([(page::FILE, page::page(bundle)), (backwall_store::RUN_FILE, backwall_store::json(bundle)?)])
}

impl Drop for Site {
    fn drop(&mut self) {
        // Remove the folder only if it is empty: another process may still be writing there.
        self.parts.remove_empty(&self.folder);
    }
}

fn failed(place: &Path, error: &Error) -> backwall_os::refusal::Refusal {
    unable(format!("{}: {error}", place.display()))
}
