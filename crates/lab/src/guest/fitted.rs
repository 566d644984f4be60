// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fitted:MEBIBYTES`: a guest for tests. It shows that a guest needs one file like this and one line in the table.
use super::{BadGuest, GuestMachine, Kind, Names, Preparing, unpack, words_with_loads};
use crate::machine::X86_PC;
use crate::scenario::Scenario;

pub const KIND: Kind = Kind { name: "fitted", wants: "MEBIBYTES", answers: &["isr"], machines: &[&X86_PC], prepare };

fn prepare(mebibytes: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    let fault = |_| BadGuest::scenario(scenario, "expected a number of MiB");
    Ok(GuestMachine {
        kernel: unpack(at.folder, "fitted.elf", b"an image")?,
        initrd: None,
        command_line: words_with_loads(scenario)?,
        bios: None,
        memory_mib: mebibytes.parse().map_err(fault)?,
        boot_instructions: 1,
        description: "a guest of the tests".to_string(),
        names: Names::Image,
        tick_instructions: None,
    })
}
