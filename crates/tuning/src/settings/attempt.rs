// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tries one setting at a time: measures with and without it in turns, and keeps it only if it helped and harmed nothing.
use crate::settings::decision::Decision;
use crate::settings::journal::{Entry, Journal, RestoreResult, State, Unapplied, Unusable};
use crate::settings::machine::Machine;
use crate::settings::setting::{Change, Setting};
use crate::settings::trial::{Side, order};
use backwall_judge::compare::{Comparison, PlacedRun, Question, compare};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Outcome {
    pub setting: &'static str,
    pub decision: Decision,
    /// What was changed for the slices with the setting; it stays changed if the setting is kept.
    pub changes: Vec<Change>,
    /// The comparison of both sides; absent if they were not completely measured.
    pub comparison: Option<Comparison>,
    /// Unexpected events: refusals, values written by other programs.
    pub told: Vec<String>,
}

/// Measures one slice of the named setting; `None` if the user has asked to stop.
pub type Measure<'a, E> = dyn FnMut(&str, Side) -> Result<Option<PlacedRun>, E> + 'a;

/// Why a trial has no result. The machine is back in its previous state if the journal can be written.
#[derive(Debug)]
pub enum Broken<E> {
    Unmeasured(E),
    Journal(Unusable),
}

impl<E> From<Unusable> for Broken<E> {
    fn from(why: Unusable) -> Self {
        Self::Journal(why)
    }
}

/// Tries one setting. Afterwards the setting is active only if the decision is [`Decision::Kept`].
///
/// # Errors
/// Why a slice could not be measured, or why the journal could not be written.
pub fn try_setting<E>(
    journal: &mut Journal,
    machine: &Machine,
    setting: &'static Setting,
    question: &Question,
    measure: &mut Measure<'_, E>,
) -> Result<Outcome, Broken<E>> {
    let mut trial =
        Trial { journal, machine, setting, changes: setting.changes(machine), told: Vec::new(), disturbed: false };
    if trial.changes.is_empty() {
        return Ok(trial.ended(Decision::NothingToChange, None));
    }
    let measured = trial.both_sides(measure);
    trial.take_back()?;
    match measured? {
        TrialProgress::Stopped => Ok(trial.ended(Decision::Stopped, None)),
        _ if trial.disturbed => Ok(trial.ended(Decision::Disturbed, None)),
        TrialProgress::Disturbed => Ok(trial.ended(Decision::Disturbed, None)),
        TrialProgress::Sides(without, with) => {
            let comparison = compare(&without, &with, question);
            let decision = match Decision::of(&comparison) {
                Decision::Kept => match trial.make()? {
                    Made::Yes => {
                        trial.journal.keep(setting.name)?;
                        Decision::Kept
                    }
                    // The kernel accepted the setting in the slices but refuses it now.
                    Made::Refused => Decision::Refused(trial.told.join("; ")),
                    Made::Disturbed => Decision::Disturbed,
                },
                decision => decision,
            };
            Ok(trial.ended(decision, Some(comparison)))
        }
        TrialProgress::Refused => {
            let why = trial.told.join("; ");
            Ok(trial.ended(Decision::Refused(why), None))
        }
    }
}

struct Trial<'a> {
    journal: &'a mut Journal,
    machine: &'a Machine,
    setting: &'static Setting,
    changes: Vec<Change>,
    told: Vec<String>,
    /// Another program wrote to one of the setting's places, or a value could not be restored. From then on the trial writes
    /// nothing, because it would overwrite another program's value.
    disturbed: bool,
}

enum TrialProgress {
    Sides(Vec<PlacedRun>, Vec<PlacedRun>),
    Refused,
    Stopped,
    Disturbed,
}

enum Made {
    Yes,
    Refused,
    Disturbed,
}

impl Trial<'_> {
    fn both_sides<E>(&mut self, measure: &mut Measure<'_, E>) -> Result<TrialProgress, Broken<E>> {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        let mut made = Side::Without;
        for side in order() {
            if side != made {
                made = side;
                match side {
                    Side::Without => self.take_back()?,
                    Side::With => match self.make()? {
                        Made::Yes => {}
                        Made::Refused => return Ok(TrialProgress::Refused),
                        Made::Disturbed => return Ok(TrialProgress::Disturbed),
                    },
                }
            }
            if self.disturbed {
                return Ok(TrialProgress::Disturbed);
            }
            let run = measure(self.setting.name, side).map_err(Broken::Unmeasured)?;
            let Some(run) = run else { return Ok(TrialProgress::Stopped) };
            if side == Side::With { with.push(run) } else { without.push(run) }
        }
        Ok(TrialProgress::Sides(without, with))
    }

    fn make(&mut self) -> Result<Made, Unusable> {
        match self.journal.apply(self.machine, self.setting, &self.changes) {
            Ok(unmade) => {
                self.changes.retain(|change| !unmade.iter().any(|(refused, _)| refused == change));
                self.told.extend(unmade.iter().map(|(_, why)| why.to_string()));
                Ok(Made::Yes)
            }
            Err(Unapplied::Refused(why)) => {
                self.told.push(why.to_string());
                Ok(Made::Refused)
            }
            Err(why @ Unapplied::Changed(_)) => {
                self.told.push(why.to_string());
                self.disturbed = true;
                Ok(Made::Disturbed)
            }
            Err(Unapplied::Journal(why)) => Err(why),
        }
    }

    fn take_back(&mut self) -> Result<(), Unusable> {
        let is_own = |entry: &Entry| entry.state == State::Trial && entry.setting == self.setting.name;
        let restored = self.journal.restore(self.machine, is_own)?;
        self.disturbed |=
            restored.iter().any(|(_, what)| matches!(what, RestoreResult::Changed(_) | RestoreResult::Refused(_)));
        let odd = restored.iter().filter(|(_, what)| !matches!(what, RestoreResult::Back | RestoreResult::Already));
        let odd: Vec<String> = odd.map(|(entry, what)| format!("{}: {what}", entry.change.place)).collect();
        self.told.extend(odd);
        Ok(())
    }

    fn ended(self, decision: Decision, comparison: Option<Comparison>) -> Outcome {
        Outcome { setting: self.setting.name, decision, changes: self.changes, comparison, told: self.told }
    }
}

#[cfg(test)]
mod tests;
