// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the folder: a bundle, its page and its rows of the index in a folder each, and the index of all of them, also of earlier
//! ones. A bundle comes by its name whole, or not at all.
use crate::Words;
use exit::{unable, usage};
use report::page;
use report::site::{self, Listed, Published};
use run::{Run, identity};
use std::collections::BTreeSet;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use system::folder::Folder;
use system::parallel;
use system::parts::Parts;

/// Where bundles are, in the folder.
pub const BUNDLES: &str = "bundles";
/// The index, beside them.
pub const INDEX: &str = "index.html";
/// Of a bundle, what the index shows.
const LISTED: &str = "listed.json";
/// The files of a bundle.
pub const FILES: [&str; 3] = [store::RUN_FILE, page::FILE, LISTED];
/// Where bundles are written until they are whole.
const PARTS: &str = ".part";
/// A longer text is none of an index.
const MOST_LISTED_BYTES: u64 = 16 << 20;

/// The folder that is published, held open with what we write to in it: none of them is a symbolic link.
pub struct Site {
    folder: Folder,
    bundles: Folder,
    parts: Parts,
}

impl Site {
    /// The folder, made where there is none.
    ///
    /// # Errors
    /// Where it cannot be written, or a symbolic link or another user's folder is where ours belong.
    pub fn create(place: &Path) -> anyhow::Result<Self> {
        let made = || {
            std::fs::create_dir_all(place)?;
            let folder = Folder::open(place)?;
            let parts = Parts::create(&folder, PARTS)?;
            parts.sweep()?;
            let bundles = folder.make(BUNDLES).inspect_err(|_| parts.remove_empty(&folder))?;
            Ok(Self { folder, bundles, parts })
        };
        made().map_err(|error| failed(place, &error))
    }

    /// Writes a bundle, once; whether it was not there.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn add(&self, bundle: &Run) -> anyhow::Result<bool> {
        let name = &identity::of(bundle);
        let is_there = || self.bundles.inside(name).is_ok_and(|there| there.has(store::RUN_FILE));
        if is_there() {
            return Ok(false);
        }
        let failed = |error: Error| failed(&self.bundles.path().join(name), &error);
        let part = self.parts.begin().map_err(failed)?;
        let write = |file: &str, text: String| part.folder().write(file, text.as_bytes()).map_err(failed);
        write(page::FILE, page::page(bundle))?;
        write(LISTED, Listed::of(bundle).text())?;
        write(store::RUN_FILE, store::json(bundle)?)?;
        // A bundle without its run is what a killed process of an earlier version left.
        if self.bundles.inside(name).is_ok() && !is_there() {
            self.bundles.remove_tree(name).map_err(failed)?;
        }
        match part.finish(&self.bundles, name) {
            Err(_) if is_there() => Ok(false),
            finished => finished.map(|()| true).map_err(failed),
        }
    }

    /// Writes the index of all bundles of the folder; where it is, and a line for each bundle that cannot be read. `known` are words of
    /// the project.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn index(&self, known: &BTreeSet<String>) -> anyhow::Result<(PathBuf, Vec<String>)> {
        // A link may lead to a run that is not scrubbed.
        let names = self.bundles.folders().map_err(|error| failed(self.bundles.path(), &error))?;
        let one = |name: &String| {
            let listed = listed(&self.bundles, name, known)?;
            Ok(listed.map(|listed| Published { page: format!("{BUNDLES}/{name}/{}", page::FILE), listed }))
        };
        let (mut all, mut refused) = (Vec::new(), Vec::new());
        for came in parallel::map(&names, parallel::jobs(None), one) {
            let came: anyhow::Result<Option<Published>> = came;
            match came {
                Ok(published) => all.extend(published),
                Err(error) => refused.push(format!("{error:#}")),
            }
        }
        let written = self.folder.write(INDEX, site::page(&all).as_bytes());
        written.map_err(|error| failed(self.folder.path(), &error))?;
        Ok((self.folder.path().join(INDEX), refused))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Another process may be writing there still.
        self.parts.remove_empty(&self.folder);
    }
}

/// What the index shows of a bundle. One that another version wrote, or that came from elsewhere, is read whole, scrubbed where it was not,
/// and its rows are put beside it. `None`: it is no bundle.
fn listed(bundles: &Folder, name: &str, known: &BTreeSet<String>) -> anyhow::Result<Option<Listed>> {
    let place = bundles.path().join(name);
    let bundle = bundles.inside(name).map_err(|error| failed(&place, &error))?;
    if !bundle.has(store::RUN_FILE) {
        return Ok(None);
    }
    match bundle.text(LISTED, MOST_LISTED_BYTES) {
        Ok(text) => {
            if let Some(listed) = Listed::parse(&text) {
                return Ok(Some(listed));
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(usage(format!("{}: {error}", place.join(LISTED).display()))),
    }
    let listed = Listed::of(&crate::bundle(
        &store::read_in(&bundle, store::RUN_FILE, run::read::MOST_BYTES)?,
        &mut Words::new(known),
    ));
    bundle.write(LISTED, listed.text().as_bytes()).map_err(|error| failed(&place, &error))?;
    Ok(Some(listed))
}

fn failed(place: &Path, error: &Error) -> anyhow::Error {
    unable(format!("{}: {error}", place.display()))
}
