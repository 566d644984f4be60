// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings that would change something here, in the order in which they are worth trying.
use crate::known;
use crate::machine::Machine;
use crate::setting::Change;
use run::{Check, CheckVerdict};
use serde::Serialize;

/// One setting that would change something.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// Its name.
    pub setting: &'static str,
    /// What it does.
    pub does: &'static str,
    /// What it costs or can harm.
    pub harm: &'static str,
    /// What the checks of the machine say of what it mends; absent where none looks at it.
    pub verdict: Option<CheckVerdict>,
    /// What it would write where.
    pub changes: Vec<Change>,
}

/// Those of a machine, what its checks call harmful first, else in the order of the table.
pub fn plan(machine: &Machine, checks: &[Check]) -> Vec<Planned> {
    let mut planned: Vec<Planned> = known::ALL
        .iter()
        .map(|setting| Planned {
            setting: setting.name,
            does: setting.does,
            harm: setting.harm,
            verdict: setting.checks.iter().filter_map(|name| verdict(checks, name)).min_by_key(CheckVerdict::rank),
            changes: setting.changes(machine),
        })
        .filter(|planned| !planned.changes.is_empty())
        .collect();
    planned.sort_by_key(|planned| planned.verdict.as_ref().map_or(u8::MAX, CheckVerdict::rank));
    planned
}

fn verdict(checks: &[Check], name: &str) -> Option<CheckVerdict> {
    checks.iter().find(|check| check.name == name).map(|check| check.verdict)
}
