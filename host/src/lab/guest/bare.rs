// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bare:NAME`: the guests of a few instructions that the tool carries; their answers are known exactly.
use super::{BadGuest, Machine, Names, unpack};
use crate::lab::scenario::Scenario;
use std::path::Path;

const IMAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bare.rs"));

/// The firmware takes 6 million instructions.
const BOOT_INSTRUCTIONS: u64 = 100_000_000;

/// The image called `name`.
pub fn prepare(name: &str, scenario: &Scenario, folder: &Path) -> Result<Machine, BadGuest> {
    let Some((_, bytes)) = IMAGES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = IMAGES.iter().map(|(name, _)| *name).collect();
        return Err(BadGuest::name(&scenario.guest, format!("want one of {}", known.join(", "))));
    };
    Ok(Machine {
        kernel: unpack(folder, "guest.elf", bytes)?,
        initrd: None,
        command_line: scenario.options.clone(),
        memory_mib: 16,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: format!("bare guest {name}"),
        names: Names::Image,
    })
}
