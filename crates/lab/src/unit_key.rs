// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that decides the result of a scenario. The key tells whether results from different machines belong to the same
//! work. It contains no name of a machine, no path and no time limit.
use crate::bench::{BenchFault, system};
use crate::emulator::Emulator;
use crate::guest::{self, Preparing};
use crate::scenario::Scenario;
use crate::state_key;
use crate::work_folder::WorkFolder;
use backwall_os::Stop;
use state_key::{Among, Key};

/// Everything that decides the result except the seed. It prepares the guest, to find out which kernel it uses.
///
/// # Errors
/// If the guest cannot be prepared.
pub fn of_scenario(scenario: &Scenario, emulator: &Emulator, stop: &Stop) -> Result<Vec<String>, BenchFault> {
    let folder = WorkFolder::create().map_err(system("a folder for the run"))?;
    let (kind, rest) = guest::kind_for(scenario)?;
    let machine = (kind.prepare)(rest, scenario, &Preparing { folder: folder.path(), stop })?;
    let decisive = state_key::of_machine(emulator, &machine, Among::Machines).map_err(system("the guest's files"))?;
    Ok([decisive, vec![format!("scenario: {}", self::decisive(scenario))]].concat())
}

pub fn of_unit(decisive: &[String], seed: u64) -> String {
    Key::of(&[decisive, &[format!("seed: {seed}")]].concat()).name()
}

/// Digest to compare results. It need not resist an attacker.
pub fn digest(result: &[u8]) -> String {
    state_key::digest(result)
}

fn decisive(scenario: &Scenario) -> String {
    let mut plain = scenario.clone();
    (plain.name, plain.about) = (String::new(), String::new());
    plain.limits.wall_seconds = 0;
    serde_json::to_string(&plain).unwrap_or_default()
}
