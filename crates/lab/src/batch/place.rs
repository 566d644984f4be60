// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a campaign: what is planned, what is done, who is at it.
//!
//! ```text
//! campaign.toml      as it was planned
//! units.jsonl        a unit a line
//! scenarios/         each scenario as it was then
//! claims/KEY         locked by whom is at it
//! part/KEY-PID/      being made: its scenarios as they were looked at, what it says, and its run
//! units/KEY/         done: it comes by its name whole, or not at all
//! merged/            all of it together
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
/// In the folder of a unit of a search: why its guest gave no run.
pub const SKIPPED: &str = "skipped.txt";
/// Stored files of a unit's run; pages and other forms are made from them.
const KEPT: [&str; 5] = ["run.json", EDGES, "console.txt", DIFFERENCE, SKIPPED];
const PLAN: &str = "campaign.toml";
const UNITS: &str = "units.jsonl";
pub const MOST_EDGE_BYTES: u64 = 1 << 30;
const MOST_REASON_BYTES: u64 = 1 << 20;
/// Its folders. What is below them is swept, locked and made anew, so none may be a link to elsewhere.
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
    /// The unit had the same result already: it counts once.
    Same,
}

/// A unit claimed by this process, until it is dropped or the process dies.
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
    // No text of a scenario holds a byte of that kind.
    unit_key::digest(texts.into_iter().collect::<Vec<_>>().join("\0").as_bytes())
}

impl Place {
    /// Makes the folder, with its plan, its units, and the text of each scenario.
    ///
    /// # Errors
    /// Where it holds something already, or cannot be written.
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

    /// Adds units to those that are planned, and the texts of their scenarios: what a round of a search found decides the next.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn extend(&self, units: &[Unit], scenarios: &[(String, String)]) -> Result<()> {
        let all = fs::read_to_string(self.0.join(UNITS))? + &rows(units);
        self.write(&all, scenarios)
    }

    pub fn plan(&self) -> Result<String> {
        regular_file::text(&self.0.join(PLAN), MOST_UNIT_BYTES)
    }

    /// The list comes last, and whole: with it the campaign is there.
    fn write(&self, rows: &str, scenarios: &[(String, String)]) -> Result<()> {
        let folder = self.within("scenarios")?;
        for (name, text) in scenarios {
            folder.write(&format!("{name}.toml"), text.as_bytes())?;
        }
        Folder::open(&self.0)?.write(UNITS, rows.as_bytes())
    }

    /// A folder of the campaign, created if missing. A symbolic link, which a received campaign may contain, is refused.
    fn within(&self, name: &str) -> Result<Folder> {
        Folder::open(&self.0)?.make(name)
    }

    /// An existing one, with its units in the order of the plan.
    ///
    /// # Errors
    /// If there is none, or a line of it is not a unit.
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

    /// Removes what killed processes have left of finished units; the rest is removed when its unit is claimed again.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sweep(&self) -> Result<()> {
        parts::sweep(&self.within("part")?, |name, _| {
            let key = name.split_once('-').filter(|(_, process)| process.parse::<u32>().is_ok()).map(|(key, _)| key);
            let key = key.filter(|key| self.0.join("units").join(key).is_dir());
            // A process that repeats a unit has claimed it before making its part.
            let claim = key.and_then(|key| regular_file::open(&self.0.join("claims").join(key)).ok());
            claim.filter(locked)
        })
    }

    /// Claims a unit; `None` if it is done, or another process has it.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn claim(&self, unit: &Unit) -> Result<Option<Claim>> {
        self.claimed(unit, false)
    }

    /// Takes a unit that is done, to carry it out once more; `None` where another process is at it.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn claim_again(&self, unit: &Unit) -> Result<Option<Claim>> {
        self.claimed(unit, true)
    }

    fn claimed(&self, unit: &Unit, again: bool) -> Result<Option<Claim>> {
        let lock = self.within("claims")?.open_lock(&unit.key)?;
        if !locked(&lock) || (!again && self.result(unit).is_dir()) {
            return Ok(None);
        }
        // Anyone who died at the unit had its lock, which is ours now.
        let is_process = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let rest = |name: &str| name.strip_prefix(&unit.key)?.strip_prefix('-').map(is_process);
        let parts = self.within("part")?;
        parts::sweep(&parts, |name, _| rest(name).filter(|is_process| *is_process))?;
        let name = format!("{}-{}", unit.key, std::process::id());
        let work = parts.make(&name)?;
        Ok(Some(Claim { _lock: lock, parts, name, work, unit: unit.clone() }))
    }

    /// Why the guest of a unit of a search gave no run, where it gave none.
    ///
    /// # Errors
    /// Where the reason cannot be read.
    pub fn skipped(result: &Path) -> Result<Option<String>> {
        match regular_file::text(&result.join(SKIPPED), MOST_REASON_BYTES) {
            Ok(why) => Ok(Some(why)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::new(error.kind(), format!("{SKIPPED}: {error}"))),
        }
    }

    /// What must be equal for two results of a unit to be the same: the edges, or what a search found. If a guest gave no run,
    /// how far it came may differ each time, such as when a timeout ended it; that it gave none is the same.
    ///
    /// # Errors
    /// Where it cannot be read.
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

    /// Stores a unit's result, which is complete.
    ///
    /// # Errors
    /// If it has another one already: the unit is not deterministic. Or if the folder cannot be written.
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
                        format!("{}: repeated with other edges, so it is not deterministic", claim.unit.key),
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

/// Takes the lock if nobody holds it. A reader of the state shares the lock for an instant, which this waits for.
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
    /// The folder for its result, not yet created.
    pub fn part(&self) -> PathBuf {
        self.work.path().join(RUN)
    }

    pub fn log(&self) -> PathBuf {
        self.work.path().join("log")
    }

    /// Writes the texts of its scenarios, which nobody changes there, and says where.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn scenarios(&self, texts: &Texts) -> Result<Vec<PathBuf>> {
        let write = |(name, text): &(String, String)| {
            let file = format!("{name}.toml");
            self.work.write(&file, text.as_bytes()).map(|()| self.work.path().join(file))
        };
        texts.iter().map(write).collect()
    }
}

impl Drop for Claim {
    /// An unfinished result is removed, before the lock.
    fn drop(&mut self) {
        let _ = self.parts.remove_tree(&self.name);
    }
}

#[cfg(test)]
mod tests;
