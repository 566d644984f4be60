// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots Detent with the probe and a task set, which the boot loader passes as a module.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::bench::{BenchFault, BenchRun, Settings, prepared};
use super::emulator::Emulator;
use super::guest::{self, Preparing};
use super::scenario::Scenario;
use super::work_folder::WorkFolder;

pub const GUEST: &str = "detent-probe";

/// Limit of instructions in addition to the schedule: for boot, the start of threads, the calibration of computation, and the
/// stream.
const BEYOND: u64 = 5_000_000_000;

pub struct Set<'a> {
    pub bytes: &'a [u8],
    /// The background loads, in the format of [`backwall_runner::loads::parse`], which has no character that needs escaping.
    pub load: &'a str,
    pub end_ns: u64,
}

/// Runs the set once. The probe's stream is in the channel's file.
pub fn run(set: &Set<'_>, emulator: &Emulator, settings: &Settings) -> Result<BenchRun, BenchFault> {
    let system = |what| move |source| BenchFault::System { what, source };
    let scenario = scenario(set).map_err(|fault| guest::BadGuest::Unable(fault.to_string()))?;
    let folder = WorkFolder::create().map_err(system("a folder for the run"))?;
    let (kind, rest) = guest::kind_for(&scenario)?;
    let mut machine = (kind.prepare)(rest, &scenario, &Preparing { folder: folder.path(), stop: &settings.stop })?;
    let module = folder.path().join("set.bin");
    std::fs::write(&module, set.bytes).map_err(system("a file for the set"))?;
    machine.initrd = Some(module);
    prepared(&scenario, emulator, settings, machine, folder)
}

fn scenario(set: &Set<'_>) -> Result<Scenario, super::scenario::BadScenario> {
    let (load, instructions) = (set.load, set.end_ns.saturating_add(BEYOND));
    let text = format!(
        "about = 'a set of tasks'\nguest = '{GUEST}'\noptions = 'probe tasks'\nload = '{load}'\nstream = true\n\
         [limits]\ninstructions = {instructions}\nwall-seconds = 3600\nchannel-bytes = {}\n",
        1u64 << 30
    );
    Scenario::parse("tasks", &text)
}
