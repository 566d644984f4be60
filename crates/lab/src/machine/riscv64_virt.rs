// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's `virt` machine for riscv64. A generator pulses a source of the platform's interrupt controller; the answer lines are
//! bytes in a page of memory.
use super::Machine;
use super::linux_on::{Bios, FirstProcess, LinuxOn, PCI_MODULES, first_process, probe, unpacked};
use crate::guest::kernel_image::RISCV64_IMAGE;
use crate::input::Input;
use std::sync::LazyLock;

/// The machine. A bare guest starts in machine mode without firmware.
pub const RISCV64_VIRT: Machine = Machine {
    name: "riscv64-virt",
    shown: "virt with a rv64 (riscv64)",
    program: "qemu-system-riscv64",
    package: "qemu-system-misc",
    arguments: &["-machine", "virt", "-bios", "none", "-cpu", "rv64", "-seed", "1"],
    screen: false,
    debugged: "riscv:rv64",
    bare: include!(concat!(env!("OUT_DIR"), "/bare-riscv64-virt.rs")),
    linux: &LINUX,
    compiler: "riscv64-linux-gnu-gcc (Debian: gcc-riscv64-linux-gnu)",
};

/// The board has no GPIO controller, so its kernels get the interrupt of a PCI device. If several `-bios` options are given, QEMU
/// uses the last.
static LINUX: LinuxOn = LinuxOn {
    elf: 243,
    probe: LazyLock::new(|| {
        probe(include_bytes!(concat!(env!("OUT_DIR"), "/linux-riscv64-virt-pci/probe.gz")), "riscv64")
    }),
    recorder: LazyLock::new(|| {
        unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/linux-riscv64-virt-pci/recorder.gz")))
    }),
    debian: "riscv64",
    kinds: &["stock"],
    since: Some("trixie"),
    image: RISCV64_IMAGE,
    words: LazyLock::new(|| "console=ttyS0 quiet nokaslr panic=-1 oops=panic".to_string()),
    bios: Some(Bios {
        words: &["-bios", "default"],
        file: "opensbi-riscv64-generic-fw_dynamic.bin",
        package: "qemu-system-data",
    }),
    benches: &BENCHES,
    boot_instructions: 40_000_000_000,
    tick_instructions: 4_000_000,
};

static BENCHES: [FirstProcess; 1] = [first_process!(Input::Pci, PCI_MODULES, "linux-riscv64-virt-pci")];
