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
use system::parts::{self, Part};
use system::{parallel, regular_file};

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

/// The folder that is published.
pub struct Site(PathBuf);

impl Site {
    /// The folder, made where there is none.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        let made = [BUNDLES, PARTS].iter().try_for_each(|name| std::fs::create_dir_all(folder.join(name)));
        made.and_then(|()| parts::sweep_left(&folder.join(PARTS))).map_err(|error| failed(folder, &error))?;
        Ok(Self(folder.to_path_buf()))
    }

    /// Writes a bundle, once; whether it was not there.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn add(&self, bundle: &Run) -> anyhow::Result<bool> {
        let place = self.0.join(BUNDLES).join(identity::of(bundle));
        if place.join(store::RUN_FILE).exists() {
            return Ok(false);
        }
        let failed = |error: Error| failed(&place, &error);
        let part = Part::create(&self.0.join(PARTS)).map_err(failed)?;
        let open = Folder::open(part.path()).map_err(failed)?;
        open.write(page::FILE, page::page(bundle).as_bytes()).map_err(failed)?;
        open.write(LISTED, Listed::of(bundle).text().as_bytes()).map_err(failed)?;
        open.write(store::RUN_FILE, store::json(bundle)?.as_bytes()).map_err(failed)?;
        // A bundle without its run is what a killed process of an earlier version left.
        if place.is_dir() && !place.join(store::RUN_FILE).exists() {
            std::fs::remove_dir_all(&place).map_err(failed)?;
        }
        match part.finish(&place) {
            Err(_) if place.join(store::RUN_FILE).exists() => Ok(false),
            finished => finished.map(|()| true).map_err(failed),
        }
    }

    /// Writes the index of all bundles of the folder; where it is, and a line for each bundle that cannot be read. `known` are words of
    /// the project.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn index(&self, known: &BTreeSet<String>) -> anyhow::Result<(PathBuf, Vec<String>)> {
        let names = self.names()?;
        let one = |name: &String| {
            let listed = listed(&self.0.join(BUNDLES).join(name), known)?;
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
        let open = Folder::open(&self.0).and_then(|open| open.write(INDEX, site::page(&all).as_bytes()));
        open.map_err(|error| failed(&self.0, &error))?;
        Ok((self.0.join(INDEX), refused))
    }

    /// The folders of bundles, in order. A link may lead to a run that is not scrubbed.
    fn names(&self) -> anyhow::Result<Vec<String>> {
        let place = self.0.join(BUNDLES);
        let entries = std::fs::read_dir(&place).and_then(|entries| entries.collect::<Result<Vec<_>, Error>>());
        let entries = entries.map_err(|error| failed(&place, &error))?;
        let folders = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Ok(names)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Another process may be writing there still.
        let _ = std::fs::remove_dir(self.0.join(PARTS));
    }
}

/// What the index shows of a bundle. One that another version wrote, or that came from elsewhere, is read whole, scrubbed where it was not,
/// and its rows are put beside it. `None`: it is no bundle.
fn listed(bundle: &Path, known: &BTreeSet<String>) -> anyhow::Result<Option<Listed>> {
    if !bundle.join(store::RUN_FILE).is_file() {
        return Ok(None);
    }
    match regular_file::text(&bundle.join(LISTED), MOST_LISTED_BYTES) {
        Ok(text) => {
            if let Some(listed) = Listed::parse(&text) {
                return Ok(Some(listed));
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(usage(format!("{}: {error}", bundle.join(LISTED).display()))),
    }
    let listed = Listed::of(&crate::bundle(&store::read(bundle)?, &mut Words::new(known)));
    let written = Folder::open(bundle).and_then(|open| open.write(LISTED, listed.text().as_bytes()));
    written.map_err(|error| failed(bundle, &error))?;
    Ok(Some(listed))
}

fn failed(place: &Path, error: &Error) -> anyhow::Error {
    unable(format!("{}: {error}", place.display()))
}
