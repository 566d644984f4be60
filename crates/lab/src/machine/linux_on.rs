// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a Linux kernel needs to be a guest of a machine, and how its kernels are found.
use crate::guest::kernel_image::Form;
use device::carried;
use std::sync::LazyLock;

/// Linux on a machine.
pub struct LinuxOn {
    /// The number of its processor in the head of a program (`e_machine`), by which programs of others are told.
    pub elf: u16,
    /// The probe for its processor; empty where the tool was built without the compiler.
    pub probe: LazyLock<Vec<u8>>,
    /// The program that records switches for `lab cost --tracing`; empty likewise.
    pub recorder: LazyLock<Vec<u8>>,
    /// Debian's name of the architecture.
    pub debian: &'static str,
    /// The form of its kernel images.
    pub image: Form,
    /// Its command line: the console; fixed addresses for the sweep's symbols; a panic ends the run; what the drivers are told.
    pub words: LazyLock<String>,
    /// The modules that make the bench's interrupt reach a program, in the order of loading, below the kernel's folder of drivers.
    pub modules: &'static [&'static str],
    /// The first process, the bench. Unpacked once: every trial of a search prepares its guest anew. Empty where the tool was built
    /// without the compiler.
    pub init: LazyLock<Vec<u8>>,
    /// What `nm` says of it: a line a symbol, `address type name`.
    pub init_names: LazyLock<Vec<u8>>,
    /// Instructions within which Debian's kernels have armed the port, generously.
    pub boot_instructions: u64,
    /// Debian builds its kernels with CONFIG_HZ=250 for this machine.
    pub tick_instructions: u64,
}

/// The packed probe, or, where it is the tool's own, that one.
pub(super) fn probe(packed: &[u8], architecture: &str) -> Vec<u8> {
    if packed.is_empty() && std::env::consts::ARCH == architecture {
        device::device::carried()
    } else {
        unpacked(packed)
    }
}

/// The program whose packed bytes these are; none of none.
pub(super) fn unpacked(packed: &[u8]) -> Vec<u8> {
    if packed.is_empty() { Vec::new() } else { carried::unpacked(packed) }
}
