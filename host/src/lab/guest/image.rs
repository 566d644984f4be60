// SPDX-License-Identifier: MIT OR Apache-2.0
//! `image:PATH`: any multiboot image that answers on the port, such as another kernel's own build.
use super::{BadGuest, Machine, Names, existing};
use crate::lab::scenario::Scenario;
use std::path::Path;

/// Generous for a kernel without file systems.
const BOOT_INSTRUCTIONS: u64 = 5_000_000_000;

/// The image in the file `path`.
pub fn prepare(path: &str, scenario: &Scenario, _folder: &Path) -> Result<Machine, BadGuest> {
    Ok(Machine {
        kernel: existing(&scenario.guest, path)?,
        initrd: None,
        command_line: scenario.options.clone(),
        memory_mib: 128,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: format!("image {path}"),
        names: Names::Image,
    })
}
