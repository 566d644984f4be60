// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PC with parallel ports. A generator pulses a port's ISA interrupt; the answer lines are bits of its data register.
use super::Machine;
use super::linux_on::{FirstProcess, LinuxOn, PCI_MODULES, first_process, probe, unpacked};
use crate::guest::kernel_image::BZIMAGE;
use crate::input::Input;
use backwall_capture::connector;
use std::sync::LazyLock;

pub const X86_PC: Machine = Machine {
    name: "x86-pc",
    shown: "a PC (x86-64)",
    program: "qemu-system-x86_64",
    package: "qemu-system-x86",
    arguments: &["-machine", "pc"],
    screen: true,
    debugged: "i386:x86-64",
    bare: include!(concat!(env!("OUT_DIR"), "/bare-x86-pc.rs")),
    linux: &LINUX,
    compiler: "x86_64-linux-gnu-gcc (Debian: gcc-x86-64-linux-gnu)",
};

const PORT_MODULES: &[&str] = &["parport/parport.ko", "parport/parport_pc.ko", "char/ppdev.ko"];

static LINUX: LinuxOn = LinuxOn {
    elf: 62,
    probe: LazyLock::new(|| probe(include_bytes!(concat!(env!("OUT_DIR"), "/linux-x86-pc/probe.gz")), "x86_64")),
    recorder: LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/linux-x86-pc/recorder.gz")))),
    debian: "amd64",
    kinds: &["stock", "rt"],
    since: None,
    image: BZIMAGE,
    words: LazyLock::new(words),
    bios: None,
    benches: &BENCHES,
    boot_instructions: 60_000_000_000, // a boot takes about 9.2 billion
    tick_instructions: 4_000_000,
};

static BENCHES: [FirstProcess; 2] = [
    first_process!(Input::Line, PORT_MODULES, "linux-x86-pc"),
    first_process!(Input::Pci, PCI_MODULES, "linux-x86-pc-pci"),
];

/// The parameters of the port's driver, for a kernel in which it is built in.
fn words() -> String {
    let connector::Port { io, irq, .. } = connector::A;
    format!("console=ttyS0 quiet nokaslr panic=-1 oops=panic parport_pc.io={io:#x} parport_pc.irq={irq}")
}
