// SPDX-License-Identifier: MIT OR Apache-2.0
//! `detent`: the reference kernel that the tool carries. The scenario's options are its command line.
use super::{BadGuest, Machine, Names, unpack};
use crate::lab::scenario::Scenario;
use std::path::Path;

const IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernel/detent.elf"));

const BOOT_INSTRUCTIONS: u64 = 2_000_000_000;

/// The kernel with the scenario's options as its command line.
pub fn prepare(_nothing: &str, scenario: &Scenario, folder: &Path) -> Result<Machine, BadGuest> {
    Ok(Machine {
        kernel: unpack(folder, "detent.elf", IMAGE)?,
        initrd: None,
        command_line: scenario.options.clone(),
        memory_mib: 64,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: described(&scenario.options),
        names: Names::Image,
    })
}

/// A profile that the options choose belongs to the name.
fn described(options: &str) -> String {
    match options.split_whitespace().find_map(|word| word.strip_prefix("profile=")) {
        Some(profile) => format!("Detent as {profile}"),
        None => "Detent".to_string(),
    }
}
