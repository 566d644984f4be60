// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the index shows of each bundle, cached for the user, so that backwall need not read thousands of unchanged runs again.
//! The cache is not next to the bundles: a stranger may have given the folder to the user, with anything in it.
use backwall_os::folder::Folder;
use backwall_report::site::IndexEntry;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Result;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

const MOST_BYTES: u64 = 1 << 30;
const OURS_ALONE: u32 = 0o700;
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ListedRun {
    pub stamp: Stamp,
    pub listed: IndexEntry,
}

/// Identifies one state of a file. Only root can set the change time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn from_file(file: &File) -> Result<Self> {
        let found = file.metadata()?;
        let changed = (found.ctime(), found.ctime_nsec());
        Ok(Self { device: found.dev(), inode: found.ino(), bytes: found.len(), changed })
    }
}

#[derive(Serialize, Deserialize)]
struct StoredListing {
    version: String,
    bundles: BTreeMap<String, ListedRun>,
}

pub(crate) struct Listing {
    /// `None` without a cache: every run is read.
    place: Option<(Folder, String)>,
    before: BTreeMap<String, ListedRun>,
}

impl Listing {
    pub(crate) fn open(cache: Option<&Path>, site: &Folder) -> Self {
        let place = cache.and_then(|cache| opened(cache, site).ok());
        let stored = place.as_ref().and_then(|(folder, name)| folder.read(name, MOST_BYTES).ok());
        let stored = stored.and_then(|bytes| serde_json::from_slice::<StoredListing>(&bytes).ok());
        let before = stored.filter(|stored| stored.version == VERSION).map(|stored| stored.bundles);
        Self { place, before: before.unwrap_or_default() }
    }

    pub(crate) fn find(&self, name: &str, stamp: Stamp) -> Option<&ListedRun> {
        self.before.get(name).filter(|kept| kept.stamp == stamp)
    }

    /// Stores the cache. If that fails, the next call only takes longer.
    pub(crate) fn keep(self, bundles: BTreeMap<String, ListedRun>) {
        let Some((folder, name)) = self.place else { return };
        let stored = StoredListing { version: VERSION.to_string(), bundles };
        let _ = serde_json::to_vec(&stored).map(|bytes| folder.write(&name, &bytes));
    }
}

fn opened(cache: &Path, site: &Folder) -> Result<(Folder, String)> {
    std::fs::DirBuilder::new().recursive(true).mode(OURS_ALONE).create(cache)?;
    let folder = Folder::open_own(cache).map_err(std::io::Error::other)?;
    let found = rustix::fs::fstat(site.as_fd())?;
    Ok((folder, format!("{:x}-{:x}.json", found.st_dev, found.st_ino)))
}
