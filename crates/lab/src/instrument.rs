// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carried instrument: chooses the build that fits this QEMU, and makes its arguments for a scenario.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::emulator::Emulator;
use super::scenario::Scenario;
use backwall_store::EDGES_FILE;
use std::path::{Path, PathBuf};

const FOR_QEMU_7_AND_8: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/instrument/instrument-v1.so"));
const FOR_QEMU_9: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/instrument/instrument-v2.so"));

pub const CHANNEL: &str = "channel.bin";
pub const STRETCHES: &str = "stretches.bin";
pub const TRAIL: &str = "trail.bin";
/// File with the arguments of an instrument that continues a saved machine.
pub const HELD: &str = "held.txt";

pub struct Files {
    pub edges: PathBuf,
    pub channel: PathBuf,
    pub trail: PathBuf,
    pub stretches: PathBuf,
}

impl Files {
    pub fn below(folder: &Path) -> Files {
        Files {
            edges: folder.join(EDGES_FILE),
            channel: folder.join(CHANNEL),
            trail: folder.join(TRAIL),
            stretches: folder.join(STRETCHES),
        }
    }
}

pub fn write(emulator: &Emulator, folder: &Path) -> std::io::Result<PathBuf> {
    let object = folder.join("instrument.so");
    std::fs::write(&object, bytes(emulator))?;
    Ok(object)
}

pub fn bytes(emulator: &Emulator) -> &'static [u8] {
    if emulator.version.0 < 9 { FOR_QEMU_7_AND_8 } else { FOR_QEMU_9 }
}

pub fn arguments(
    scenario: &Scenario,
    files: &Files,
    seed: u64,
    boot_instructions: u64,
    addresses: bool,
) -> Vec<String> {
    let limit = boot_instructions
        .saturating_add(scenario.span_instructions())
        .saturating_add(scenario.limits.instructions)
        .saturating_add(scenario.limits.tail);
    let mut arguments = vec![
        format!("edges={}", files.edges.display()),
        format!("channel={}", files.channel.display()),
        format!("channel-limit={}", scenario.limits.channel_bytes),
        format!("tail={}", scenario.limits.tail),
        format!("limit={}", limit.min(1 << 40)),
        format!("addresses={}", addresses as u8),
    ];
    for (letter, generator) in scenario.generator.used() {
        let own_seed = scenario.seed.unwrap_or(seed).wrapping_add(letter as u64 - 'a' as u64);
        arguments.extend(generator.arguments(letter, own_seed));
    }
    arguments
}
