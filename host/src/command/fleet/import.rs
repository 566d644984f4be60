// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet import SPOOL...`: runs that devices have pushed, each kept once. What is no run costs a line, and the others go on.
use super::create;
use super::told::{Kept, Outcome};
use crate::console::{complain, print};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::regular_file;
use crate::store;
use ::fleet::parcel::{MOST_BYTES, NAMES};
use ::fleet::place::Place;
use ::fleet::plan::is_name;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `backwall fleet import`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folders in which each device has one of its name, and in it the folders of its runs
    #[arg(value_name = "SPOOL", required = true)]
    spools: Vec<PathBuf>,
    /// Take a run away from the spool once it is kept
    #[arg(long)]
    remove: bool,
}

/// Keeps what is new; 3 where something was no run.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut found = Vec::new();
    for spool in &args.spools {
        found.extend(pushed(spool)?);
    }
    let place = create(global)?;
    let (coming, found): (Vec<Pushed>, Vec<Pushed>) = found.into_iter().partition(|pushed| pushed.is_coming());
    let told: Vec<Outcome> = found
        .iter()
        .map(|pushed| Outcome { device: pushed.device.clone(), run: keep(pushed, &place, args.remove) })
        .collect();
    tell(&told, coming.len(), global)
}

/// A folder that a device has pushed.
struct Pushed {
    device: String,
    path: PathBuf,
}

impl Pushed {
    /// Whoever pushes gives a folder its name when it is whole.
    fn is_coming(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') || name.ends_with(".part")
    }
}

/// The folders of a spool by device; a file among them is told when it is read.
fn pushed(spool: &Path) -> anyhow::Result<Vec<Pushed>> {
    let mut found = Vec::new();
    for (device, folder) in inside(spool).map_err(|error| usage(format!("{}: {error}", spool.display())))? {
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

fn keep(pushed: &Pushed, place: &Place, remove: bool) -> Result<Kept, String> {
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
    Ok(Kept::of(&run, &kept))
}

/// A line for each that was refused, and how many are new.
fn tell(told: &[Outcome], coming: usize, global: &Global) -> anyhow::Result<Exit> {
    let count = |wanted: fn(&Result<Kept, String>) -> bool| told.iter().filter(|one| wanted(&one.run)).count();
    let new = count(|run| run.as_ref().is_ok_and(|kept| !kept.again));
    let again = count(|run| run.as_ref().is_ok_and(|kept| kept.again));
    let refused = count(Result::is_err);
    told.iter().filter(|one| one.run.is_err()).for_each(|one| complain(&format!("backwall: {}", one.line())));
    if global.json {
        let runs: Vec<Value> = told.iter().map(Outcome::json).collect();
        let all = json!({ "new": new, "again": again, "refused": refused, "coming": coming, "runs": runs });
        print(&format!("{all:#}\n"))?;
    } else if !global.quiet {
        print(&format!("{new} new, {again} there already, {refused} refused, {coming} still being pushed\n"))?;
    }
    Ok(if refused > 0 { Exit::Undecided } else { Exit::Done })
}
