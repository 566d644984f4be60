// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that devices have pushed into a folder, until they are kept.
use crate::parcel::{MOST_BYTES, NAMES};
use crate::place::{Kept, Place};
use crate::plan::is_name;
use run::Run;
use std::fs;
use std::path::{Path, PathBuf};
use system::regular_file;

/// A folder that a device has pushed.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// The device, as its folder is called.
    pub device: String,
    /// Where it lies.
    pub path: PathBuf,
}

impl Pushed {
    /// Whoever pushes gives a folder its name when it is whole.
    pub fn is_coming(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') || name.ends_with(".part")
    }
}

/// The folders of a spool by device; a file among them is told when it is read.
///
/// # Errors
/// Where the spool cannot be read.
pub fn pushed(spool: &Path) -> std::io::Result<Vec<Pushed>> {
    let mut found = Vec::new();
    for (device, folder) in inside(spool)? {
        match inside(&folder) {
            Ok(runs) => found.extend(runs.into_iter().map(|(_, path)| Pushed { device: device.clone(), path })),
            Err(_) => found.push(Pushed { device, path: folder }),
        }
    }
    Ok(found)
}

/// What a folder holds, by name; a link is not followed.
fn inside(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, "it is no folder"));
    }
    let entry = |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    let mut all: Vec<(String, PathBuf)> =
        fs::read_dir(folder)?.map(|one| one.map(entry)).collect::<std::io::Result<_>>()?;
    all.sort();
    Ok(all)
}

/// Keeps a run in the fleet, once, and takes it away from the spool where that is wanted.
///
/// # Errors
/// One line where it is no run, or cannot be kept.
pub fn keep(pushed: &Pushed, place: &Place, remove: bool) -> Result<(Run, Kept), String> {
    let shown = pushed.path.display();
    if !is_name(&pushed.device) {
        return Err(format!("{shown}: a device's folder has a name of letters, digits, `-`, `_` and `.`"));
    }
    let own = |name: &str| fs::symlink_metadata(pushed.path.join(name)).is_ok_and(|found| found.is_file());
    if !inside(&pushed.path).is_ok_and(|_| own(NAMES[0])) {
        return Err(format!("{shown}: not the folder of a run: it has no {}", NAMES[0]));
    }
    let run = store::read(&pushed.path.join(NAMES[0])).map_err(|error| format!("{error:#}"))?;
    let text = store::json(&run).map_err(|error| format!("{shown}: {error:#}"))?;
    let mut others = Vec::new();
    for name in NAMES.iter().skip(1).filter(|name| own(name)) {
        others.push((
            *name,
            regular_file::read(&pushed.path.join(name), MOST_BYTES)
                .map_err(|error| format!("{shown}: {name}: {error}"))?,
        ));
    }
    let others: Vec<(&str, &[u8])> = others.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let kept = place.keep(&pushed.device, &run, &text, &others).map_err(|error| format!("{shown}: {error}"))?;
    if remove {
        fs::remove_dir_all(&pushed.path).map_err(|error| format!("{shown}: kept, but not taken away: {error}"))?;
    }
    Ok((run, kept))
}
