// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's `virt` machine for arm64. A generator pulses a line of the GPIO controller; the answer lines are bytes in a page of
//! memory.
use super::Machine;
use super::linux_on::{FirstProcess, LinuxOn, PCI_MODULES, first_process, probe, unpacked};
use crate::guest::kernel_image::ARM64_IMAGE;
use crate::input::Input;
use std::sync::LazyLock;

/// The machine. Its counter counts instructions, as does the time stamp counter of the emulated PC. Its random seed is the same
/// in each boot.
pub const ARM64_VIRT: Machine = Machine {
    name: "arm64-virt",
    shown: "virt with a Cortex-A57 (arm64)",
    program: "qemu-system-aarch64",
    package: "qemu-system-arm",
    arguments: &["-machine", "virt,gic-version=3", "-cpu", "cortex-a57,cntfrq=1000000000", "-seed", "1"],
    screen: false,
    debugged: "aarch64",
    bare: include!(concat!(env!("OUT_DIR"), "/bare-arm64-virt.rs")),
    linux: &LINUX,
    compiler: "aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu)",
};

/// Debian's kernels for this machine have the drivers of the GPIO controller and the character device built in.
static LINUX: LinuxOn = LinuxOn {
    elf: 183,
    probe: LazyLock::new(|| probe(include_bytes!(concat!(env!("OUT_DIR"), "/linux-arm64-virt/probe.gz")), "aarch64")),
    recorder: LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/linux-arm64-virt/recorder.gz")))),
    debian: "arm64",
    kinds: &["stock", "rt"],
    since: None,
    image: ARM64_IMAGE,
    words: LazyLock::new(|| "console=ttyAMA0 quiet nokaslr panic=-1 oops=panic".to_string()),
    bios: None,
    benches: &BENCHES,
    boot_instructions: 40_000_000_000, // a boot takes about 4.1 billion, 3 of them idle until the start-up work has ended
    tick_instructions: 4_000_000,
};

static BENCHES: [FirstProcess; 2] = [
    first_process!(Input::Line, &[], "linux-arm64-virt"),
    first_process!(Input::Pci, PCI_MODULES, "linux-arm64-virt-pci"),
];
