// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that devices pushed into a spool folder, until they are stored in the fleet.
use crate::parcel::{MOST_BYTES, MOST_RUN_BYTES, NAMES};
use crate::place::{Place, RunFate};
use crate::plan::is_name;
use backwall_model::Run;
use backwall_os::folder::Folder;
use std::path::{Path, PathBuf};

/// A folder that a device pushed. The device may replace it at any time.
#[derive(Clone, Debug)]
pub struct Pushed {
    pub device: String,
    /// Name of the run's folder; empty if the device's entry is not a folder.
    run: String,
    spool: PathBuf,
}

impl Pushed {
    /// Whether the folder is still being written: a pusher gives it its final name when it is complete.
    pub fn is_coming(&self) -> bool {
        self.run.starts_with('.') || self.run.ends_with(".part")
    }

    fn path(&self) -> PathBuf {
        [&self.device, &self.run]
            .iter()
            .filter(|name| !name.is_empty())
            .fold(self.spool.clone(), |at, name| at.join(name))
    }

    fn home(&self) -> std::io::Result<Folder> {
        Folder::open(&self.spool)?.inside(&self.device)
    }
}

/// The pushed folders by device. An entry that is a file is reported when it is read.
///
/// # Errors
/// If the spool cannot be read.
pub fn pushed(spool: &Path) -> std::io::Result<Vec<Pushed>> {
    let (mut found, folder) = (Vec::new(), Folder::open(spool)?);
    for device in folder.names()? {
        let runs = folder.inside(&device).and_then(|runs| runs.names());
        // For an entry that is not a folder, [`keep`] reports its name.
        for run in runs.unwrap_or_else(|_| vec![String::new()]) {
            found.push(Pushed { device: device.clone(), run, spool: spool.to_path_buf() });
        }
    }
    Ok(found)
}

/// Stores a run in the fleet, once, and removes it from the spool if `remove`.
///
/// # Errors
/// One line if it is not a run, or cannot be stored.
pub fn keep(pushed: &Pushed, place: &Place, remove: bool) -> Result<(Run, RunFate), String> {
    let path = pushed.path();
    let shown = path.display();
    if !is_name(&pushed.device) {
        return Err(format!("{shown}: the folder of a device must have a name of letters, digits, `-`, `_` and `.`"));
    }
    let opened = pushed.home().and_then(|home| home.inside(&pushed.run).map(|run| (home, run)));
    let (home, folder) = opened.map_err(|_| no_run(&path))?;
    if !folder.has(NAMES[0]) {
        return Err(no_run(&path));
    }
    let run = backwall_store::read_in(&folder, NAMES[0], MOST_RUN_BYTES).map_err(|error| format!("{error:#}"))?;
    let text = backwall_store::json(&run).map_err(|error| format!("{shown}: {error:#}"))?;
    let mut others = Vec::new();
    for name in NAMES.iter().skip(1).filter(|name| folder.has(name)) {
        let bytes = folder.read(name, MOST_BYTES).map_err(|error| format!("{shown}: {name}: {error}"))?;
        others.push((*name, bytes));
    }
    let others: Vec<(&str, &[u8])> = others.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let kept = place.keep(&pushed.device, &run, &text, &others).map_err(|error| format!("{shown}: {error}"))?;
    if remove {
        home.remove_tree(&pushed.run)
            .map_err(|error| format!("{shown}: stored, but not removed from the spool: {error}"))?;
    }
    Ok((run, kept))
}

fn no_run(path: &Path) -> String {
    format!("{}: not the folder of a run: {} is missing", path.display(), NAMES[0])
}
