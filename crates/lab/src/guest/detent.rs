// SPDX-License-Identifier: MIT OR Apache-2.0
//! `detent`: the carried reference kernel, with the scenario's options and loads on its command line. `detent-probe`: with the
//! probe and the responders of the Linux guests as programs. `detent-process`: with processes, and the probe's osbench in user
//! mode.
use super::{BadGuest, GuestMachine, Kind, Names, Preparing, built_without, unpack, words_with_loads};
use crate::machine::{ARM64_VIRT, X86_PC};
use crate::scenario::Scenario;

const IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernel/detent.elf"));

/// The image for arm64; empty if backwall was built without the compiler for arm64.
const ARM64_IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/detent-arm64-virt/detent-arm64.elf"));

// MiB. The loads need up to 64 of them.
const PROBE_MEMORY_MIB: u32 = 128;
const PROBE_IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/detent-probe/detent-probe.elf"));
const PROBE_ARM64_IMAGE: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/detent-probe-arm64-virt/detent-probe-arm64.elf"));

const PROCESS_IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/detent-probe/detent-osbench.elf"));
const PROCESS_PROGRAMS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/detent-probe/osbench.a"));

const PROCESS_ARM64_IMAGE: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/detent-probe-arm64-virt/detent-osbench-arm64.elf"));

const BOOT_INSTRUCTIONS: u64 = 2_000_000_000;

const INSTRUCTIONS_PER_MS: u64 = 1_000_000;

pub const KIND: Kind = Kind { name: "detent", wants: "", answers: ANSWERS, machines: &[&X86_PC, &ARM64_VIRT], prepare };

pub const PROBE_KIND: Kind = Kind {
    name: "detent-probe",
    wants: "",
    answers: ANSWERS,
    machines: &[&X86_PC, &ARM64_VIRT],
    prepare: prepare_probe,
};

pub const PROCESS_KIND: Kind = Kind {
    name: "detent-process",
    wants: "",
    answers: ANSWERS,
    machines: &[&X86_PC, &ARM64_VIRT],
    prepare: prepare_process,
};

const ANSWERS: &[&str] = &["isr", "ist", "app"];

fn prepare(_nothing: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    Ok(GuestMachine {
        kernel: unpack(at.folder, "detent.elf", image(scenario, IMAGE, ARM64_IMAGE)?)?,
        initrd: None,
        command_line: words_with_loads(scenario)?,
        bios: None,
        memory_mib: 64,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: described(&scenario.options),
        names: Names::Image,
        tick_instructions: Some(tick(&scenario.options)),
    })
}

/// The image for the scenario's machine. On arm64 both ports are lines of one GPIO controller with one interrupt, which belongs
/// to the first port.
fn image(scenario: &Scenario, pc: &'static [u8], arm64: &'static [u8]) -> Result<&'static [u8], BadGuest> {
    if scenario.machine == &X86_PC {
        return Ok(pc);
    }
    if scenario.generator.b.is_some() {
        return Err(BadGuest::scenario(
            scenario,
            "the second port has no interrupt on arm64-virt: leave out [generator.b]",
        ));
    }
    if arm64.is_empty() { Err(built_without(scenario.machine)) } else { Ok(arm64) }
}

/// Prepares the kernel with the probe. The scenario's loads become the argument `bench-load`.
fn prepare_probe(_nothing: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    let (settings, program, words) = parted(&scenario.options);
    Ok(GuestMachine {
        kernel: unpack(at.folder, "detent-probe.elf", image(scenario, PROBE_IMAGE, PROBE_ARM64_IMAGE)?)?,
        initrd: None,
        command_line: format!("{settings} {program} bench-load={} {words}", scenario.load).trim().to_string(),
        bios: None,
        memory_mib: PROBE_MEMORY_MIB,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: described(&scenario.options),
        names: Names::Image,
        tick_instructions: Some(tick(&scenario.options)),
    })
}

fn prepare_process(_nothing: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    if scenario.load != "none" {
        return Err(BadGuest::scenario(
            scenario,
            "this guest has no loads; expected load = \"none\", or guest = \
            \"detent-probe\"",
        ));
    }
    let programs = (scenario.machine == &X86_PC).then(|| unpack(at.folder, "osbench.a", PROCESS_PROGRAMS));
    Ok(GuestMachine {
        kernel: unpack(at.folder, "detent-osbench.elf", image(scenario, PROCESS_IMAGE, PROCESS_ARM64_IMAGE)?)?,
        initrd: programs.transpose()?,
        command_line: scenario.options.clone(),
        bios: None,
        memory_mib: PROBE_MEMORY_MIB,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: format!("{}, in user mode", described(&scenario.options)),
        names: Names::Image,
        tick_instructions: Some(tick(&scenario.options)),
    })
}

fn parted(options: &str) -> (String, String, String) {
    let words: Vec<&str> = options.split_whitespace().collect();
    let settings = words.iter().take_while(|word| word.contains('=') && !word.starts_with("bench-")).count();
    let program = words.get(settings).copied().unwrap_or_default();
    (words[..settings].join(" "), program.to_string(), words.get(settings + 1..).unwrap_or_default().join(" "))
}

/// The tick that the options, or the profile among them, choose (`kernel/core/profile.c`).
fn tick(options: &str) -> u64 {
    let value = |key: &str| options.split_whitespace().find_map(|word| word.strip_prefix(key));
    let usual = if value("profile=") == Some("ce2.12") { 50 } else { 1 };
    value("tick=").and_then(|ms| ms.parse().ok()).unwrap_or(usual) * INSTRUCTIONS_PER_MS
}

/// The description of the guest: it includes the chosen profile, and whether only the ISR answers.
fn described(options: &str) -> String {
    let mut words = options.split_whitespace();
    let profile = words.clone().find_map(|word| word.strip_prefix("profile="));
    let profile = profile.map_or(String::new(), |profile| format!(" as {profile}"));
    let alone = if words.any(|word| word == "isr_test") { ", the ISR alone" } else { "" };
    format!("Detent{profile}{alone}")
}

#[cfg(test)]
mod tests {
    use super::{ARM64_IMAGE, IMAGE, described, image, tick};
    use crate::scenario::Scenario;

    #[test]
    fn systems_that_differ_have_different_names() {
        let found = ["app_test", "profile=ce3.0 app_test", "profile=ce3.0 isr_test"].map(described);
        assert_eq!(found, ["Detent", "Detent as ce3.0", "Detent as ce3.0, the ISR alone"]);
    }

    #[test]
    fn the_second_port_of_arm64_is_refused_in_one_line() {
        let text = "about = 'x'\nmachine = 'arm64-virt'\nguest = 'detent'\n\
                    [generator.b]\nshape = 'periodic'\nperiod = 9_000\ncount = 5\n";
        let refused = image(&Scenario::parse("test", text).unwrap(), IMAGE, ARM64_IMAGE).unwrap_err().to_string();
        assert_eq!(
            refused,
            "guest \"detent\": the second port has no interrupt on arm64-virt: leave out [generator.b]"
        );
    }

    #[test]
    fn the_tick_is_the_profiles_unless_it_is_named() {
        let found = ["app_test", "profile=ce2.12 app_test", "profile=ce2.12 tick=25", "tick=x"].map(tick);
        assert_eq!(found, [1_000_000, 50_000_000, 25_000_000, 1_000_000]);
    }
}
