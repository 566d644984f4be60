// SPDX-License-Identifier: MIT OR Apache-2.0
//! What backwall must know to boot a Linux kernel as a guest, and how to find the kernels.
use crate::guest::kernel_image::Form;
use crate::input::Input;
use backwall_runner::device::carried;
use std::sync::LazyLock;

pub struct LinuxOn {
    /// The ELF machine number (`e_machine`), to reject programs for other architectures.
    pub elf: u16,
    /// The probe for this architecture; empty if backwall was built without the compiler.
    pub probe: LazyLock<Vec<u8>>,
    /// The program that records switches for `lab cost --tracing`; empty if backwall was built without the compiler.
    pub recorder: LazyLock<Vec<u8>>,
    pub debian: &'static str,
    /// The first Debian release with this architecture, if the current one lacks it.
    pub since: Option<&'static str>,
    /// The kinds of kernel that Debian builds for this architecture, as they appear in guest names.
    pub kinds: &'static [&'static str],
    pub image: Form,
    /// The kernel's command line: console; fixed addresses, so that symbols match; a panic ends the run; driver parameters.
    pub words: LazyLock<String>,
    pub bios: Option<Bios>,
    /// The bench programs, one per input that these kernels support. The first is the default.
    pub benches: &'static [FirstProcess],
    /// Generous limit of instructions until a Debian kernel arms the port.
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

/// The bench program, which is the first process of a guest, and how its interrupt reaches it.
pub struct FirstProcess {
    pub input: Input,
    /// The modules that carry the interrupt to a program, in loading order, as paths below the kernel's driver folder.
    pub modules: &'static [&'static str],
    /// The program, unpacked once, because every trial of a search prepares its guest anew. Empty if backwall was built without
    /// the compiler.
    pub init: LazyLock<Vec<u8>>,
    /// The program's `nm` output: lines of `address type name`.
    pub init_names: LazyLock<Vec<u8>>,
}

pub(super) const PCI_MODULES: &[&str] = &["uio/uio.ko", "uio/uio_pci_generic.ko"];

impl LinuxOn {
    /// The bench program for this input, or the default one. `None` if no kernel of this machine supports the input.
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
