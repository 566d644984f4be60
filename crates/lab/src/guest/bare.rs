// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bare:NAME`: the carried guests of a few instructions, whose answers are known exactly.
use super::{BadGuest, GuestMachine, Kind, Names, Preparing, built_without, unpack};
use crate::machine::MACHINES;
use crate::scenario::Scenario;
use backwall_model::NO_LOAD;

/// A PC's firmware executes 6 million instructions; this is a generous limit.
const BOOT_INSTRUCTIONS: u64 = 100_000_000;

pub const KIND: Kind = Kind { name: "bare", wants: "NAME", answers: &["isr"], machines: &MACHINES, prepare };

/// Guests whose main loop is a load that cannot be switched off: the prefix of their names, and the name of the load.
const OWN_LOADS: &[(&str, &str)] = &[("service-", "loop")];

fn prepare(name: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    let machine = scenario.machine;
    if machine.bare.is_empty() {
        return Err(built_without(machine));
    }
    let Some((_, bytes)) = machine.bare.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = machine.bare.iter().map(|(name, _)| *name).collect();
        return Err(BadGuest::name(&scenario.guest, format!("expected one of {}", known.join(", "))));
    };
    load_check(name, scenario)?;
    Ok(GuestMachine {
        kernel: unpack(at.folder, "guest.elf", bytes)?,
        initrd: None,
        command_line: scenario.options.clone(),
        bios: None,
        memory_mib: 16,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: format!("bare guest {name}"),
        names: Names::Image,
        tick_instructions: None,
    })
}

// A bare guest cannot start a load. The scenario must name the load that the guest has anyway.
fn load_check(name: &str, scenario: &Scenario) -> Result<(), BadGuest> {
    let own = OWN_LOADS.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, load)| *load);
    if scenario.load == own.unwrap_or(NO_LOAD) {
        return Ok(());
    }
    Err(BadGuest::scenario(
        scenario,
        match own {
            Some(own) => format!("this guest's main loop is its load; expected load = {own:?}"),
            None => "this guest runs no load; leave out load".to_string(),
        },
    ))
}
