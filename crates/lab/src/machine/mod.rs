// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machines of the lab, one file and one line each: the meaning of a scenario's `machine = "NAME"`. The instrument's part is
//! in the folder of that name in `lab/machine/`.
mod arm64_virt;
mod linux_on;
mod riscv64_virt;
mod x86_pc;

pub use arm64_virt::ARM64_VIRT;
pub use linux_on::{Bios, FirstProcess, LinuxOn};
pub use riscv64_virt::RISCV64_VIRT;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::{self, Debug, Formatter};
pub use x86_pc::X86_PC;

pub struct Machine {
    pub name: &'static str,
    pub shown: &'static str,
    pub program: &'static str,
    pub package: &'static str,
    pub arguments: &'static [&'static str],
    pub screen: bool,
    pub debugged: &'static str,
    /// The carried bare guests by name; none if backwall was built without the compiler.
    pub bare: &'static [(&'static str, &'static [u8])],
    pub linux: &'static LinuxOn,
    pub compiler: &'static str,
}

/// All machines; the first is the default of a scenario.
pub const MACHINES: [&Machine; 3] = [&X86_PC, &ARM64_VIRT, &RISCV64_VIRT];

impl Machine {
    pub fn named(name: &str) -> Result<&'static Machine, String> {
        let known = || MACHINES.map(|machine| machine.name).join(", ");
        let found = MACHINES.into_iter().find(|machine| machine.name == name);
        found.ok_or_else(|| format!("unknown machine {name:?}; expected one of {}", known()))
    }

    pub fn usual() -> &'static Machine {
        MACHINES[0]
    }
}

impl PartialEq for Machine {
    fn eq(&self, other: &Machine) -> bool {
        self.name == other.name
    }
}

impl Eq for Machine {}

impl Debug for Machine {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

pub(super) fn serialize<S: Serializer>(machine: &Machine, into: S) -> Result<S::Ok, S::Error> {
    machine.name.serialize(into)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Machine, D::Error> {
    let name = String::deserialize(from)?;
    Machine::named(&name).map_err(serde::de::Error::custom)
}
