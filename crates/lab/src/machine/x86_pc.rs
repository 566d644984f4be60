// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PC with parallel ports: a generator pulses on a port's ISA interrupt, a data register's bits are the lines.
use super::Machine;

/// The machine.
pub const X86_PC: Machine = Machine {
    name: "x86-pc",
    shown: "a PC (x86-64)",
    program: "qemu-system-x86_64",
    package: "qemu-system-x86",
    arguments: &["-machine", "pc"],
    screen: true,
    modes: true,
    debugged: "i386:x86-64",
    bare: include!(concat!(env!("OUT_DIR"), "/bare-x86-pc.rs")),
    compiler: "x86_64-linux-gnu-gcc (Debian: gcc-x86-64-linux-gnu)",
};
