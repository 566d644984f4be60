// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of changes, which is written before each change.
//!
//! A change is on the disk with its old value before backwall touches its place. So whenever the tool stops, the next call that
//! opens the journal knows what to restore: everything of a trial. Kept changes stay until they are undone.
//!
//! An open journal locks its folder and, if possible, the top of debugfs. The kernel has one debugfs for all containers, while
//! each container has its own folder. So two calls never change one machine at once.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::settings::machine::Machine;
use crate::settings::place::Refused;
use crate::settings::setting::{Change, Setting};
use backwall_os::folder::{ClaimError, Folder};
use backwall_os::machine::DEBUGFS;
use backwall_os::regular_file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

pub const FOLDER: &str = "/var/lib/backwall";
pub const FILE: &str = "tune.json";
const SCHEMA: &str = "backwall/tune/1";
const MACHINE_ID: &str = "/etc/machine-id";
const MOST_BYTES: u64 = 4 << 20;
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// On trial: the next call that finds this change reverts it.
    Trial,
    /// The change helped and stays until it is undone.
    Kept,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub setting: String,
    #[serde(flatten)]
    pub change: Change,
    pub state: State,
    /// When the setting was changed, in RFC 3339; absent in a journal of 0.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    schema: String,
    machine: String,
    boot: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
pub enum RestoreResult {
    Back,
    Already,
    Changed(String),
    /// The thread has ended or the file is gone, so there is nothing to restore.
    Ended,
    Refused(Refused),
}

impl fmt::Display for RestoreResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Back => f.write_str("set back"),
            Self::Already => f.write_str("already has its old value"),
            Self::Changed(found) => write!(f, "has {found}, written by another program since; left unchanged"),
            Self::Ended => f.write_str("no longer exists"),
            Self::Refused(why) => write!(f, "not restored: {why}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{FOLDER}: another backwall tune is active{}; wait for it to end", named(.0))]
    Busy(Option<i32>),
    /// The journal belongs to root, as do the settings.
    #[error("{FOLDER}: only root may change settings")]
    NoRights,
    /// The folder or the file cannot be read or written.
    #[error("{FOLDER}: {0}; backwall must write its journal to disk before it changes a setting")]
    System(String),
    /// backwall cannot tell whether the machine has rebooted since the last change.
    #[error(
        "{BOOT_ID}: cannot read it{}, so backwall cannot tell whether this machine has rebooted; changed nothing", kept_with(*.0)
    )]
    UnknownStart(usize),
    #[error("{FOLDER}/{file}: not a journal of backwall ({why}); changed nothing. Check the file and remove it")]
    Damaged { file: &'static str, why: String },
    #[error(
        "{FOLDER}/{file}: the journal of another machine ({found:?}, this is {here:?}); changed nothing. Remove the \
            file if it was copied"
    )]
    OtherMachine { file: &'static str, found: String, here: String },
}

fn kept_with(entries: usize) -> String {
    if entries == 0 { String::new() } else { format!(", and {FOLDER}/{FILE} keeps its {entries} changes") }
}

fn is_own(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

fn named(process: &Option<i32>) -> String {
    process.map_or(" in another container".to_string(), |process| format!(" ({})", described(process)))
}

/// A process as a user would find it: its number and its command line.
fn described(process: i32) -> String {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&line).trim_end_matches('\0').replace('\0', " ");
    if words.is_empty() { format!("process {process}") } else { format!("process {process}: {words}") }
}

/// Machine ID and boot ID; empty if unreadable.
pub(crate) fn identity(machine: &Machine) -> [String; 2] {
    [MACHINE_ID, BOOT_ID].map(|path| machine.read(path).unwrap_or_default())
}

#[derive(Debug)]
pub struct Journal {
    folder: Folder,
    /// The lock that all containers share; `None` if the kernel has no place for it that this process can use.
    machine_wide: Option<Folder>,
    contents: Contents,
    /// Number of changes from an earlier boot; the reboot has reset them.
    pub forgotten: usize,
    /// The command line recorded in new entries.
    pub command: Option<String>,
}

/// A journal read without its lock: nothing is restored, and a trial may continue meanwhile.
#[derive(Debug)]
pub struct Glance {
    pub entries: Vec<Entry>,
    /// The running `backwall tune`: process number and command line.
    pub active: Option<String>,
}

impl Glance {
    /// # Errors
    /// [`Unusable`] if the journal is damaged or from another machine.
    pub fn at(machine: &Machine) -> Result<Self, Unusable> {
        let [id, boot] = identity(machine);
        let found = stored::<Contents>(machine, FILE)?;
        if let Some(found) = &found {
            belongs(FILE, (&found.schema, SCHEMA), (found.machine.clone(), id))?;
            if boot.is_empty() || found.boot.is_empty() {
                return Err(Unusable::UnknownStart(found.entries.len()));
            }
        }
        let of_this_boot = |found: Contents| if found.boot == boot { found.entries } else { Vec::new() };
        let active = Folder::locked_by(&machine.place(FOLDER)).map(described);
        Ok(Self { entries: found.map(of_this_boot).unwrap_or_default(), active })
    }
}

impl Journal {
    /// Opens the journal; creates an empty one if missing.
    ///
    /// # Errors
    /// [`Unusable`]; nothing was changed.
    pub fn open(machine: &Machine) -> Result<Self, Unusable> {
        let place = machine.place(FOLDER);
        let is_root = rustix::process::geteuid().is_root();
        let system = |error: std::io::Error| match error.kind() {
            ErrorKind::PermissionDenied if !is_root => Unusable::NoRights,
            _ => Unusable::System(error.to_string()),
        };
        DirBuilder::new().recursive(true).mode(0o755).create(&place).map_err(system)?;
        let folder = Folder::claim_once_free(&place).map_err(|error| match error {
            ClaimError::Shared(_) if !is_root && !is_own(&place) => Unusable::NoRights,
            ClaimError::Busy => Unusable::Busy(None),
            ClaimError::HeldBy(holder) => Unusable::Busy(Some(holder)),
            other => Unusable::System(other.to_string()),
        })?;
        let refused = |holder: Option<i32>| {
            folder.release();
            Err(Unusable::Busy(holder))
        };
        // The path may be a link in /proc; `.` names the folder behind it.
        let machine_wide = match Folder::hold_once_free(&machine.place(DEBUGFS).join(".")) {
            Err(ClaimError::Busy) => return refused(None),
            Err(ClaimError::HeldBy(holder)) => return refused(Some(holder)),
            held => held.ok(),
        };
        Self::read(folder, machine_wide, machine)
    }

    /// Whether a journal with entries exists; neither opens nor creates it.
    pub fn is_there(machine: &Machine) -> bool {
        machine.has(&format!("{FOLDER}/{FILE}"))
    }

    fn read(folder: Folder, machine_wide: Option<Folder>, machine: &Machine) -> Result<Self, Unusable> {
        let [id, boot] = identity(machine);
        folder.sweep(&[FILE]);
        let found = stored::<Contents>(machine, FILE)?;
        if let Some(found) = &found {
            belongs(FILE, (&found.schema, SCHEMA), (found.machine.clone(), id.clone()))?;
        }
        let is_known = !boot.is_empty() && found.as_ref().is_none_or(|found| !found.boot.is_empty());
        if !is_known {
            return Err(Unusable::UnknownStart(found.map_or(0, |found| found.entries.len())));
        }
        let empty = Contents { schema: SCHEMA.to_string(), machine: id, boot, entries: vec![] };
        let (contents, forgotten) = match found {
            Some(found) if found.boot == empty.boot => (found, 0),
            Some(found) => {
                // Reported only once: the reboot has reset everything.
                folder.remove(FILE);
                (empty, found.entries.len())
            }
            None => (empty, 0),
        };
        Ok(Self { folder, machine_wide, contents, forgotten, command: None })
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn kept(&self) -> BTreeSet<String> {
        let kept = self.contents.entries.iter().filter(|entry| entry.state == State::Kept);
        kept.map(|entry| entry.setting.clone()).collect()
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.contents.entries
    }

    /// Applies the changes of a setting as a trial, and returns the refused changes, which are then not part of the trial.
    /// Writes nothing if another program has changed a place, so that the place no longer holds the old value of its change.
    ///
    /// # Errors
    /// The first refusal if all are refused, what another program has written, or why the journal cannot be written. The machine
    /// is then unchanged.
    pub fn apply(
        &mut self,
        machine: &Machine,
        setting: &Setting,
        changes: &[Change],
    ) -> Result<Vec<Unmade>, Unapplied> {
        let since = format!("{:.0}", jiff::Timestamp::now());
        let entry = |change: &Change| Entry {
            setting: setting.name.to_string(),
            change: change.clone(),
            state: State::Trial,
            since: Some(since.clone()),
            command: self.command.clone(),
        };
        let before = self.contents.entries.len();
        self.contents.entries.extend(changes.iter().map(entry));
        if let Err(error) = self.write() {
            self.contents.entries.truncate(before);
            return Err(error.into());
        }
        // Check as late as possible, but check all places before the first write: a write to one place may change the value of
        // another place of the same setting.
        let foreign: Vec<(Change, String)> = changes.iter().filter_map(|change| foreign(machine, change)).collect();
        if !foreign.is_empty() {
            self.contents.entries.truncate(before);
            self.write()?;
            return Err(Unapplied::Changed(foreign));
        }
        let mut unmade: Vec<Unmade> = changes.iter().filter_map(|change| make(machine, change)).collect();
        if unmade.is_empty() {
            return Ok(unmade);
        }
        let is_unmade =
            |entry: &Entry| entry.state == State::Trial && unmade.iter().any(|(change, _)| *change == entry.change);
        let entries = std::mem::take(&mut self.contents.entries);
        self.contents.entries = entries.into_iter().filter(|entry| !is_unmade(entry)).collect();
        self.write()?;
        if unmade.len() < changes.len() { Ok(unmade) } else { Err(unmade.swap_remove(0).1.into()) }
    }

    pub fn left(&self) -> usize {
        self.contents.entries.iter().filter(|entry| entry.state == State::Trial).count()
    }

    /// Keeps the changes of this setting that are on trial.
    ///
    /// # Errors
    /// Why the journal cannot be written; the changes then remain on trial.
    pub fn keep(&mut self, setting: &str) -> Result<(), Unusable> {
        self.contents
            .entries
            .iter_mut()
            .filter(|entry| entry.setting == setting)
            .for_each(|entry| entry.state = State::Kept);
        self.write()
    }

    /// Restores the chosen changes, the newest first, and removes them from the journal.
    ///
    /// # Errors
    /// Why the journal cannot be written. The next call then finds these changes already restored.
    pub fn restore(
        &mut self,
        machine: &Machine,
        chosen: impl Fn(&Entry) -> bool,
    ) -> Result<Vec<(Entry, RestoreResult)>, Unusable> {
        let (mut told, mut left) = (Vec::new(), Vec::new());
        for entry in std::mem::take(&mut self.contents.entries).into_iter().rev() {
            if !chosen(&entry) {
                left.push(entry);
                continue;
            }
            let restored = set_back(machine, &entry.change);
            if matches!(restored, RestoreResult::Refused(_)) {
                left.push(entry.clone());
            }
            told.push((entry, restored));
        }
        left.reverse();
        self.contents.entries = left;
        if !told.is_empty() {
            self.write()?;
        }
        Ok(told)
    }

    /// Restores what an interrupted trial has left.
    ///
    /// # Errors
    /// The errors of [`Journal::restore`].
    pub fn recover(&mut self, machine: &Machine) -> Result<Vec<(Entry, RestoreResult)>, Unusable> {
        self.restore(machine, |entry| entry.state == State::Trial)
    }

    /// Stores the journal; an empty journal is stored as no file.
    fn write(&self) -> Result<(), Unusable> {
        if self.contents.entries.is_empty() {
            self.folder.remove(FILE);
            return Ok(());
        }
        let text = serde_json::to_string_pretty(&self.contents).map_err(|error| Unusable::System(error.to_string()))?;
        self.folder.write(FILE, text.as_bytes()).map_err(|error| Unusable::System(error.to_string()))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.machine_wide.iter().for_each(Folder::release);
        self.folder.release();
    }
}

pub(crate) fn stored<T: DeserializeOwned>(machine: &Machine, file: &'static str) -> Result<Option<T>, Unusable> {
    let damaged = |why: String| Unusable::Damaged { file, why };
    let text = match regular_file::text(&machine.place(&format!("{FOLDER}/{file}")), MOST_BYTES) {
        Ok(text) => text,
        Err(error) => match error.kind() {
            ErrorKind::NotFound => return Ok(None),
            ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::FileTooLarge => {
                return Err(damaged(error.to_string()));
            }
            _ => return Err(Unusable::System(error.to_string())),
        },
    };
    serde_json::from_str(&text).map(Some).map_err(|error| damaged(error.to_string()))
}

/// Whether a file of the journal's folder has the supported schema and belongs to this machine.
pub(crate) fn belongs(
    file: &'static str,
    (schema, known): (&str, &str),
    (found, here): (String, String),
) -> Result<(), Unusable> {
    if schema != known {
        return Err(Unusable::Damaged { file, why: format!("its schema is {schema:?}") });
    }
    if found != here {
        return Err(Unusable::OtherMachine { file, found, here });
    }
    Ok(())
}

pub type Unmade = (Change, Refused);

#[derive(Debug, thiserror::Error)]
pub enum Unapplied {
    #[error(transparent)]
    Journal(#[from] Unusable),
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Another program wrote these values; backwall wrote nothing to their places.
    #[error("{}", foreign_values(.0))]
    Changed(Vec<(Change, String)>),
}

fn foreign_values(values: &[(Change, String)]) -> String {
    let one =
        |(change, found): &(Change, String)| format!("{}: {}", change.place, RestoreResult::Changed(found.clone()));
    values.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The change and the value found, if the place holds another value than the one to be replaced. An unreadable place is refused
/// later.
fn foreign(machine: &Machine, change: &Change) -> Option<(Change, String)> {
    let found = change.place.read(machine).ok()?;
    let is_own = change.place.form().same(&found, &change.before);
    (!is_own).then(|| (change.clone(), found))
}

/// Makes one change. If the kernel accepted a different value, restores the old one.
fn make(machine: &Machine, change: &Change) -> Option<Unmade> {
    let refused = change.place.write(machine, &change.wanted).err()?;
    if matches!(refused, Refused::Ignored { .. }) {
        // The refusal already reports the value that the place holds.
        let _ = change.place.write(machine, &change.before);
    }
    Some((change.clone(), refused))
}

fn set_back(machine: &Machine, change: &Change) -> RestoreResult {
    let form = change.place.form();
    let unable = |error: Refused| match error {
        Refused::Ended(_) => RestoreResult::Ended,
        error if error.is_of_no_file() && change.place.is_gone(machine) => RestoreResult::Ended,
        error => RestoreResult::Refused(error),
    };
    let found = match change.place.read(machine) {
        Ok(found) => found,
        Err(error) => return unable(error),
    };
    if form.same(&found, &change.before) {
        return RestoreResult::Already;
    }
    if !form.same(&found, &change.wanted) {
        return RestoreResult::Changed(found);
    }
    change.place.write(machine, &change.before).map_or_else(unable, |()| RestoreResult::Back)
}

#[cfg(test)]
mod tests;
