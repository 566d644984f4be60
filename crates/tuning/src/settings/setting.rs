// SPDX-License-Identifier: MIT OR Apache-2.0
//! A setting, and what it would change on a machine.
use crate::settings::machine::Machine;
use crate::settings::place::Place;
use crate::settings::suspect::Suspect;
use backwall_model::{Accusation, CauseTotal};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub checks: &'static [&'static str],
    pub against: &'static [Suspect],
    pub does: &'static str,
    pub harm: &'static str,
    /// The changes that this setting would make; empty if it is not applicable or already set.
    pub changes: fn(&Machine) -> Vec<Change>,
}

/// One value of one place, before and after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub place: Place,
    pub before: String,
    pub wanted: String,
}

impl Change {
    pub fn to(machine: &Machine, place: Place, wanted: impl Into<String>) -> Option<Self> {
        let (before, wanted) = (place.read(machine).ok()?, wanted.into());
        let differs = !place.form().same(&before, &wanted);
        differs.then(|| Self { wanted: place.form().value(&wanted), place, before })
    }
}

impl Setting {
    pub fn is_against(&self, total: &CauseTotal) -> bool {
        let Accusation { cause, culprit } = &total.accused;
        self.against.iter().any(|one| one.is(*cause, culprit.as_ref()))
    }

    pub fn changes(&self, machine: &Machine) -> Vec<Change> {
        (self.changes)(machine)
    }
}
