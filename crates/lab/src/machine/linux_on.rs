// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts that a Linux kernel needs to be a guest, and how its kernels are found.
use crate::guest::kernel_image::Form;
use crate::input::Input;
use backwall_runner::device::carried;
use std::sync::LazyLock;

pub struct LinuxOn {
    /// The ELF machine number (`e_machine`), by which programs for other architectures are recognised.
    pub elf: u16,
    /// The probe for its processor; empty where the tool was built without the compiler.
    pub probe: LazyLock<Vec<u8>>,
    /// The program that records switches for `lab cost --tracing`; empty likewise.
    pub recorder: LazyLock<Vec<u8>>,
    pub debian: &'static str,
    /// First Debian release with the architecture, if a current one lacks it.
    pub since: Option<&'static str>,
    /// The kinds of kernel that Debian builds for it, as a guest is named by them.
    pub kinds: &'static [&'static str],
    pub image: Form,
    /// Its command line: console; fixed addresses for symbols; a panic ends the run; driver parameters.
    pub words: LazyLock<String>,
    pub bios: Option<Bios>,
    /// The bench, by the inputs that its kernels can take; the first is what a scenario has that names none.
    pub benches: &'static [FirstProcess],
    /// Instructions within which Debian's kernels have armed the port, generously.
    pub boot_instructions: u64,
    /// Debian builds its kernels with CONFIG_HZ=250 for this machine.
    pub tick_instructions: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Bios {
    pub words: &'static [&'static str],
    pub file: &'static str,
    pub package: &'static str,
}

/// The bench as the first process of a guest, and how its interrupt reaches it.
pub struct FirstProcess {
    pub input: Input,
    /// The modules that make the interrupt reach a program, in the order of loading, below the kernel's folder of drivers.
    pub modules: &'static [&'static str],
    /// The program. Unpacked once: every trial of a search prepares its guest anew. Empty where the tool was built without the compiler.
    pub init: LazyLock<Vec<u8>>,
    /// Its `nm` output: lines of `address type name`.
    pub init_names: LazyLock<Vec<u8>>,
}

pub(super) const PCI_MODULES: &[&str] = &["uio/uio.ko", "uio/uio_pci_generic.ko"];

impl LinuxOn {
    /// The bench that takes this input; the usual one if none is named. `None`: none of its kernels can.
    #[must_use]
    pub fn bench(&self, input: Option<Input>) -> Option<&'static FirstProcess> {
        self.benches.iter().find(|bench| input.is_none_or(|input| bench.input == input))
    }

    pub fn modules(&self) -> impl Iterator<Item = &'static str> {
        self.benches.iter().flat_map(|bench| bench.modules).copied()
    }
}

pub(super) fn probe(packed: &[u8], architecture: &str) -> Vec<u8> {
    if packed.is_empty() && std::env::consts::ARCH == architecture {
        backwall_runner::device::target::carried()
    } else {
        unpacked(packed)
    }
}

pub(super) fn unpacked(packed: &[u8]) -> Vec<u8> {
    if packed.is_empty() { Vec::new() } else { carried::unpacked(packed) }
}

macro_rules! first_process {
    ($input:expr, $modules:expr, $folder:literal) => {
        FirstProcess {
            input: $input,
            modules: $modules,
            init: LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/", $folder, "/init.gz")))),
            init_names: LazyLock::new(|| {
                unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/", $folder, "/init.names.gz")))
            }),
        }
    };
}
pub(super) use first_process;
