// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that must be equal on two machines for them to share a saved state.
use super::emulator::{Emulator, Firmware};
use super::guest::{self, GuestMachine};
use super::instrument;
use backwall_os::regular_file;
use std::hash::{DefaultHasher, Hasher};
use std::io::Result;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    text: String,
}

impl Key {
    pub fn of(decisive: &[String]) -> Key {
        Key { text: decisive.join("\n") + "\n" }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The digest of the text, as a file name. Readers also compare the text.
    pub fn name(&self) -> String {
        digest(self.text.as_bytes())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// Runs on this machine. A replaced file counts as a different one even if name and size are the same.
    ThisMachine,
    /// Machines with the same software installed. Paths and file times do not count.
    Machines,
}

/// Everything that determines the behaviour of an emulated machine before it runs.
///
/// # Errors
/// If a file of the guest cannot be read.
pub fn of_machine(emulator: &Emulator, machine: &GuestMachine, among: Among) -> Result<Vec<String>> {
    let told = |firmware: &Firmware| match among {
        Among::ThisMachine => firmware.identity(),
        Among::Machines => firmware.said(),
    };
    let identity = match among {
        Among::ThisMachine => emulator.identity(),
        Among::Machines => emulator.said().to_string(),
    };
    let firmware: Vec<String> = emulator.firmware().iter().map(told).collect();
    Ok(vec![
        format!("tool: backwall {}", env!("CARGO_PKG_VERSION")),
        format!("instrument: {}", digest(instrument::bytes(emulator))),
        format!("emulator: {identity}"),
        format!("machine: {}", emulator.fixed_arguments()),
        format!("firmware: {}", digest(firmware.join("\n").as_bytes())),
        format!("below the kernel: {}", machine.bios.map_or("nothing", |bios| bios.file)),
        format!("memory: {} MiB", machine.memory_mib),
        format!("kernel: {}", file(&machine.kernel)?),
        format!("initrd: {}", machine.initrd.as_deref().map_or(Ok("none".to_string()), file)?),
        format!("command line: {}", machine.command_line),
    ])
}

pub fn file(path: &Path) -> Result<String> {
    let bytes = regular_file::read(path, guest::MOST_BYTES)?;
    Ok(format!("{} bytes, {}", bytes.len(), digest(&bytes)))
}

/// The digest protects against mistakes, not against attackers, who could run programs anyway.
pub fn digest(bytes: &[u8]) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(bytes);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}
