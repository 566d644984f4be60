// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's `virt` of riscv64: a generator pulses on a source of the platform's interrupt controller, the lines are bytes in a page of memory.
use super::Machine;

/// The machine. A guest is entered in machine mode: there is no firmware below it. The emulator does not tell in which mode this
/// processor executes an instruction.
pub const RISCV64_VIRT: Machine = Machine {
    name: "riscv64-virt",
    shown: "virt with a rv64 (riscv64)",
    program: "qemu-system-riscv64",
    package: "qemu-system-misc",
    arguments: &["-machine", "virt", "-bios", "none", "-cpu", "rv64", "-seed", "1"],
    screen: false,
    modes: false,
    debugged: "riscv:rv64",
    bare: include!(concat!(env!("OUT_DIR"), "/bare-riscv64-virt.rs")),
    linux: None,
    compiler: "riscv64-linux-gnu-gcc (Debian: gcc-riscv64-linux-gnu)",
};
