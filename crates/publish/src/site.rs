// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of the folder: a bundle and its page in a folder each, and the index of all of them, also of earlier ones.
use exit::{unable, usage};
use fleet::key;
use report::{page, site};
use run::Run;
use std::collections::BTreeMap;
use std::io::Error;
use std::path::{Path, PathBuf};
use system::folder::Folder;

/// Where bundles are, in the folder.
pub const BUNDLES: &str = "bundles";
/// The index, beside them.
pub const INDEX: &str = "index.html";

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bundles that were not there.
    pub new: usize,
    /// Bundles that were.
    pub again: usize,
    /// The index.
    pub index: PathBuf,
}

/// Writes each bundle once, and the index anew.
///
/// # Errors
/// Where the folder cannot be written, or a bundle in it cannot be read.
pub fn write(folder: &Path, bundles: &[Run]) -> anyhow::Result<Written> {
    let (mut new, mut again) = (0, 0);
    for bundle in bundles {
        let place = folder.join(BUNDLES).join(key::of(bundle));
        match place.join(store::RUN_FILE).exists() {
            true => again += 1,
            false => {
                // The run comes last: with it the bundle is there.
                let failed = |error: Error| unable(format!("{}: {error}", place.display()));
                std::fs::create_dir_all(&place).map_err(failed)?;
                let open = Folder::open(&place).map_err(failed)?;
                open.write(page::FILE, page::page(bundle).as_bytes()).map_err(failed)?;
                open.write(store::RUN_FILE, store::json(bundle)?.as_bytes()).map_err(failed)?;
                new += 1;
            }
        }
    }
    let all = published(folder)?;
    let shown: Vec<site::Published> = all
        .iter()
        .map(|(name, run)| site::Published { page: format!("{BUNDLES}/{name}/{}", page::FILE), run })
        .collect();
    let failed = |error: Error| unable(format!("{}: {error}", folder.display()));
    Folder::open(folder).and_then(|open| open.write(INDEX, site::page(&shown).as_bytes())).map_err(failed)?;
    Ok(Written { new, again, index: folder.join(INDEX) })
}

/// All bundles of the folder by name.
fn published(folder: &Path) -> anyhow::Result<BTreeMap<String, Run>> {
    let place = folder.join(BUNDLES);
    let failed = |error: Error| usage(format!("{}: {error}", place.display()));
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(&place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().join(store::RUN_FILE).is_file() {
            all.insert(entry.file_name().to_string_lossy().into_owned(), store::read(&entry.path())?);
        }
    }
    Ok(all)
}
