// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a batch: the plan, the results, and who is working on which unit.
//!
//! ```text
//! campaign.toml      the plan as it was given
//! units.jsonl        one unit per line
//! scenarios/         each scenario as it was when planned
//! claims/KEY         locked by the process that works on the unit
//! part/KEY-PID/      a unit in progress: its scenarios, its output, and its run
//! units/KEY/         a finished unit; it appears under its name when complete
//! merged/            all results merged
//! ```
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use crate::batch::subcommand::Subcommand;
use crate::batch::unit::Unit;
use crate::{shipped, unit_key};
use backwall_os::folder::Folder;
use backwall_os::{parts, regular_file};
use backwall_store::EDGES_FILE as EDGES;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

pub const DIFFERENCE: &str = "difference.json";
/// File in the folder of a search's unit: the reason why the guest gave no run.
pub const SKIPPED: &str = "skipped.txt";
/// Files of a unit's run that are kept. Pages and other formats are made from them.
const KEPT: [&str; 5] = ["run.json", EDGES, "console.txt", DIFFERENCE, SKIPPED];
const PLAN: &str = "campaign.toml";
const UNITS: &str = "units.jsonl";
pub const MOST_EDGE_BYTES: u64 = 1 << 30;
const MOST_REASON_BYTES: u64 = 1 << 20;
/// Subfolders. backwall cleans, locks and recreates what is in them, so it refuses symbolic links in their place.
const FOLDERS: [&str; 5] = ["claims", "part", "units", "scenarios", "merged"];
const RUN: &str = "run";
const MOST_UNIT_BYTES: u64 = backwall_model::read::MOST_BYTES;

#[derive(Clone, Debug)]
pub struct Place(PathBuf);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Done,
    Running,
    Missing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitFate {
    New,
    /// The unit already had the same result, so it counts once.
    Same,
}

/// A unit claimed by this process, until this value is dropped or the process dies.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
    parts: Folder,
    name: String,
    work: Folder,
    unit: Unit,
}

pub type Texts = Vec<(String, String)>;

pub fn are_as_planned(unit: &Unit, texts: &Texts) -> bool {
    let now = digest(texts.iter().map(|(_, text)| text.as_str()));
    unit.text.as_ref().is_none_or(|planned| *planned == now)
}

pub fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    // A zero byte separates the texts, because no scenario contains one.
    unit_key::digest(texts.into_iter().collect::<Vec<_>>().join("\0").as_bytes())
}

impl Place {
    /// Creates the folder with its plan, its units, and the text of each scenario.
    ///
    /// # Errors
    /// If the folder is not empty or cannot be written.
    pub fn create(folder: &Path, plan: &str, units: &[Unit], scenarios: &[(String, String)]) -> Result<Self> {
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() {
            return Err(Error::new(ErrorKind::AlreadyExists, "the folder is not empty; name a new or an empty one"));
        }
        let place = Self(folder.to_path_buf());
        for name in ["claims", "part", "units", "scenarios"] {
            place.within(name)?;
        }
        Folder::open(folder)?.write(PLAN, plan.as_bytes())?;
        place.write(&rows(units), scenarios)?;
        Ok(place)
    }

    /// Adds units and the texts of their scenarios. A search in rounds plans each round from the results of the one before.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn extend(&self, units: &[Unit], scenarios: &[(String, String)]) -> Result<()> {
        let all = fs::read_to_string(self.0.join(UNITS))? + &rows(units);
        self.write(&all, scenarios)
    }

    pub fn plan(&self) -> Result<String> {
        regular_file::text(&self.0.join(PLAN), MOST_UNIT_BYTES)
    }

    /// Writes the list of units last and atomically, because the batch exists once the list does.
    fn write(&self, rows: &str, scenarios: &[(String, String)]) -> Result<()> {
        let folder = self.within("scenarios")?;
        for (name, text) in scenarios {
            folder.write(&format!("{name}.toml"), text.as_bytes())?;
        }
        Folder::open(&self.0)?.write(UNITS, rows.as_bytes())
    }

    /// A folder of the batch, created if missing. A symbolic link, which a received batch may contain, is refused.
    fn within(&self, name: &str) -> Result<Folder> {
        Folder::open(&self.0)?.make(name)
    }

    /// Opens a batch and returns its units in the order of the plan.
    ///
    /// # Errors
    /// If the folder has no batch, or a line of its list is not a unit.
    pub fn open(folder: &Path) -> Result<(Self, Vec<Unit>)> {
        if let Some(link) = FOLDERS.iter().find(|name| folder.join(name).is_symlink()) {
            return Err(Error::new(ErrorKind::InvalidData, format!("{link}: the link leads out of the folder")));
        }
        let text = regular_file::text(&folder.join(UNITS), MOST_UNIT_BYTES)
            .map_err(|error| Error::new(error.kind(), format!("{UNITS}: {error}")))?;
        let unit = |(number, row): (usize, &str)| {
            let unit = serde_json::from_str::<Unit>(row).ok().filter(Unit::is_sound);
            unit.ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{UNITS}: line {}: not a unit", number + 1)))
        };
        let units = text.lines().enumerate().map(unit).collect::<Result<Vec<Unit>>>()?;
        Ok((Self(folder.to_path_buf()), units))
    }

    pub fn scenario(&self, unit: &Unit) -> PathBuf {
        self.scenario_called(&unit.scenario)
    }

    pub fn against(&self, unit: &Unit) -> Option<PathBuf> {
        unit.against.as_deref().map(|name| self.scenario_called(name))
    }

    fn scenario_called(&self, name: &str) -> PathBuf {
        self.0.join("scenarios").join(format!("{name}.toml"))
    }

    pub fn texts(&self, unit: &Unit) -> Result<Texts> {
        let text = |name: &str| {
            let text = shipped::text_of(&self.scenario_called(name));
            let text = text.map_err(|error| Error::new(error.kind(), format!("scenarios/{name}.toml: {error}")))?;
            Ok((name.to_string(), text))
        };
        [Some(unit.scenario.as_str()), unit.against.as_deref()].into_iter().flatten().map(text).collect()
    }

    pub fn result(&self, unit: &Unit) -> PathBuf {
        self.0.join("units").join(&unit.key)
    }

    /// Where a scenario's results are merged; an earlier merge is removed.
    ///
    /// # Errors
    /// If the folder of merged results is a symbolic link, or cannot be written.
    pub fn merged_anew(&self, scenario: &str) -> Result<PathBuf> {
        let merged = self.within("merged")?;
        match merged.remove_tree(scenario) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(merged.path().join(scenario)),
        }
    }

    pub fn state(&self, unit: &Unit) -> State {
        if self.result(unit).is_dir() {
            return State::Done;
        }
        match regular_file::open(&self.claim_of(unit)) {
            Ok(lock) if try_lock(&lock, FlockOperation::NonBlockingLockShared) => State::Missing,
            Ok(_) => State::Running,
            Err(_) => State::Missing,
        }
    }

    fn claim_of(&self, unit: &Unit) -> PathBuf {
        self.0.join("claims").join(&unit.key)
    }

    /// Removes what killed processes left of finished units. The remains of an unfinished unit are removed when it is claimed
    /// again.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sweep(&self) -> Result<()> {
        parts::sweep(&self.within("part")?, |name, _| {
            let key = name.split_once('-').filter(|(_, process)| process.parse::<u32>().is_ok()).map(|(key, _)| key);
            let key = key.filter(|key| self.0.join("units").join(key).is_dir());
            // If this lock is free, the process that repeated the unit has died, because a process claims a unit before
            // it creates a part.
            let claim = key.and_then(|key| regular_file::open(&self.0.join("claims").join(key)).ok());
            claim.filter(locked)
        })
    }

    /// Claims a unit; `None` if the unit is done, or if another process has claimed it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn claim(&self, unit: &Unit) -> Result<Option<Claim>> {
        self.claimed(unit, false)
    }

    /// Claims a finished unit to run it again; `None` if another process has claimed it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn claim_again(&self, unit: &Unit) -> Result<Option<Claim>> {
        self.claimed(unit, true)
    }

    fn claimed(&self, unit: &Unit, again: bool) -> Result<Option<Claim>> {
        let lock = self.within("claims")?.open_lock(&unit.key)?;
        if !locked(&lock) || (!again && self.result(unit).is_dir()) {
            return Ok(None);
        }
        // A process that died while it worked on this unit held the lock that this process has now, so its remains can be removed.
        let is_process = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let rest = |name: &str| name.strip_prefix(&unit.key)?.strip_prefix('-').map(is_process);
        let parts = self.within("part")?;
        parts::sweep(&parts, |name, _| rest(name).filter(|is_process| *is_process))?;
        let name = format!("{}-{}", unit.key, std::process::id());
        let work = parts.make(&name)?;
        Ok(Some(Claim { _lock: lock, parts, name, work, unit: unit.clone() }))
    }

    /// Why the guest of a search's unit gave no run; `None` if it gave one.
    ///
    /// # Errors
    /// If the reason cannot be read.
    pub fn skipped(result: &Path) -> Result<Option<String>> {
        match regular_file::text(&result.join(SKIPPED), MOST_REASON_BYTES) {
            Ok(why) => Ok(Some(why)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::new(error.kind(), format!("{SKIPPED}: {error}"))),
        }
    }

    /// The part of a result that must be equal if the unit is repeated: the edges, or what a search found. If a guest
    /// gave no run, only that fact counts, because the point at which the guest stopped can differ, for example with a
    /// timeout.
    ///
    /// # Errors
    /// If the result cannot be read.
    pub fn outcome(result: &Path, lab: Subcommand) -> Result<Vec<u8>> {
        match lab {
            Subcommand::Bisect if Self::skipped(result)?.is_some() => Ok(SKIPPED.as_bytes().to_vec()),
            Subcommand::Run | Subcommand::Sweep | Subcommand::Bisect => named(result, EDGES),
            Subcommand::Diff => named(result, DIFFERENCE),
            Subcommand::Saturate => {
                let run = backwall_store::read(result).map_err(|error| Error::other(format!("{error:#}")))?;
                Ok(serde_json::to_vec(&run.pictures)?)
            }
        }
    }

    /// Stores a unit's complete result.
    ///
    /// # Errors
    /// If the unit already has a different result, so that it is not deterministic, or if the folder cannot be written.
    pub fn publish(&self, claim: &Claim) -> Result<UnitFate> {
        let result = self.result(&claim.unit);
        let part = claim.work.inside(RUN)?;
        for name in part.names()?.iter().filter(|name| !KEPT.contains(&name.as_str())) {
            part.remove_file(name)?;
        }
        match claim.work.rename(RUN, &self.within("units")?, &claim.unit.key) {
            Ok(()) => Ok(UnitFate::New),
            Err(_) if result.is_dir() => {
                let outcome = |folder: &Path| Self::outcome(folder, claim.unit.lab);
                let same = outcome(&claim.part())? == outcome(&result)?;
                let _ = claim.work.remove_tree(RUN);
                match same {
                    true => Ok(UnitFate::Same),
                    false => Err(Error::new(
                        ErrorKind::InvalidData,
                        format!(
                            "{}: a repetition gave different edges, so the unit is not deterministic",
                            claim.unit.key
                        ),
                    )),
                }
            }
            Err(error) => Err(error),
        }
    }
}

fn named(result: &Path, name: &str) -> Result<Vec<u8>> {
    let bytes = regular_file::read(&result.join(name), MOST_EDGE_BYTES);
    bytes.map_err(|error| Error::new(error.kind(), format!("{name}: {error}")))
}

fn rows(units: &[Unit]) -> String {
    units.iter().map(|unit| serde_json::to_string(unit).unwrap_or_default() + "\n").collect()
}

fn try_lock(lock: &File, how: FlockOperation) -> bool {
    flock(lock, how).is_ok()
}

/// Takes the lock if no other process holds it. A process that only reads the state holds a shared lock for an instant;
/// this function waits until that lock is released.
fn locked(lock: &File) -> bool {
    while !try_lock(lock, FlockOperation::NonBlockingLockExclusive) {
        if !try_lock(lock, FlockOperation::NonBlockingLockShared) {
            return false;
        }
        let _ = flock(lock, FlockOperation::Unlock);
        std::thread::yield_now();
    }
    true
}

impl Claim {
    /// The folder for the unit's result, not yet created.
    pub fn part(&self) -> PathBuf {
        self.work.path().join(RUN)
    }

    pub fn log(&self) -> PathBuf {
        self.work.path().join("log")
    }

    /// Writes the scenarios' texts into the folder of this claim, where nobody changes them, and returns their paths.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn scenarios(&self, texts: &Texts) -> Result<Vec<PathBuf>> {
        let write = |(name, text): &(String, String)| {
            let file = format!("{name}.toml");
            self.work.write(&file, text.as_bytes()).map(|()| self.work.path().join(file))
        };
        texts.iter().map(write).collect()
    }
}

impl Drop for Claim {
    /// Removes an unfinished result before the lock is released.
    fn drop(&mut self) {
        let _ = self.parts.remove_tree(&self.name);
    }
}

#[cfg(test)]
mod tests;
