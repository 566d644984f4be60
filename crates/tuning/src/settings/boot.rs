// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tries kernel command line options across a reboot: which options, with which loop, and what was measured so far.
//!
//! The trial is in the journal's folder and is rewritten after each slice. Whenever the tool or the machine stops, the next call
//! continues after the last slice. All slices of one side are from one boot; otherwise the difference between two boots would
//! count as chance within a side.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use crate::settings::journal::{FOLDER, Journal, Unusable, belongs, identity, stored};
use crate::settings::machine::Machine;
use crate::settings::trial::{SLICES, Side};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

const FILE: &str = "boot.json";
const SCHEMA: &str = "backwall/tune-boot/1";
const LINE: &str = "/proc/cmdline";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loop {
    pub cpu: u32,
    /// The application whose threads are measured instead of backwall's own loop, as the user named it.
    pub app: Option<String>,
    pub words: Vec<String>,
    pub slice_ns: u64,
    pub effect: f64,
    pub seed: u64,
    pub folder: PathBuf,
    /// Settings that `backwall tune` already kept when the trial began. The reboot resets them, so they are applied again.
    pub kept: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct MeasuredSide {
    boot: String,
    slices: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BootTrial {
    schema: String,
    machine: String,
    pub options: Vec<String>,
    #[serde(flatten)]
    pub measured: Loop,
    without: MeasuredSide,
    with: MeasuredSide,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Measure a slice of this side. `anew` slices of an earlier boot do not count and are measured again.
    Slice {
        side: Side,
        anew: usize,
    },
    /// The machine must be rebooted with these options, which its kernel command line lacks.
    Restart {
        missing: Vec<String>,
        in_vain: bool,
    },
    NothingBefore,
    Decide(Vec<String>, Vec<String>),
}

impl BootTrial {
    pub fn begin(machine: &Machine, options: Vec<String>, measured: Loop) -> Self {
        let [id, boot] = identity(machine);
        let without = MeasuredSide { boot, slices: Vec::new() };
        Self { schema: SCHEMA.to_string(), machine: id, options, measured, without, with: MeasuredSide::default() }
    }

    pub fn is_there(machine: &Machine) -> bool {
        machine.has(&format!("{FOLDER}/{FILE}"))
    }

    /// The current trial.
    ///
    /// # Errors
    /// [`Unusable`] if the trial is damaged or from another machine.
    pub fn read(journal: &Journal, machine: &Machine) -> Result<Option<Self>, Unusable> {
        journal.folder().sweep(&[FILE]);
        let Some(found) = stored::<Self>(machine, FILE)? else { return Ok(None) };
        let [id, _] = identity(machine);
        belongs(FILE, (&found.schema, SCHEMA), (found.machine.clone(), id))?;
        Ok(Some(found))
    }

    /// Writes the trial's current state to disk.
    ///
    /// # Errors
    /// Why the trial cannot be written.
    pub fn write(&self, journal: &Journal) -> Result<(), Unusable> {
        let system = |why: String| Unusable::System(why);
        let text = serde_json::to_string_pretty(self).map_err(|error| system(error.to_string()))?;
        journal.folder().write(FILE, text.as_bytes()).map_err(|error| system(error.to_string()))
    }

    pub fn end(journal: &Journal) {
        journal.folder().remove(FILE);
    }

    pub fn next(&self, machine: &Machine) -> Next {
        let [_, boot] = identity(machine);
        let missing = missing(machine, &self.options);
        let begun = |side: &MeasuredSide| if side.boot == boot { side.slices.len() } else { 0 };
        let anew = |side: &MeasuredSide| side.slices.len() - begun(side);
        let is_whole = |side: &MeasuredSide| side.slices.len() >= SLICES;
        match (missing.is_empty(), is_whole(&self.without), is_whole(&self.with)) {
            (false, false, _) => Next::Slice { side: Side::Without, anew: anew(&self.without) },
            (_, true, true) => Next::Decide(self.without.slices.clone(), self.with.slices.clone()),
            (false, true, _) => Next::Restart { missing, in_vain: self.without.boot != boot },
            (true, false, _) => Next::NothingBefore,
            (true, true, _) => Next::Slice { side: Side::With, anew: anew(&self.with) },
        }
    }

    pub fn add(&mut self, machine: &Machine, side: Side, folder: String) {
        let [_, boot] = identity(machine);
        let side = if side == Side::With { &mut self.with } else { &mut self.without };
        if side.boot != boot {
            *side = MeasuredSide { boot, slices: Vec::new() };
        }
        side.slices.push(folder);
    }

    pub fn count(&self, side: Side) -> usize {
        if side == Side::With { self.with.slices.len() } else { self.without.slices.len() }
    }
}

pub fn missing(machine: &Machine, options: &[String]) -> Vec<String> {
    let line = machine.read(LINE).unwrap_or_default();
    let is_given = |option: &&String| line.split_whitespace().any(|word| word == option.as_str());
    options.iter().filter(|option| !is_given(option)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tempfile::TempDir;

    fn machine(boot: &str, line: &str) -> (TempDir, Machine) {
        let folder = tempfile::tempdir().unwrap();
        started(folder.path(), boot, line);
        let machine = Machine::under(folder.path(), 0);
        (folder, machine)
    }

    fn started(root: &Path, boot: &str, line: &str) {
        for (file, text) in [("etc/machine-id", "m"), ("proc/sys/kernel/random/boot_id", boot), ("proc/cmdline", line)]
        {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), text).unwrap();
        }
    }

    fn trial(machine: &Machine) -> BootTrial {
        let measured = Loop {
            cpu: 0,
            app: None,
            words: Vec::new(),
            slice_ns: 1,
            effect: 0.05,
            seed: 1,
            folder: PathBuf::from("/runs"),
            kept: vec!["writeback".to_string()],
        };
        BootTrial::begin(machine, vec!["nohz_full=1".to_string(), "threadirqs".to_string()], measured)
    }

    fn add(trial: &mut BootTrial, machine: &Machine, side: Side, count: usize) {
        (0..count).for_each(|number| trial.add(machine, side, format!("{side:?}{number}")));
    }

    #[test]
    fn a_trial_goes_from_one_side_over_the_restart_to_the_other() {
        let (folder, machine) = machine("b1", "quiet");
        let mut trial = trial(&machine);
        assert_eq!(trial.next(&machine), Next::Slice { side: Side::Without, anew: 0 });
        add(&mut trial, &machine, Side::Without, SLICES);
        let both = trial.options.clone();
        assert_eq!(trial.next(&machine), Next::Restart { missing: both, in_vain: false });
        started(folder.path(), "b2", "quiet threadirqs nohz_full=1,2");
        let missing = vec!["nohz_full=1".to_string()];
        assert_eq!(trial.next(&machine), Next::Restart { missing, in_vain: true }, "another option's word is not it");
        started(folder.path(), "b3", "quiet threadirqs nohz_full=1");
        assert_eq!(trial.next(&machine), Next::Slice { side: Side::With, anew: 0 });
        add(&mut trial, &machine, Side::With, SLICES);
        let Next::Decide(without, with) = trial.next(&machine) else { panic!("{:?}", trial.next(&machine)) };
        assert_eq!((without.len(), with.len()), (SLICES, SLICES));
    }

    #[test]
    fn slices_of_two_starts_are_never_one_side() {
        let (folder, machine) = machine("b1", "quiet");
        let mut trial = trial(&machine);
        add(&mut trial, &machine, Side::Without, 2);
        started(folder.path(), "b2", "quiet");
        assert_eq!(trial.next(&machine), Next::Slice { side: Side::Without, anew: 2 });
        add(&mut trial, &machine, Side::Without, 1);
        assert_eq!(
            (trial.count(Side::Without), trial.next(&machine)),
            (1, Next::Slice { side: Side::Without, anew: 0 })
        );
        started(folder.path(), "b3", "threadirqs nohz_full=1");
        assert_eq!(trial.next(&machine), Next::NothingBefore);
    }

    #[test]
    fn what_is_on_the_disk_is_read_again_and_what_is_another_machines_or_damaged_is_refused() {
        let (folder, machine) = machine("b1", "quiet");
        let journal = Journal::open(&machine).unwrap();
        assert!(BootTrial::read(&journal, &machine).unwrap().is_none() && !BootTrial::is_there(&machine));
        let mut written = trial(&machine);
        add(&mut written, &machine, Side::Without, 3);
        written.write(&journal).unwrap();
        let read = BootTrial::read(&journal, &machine).unwrap().unwrap();
        assert_eq!((read.count(Side::Without), read.options.len(), read.measured.kept.len()), (3, 2, 1));
        std::fs::write(folder.path().join("etc/machine-id"), "m2").unwrap();
        let refused = BootTrial::read(&journal, &machine).unwrap_err().to_string();
        assert!(refused.starts_with("/var/lib/backwall/boot.json: the journal of another machine"), "{refused}");
        for text in ["", "{}", "[1]"] {
            std::fs::write(folder.path().join("var/lib/backwall/boot.json"), text).unwrap();
            let refused = BootTrial::read(&journal, &machine).unwrap_err().to_string();
            assert!(refused.starts_with("/var/lib/backwall/boot.json: not a journal of backwall"), "{refused}");
        }
        BootTrial::end(&journal);
        assert!(!BootTrial::is_there(&machine));
    }
}
