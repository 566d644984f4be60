// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Linux kernel with the modules that make an interrupt of the parallel port reach a program.
use std::path::{Path, PathBuf};

/// What the bench needs of the kernel, in the order of loading, below the kernel's folder of drivers.
pub const MODULES: [&str; 3] = ["parport/parport.ko", "parport/parport_pc.ko", "char/ppdev.ko"];

/// A kernel and its modules, in the order of loading. No modules: they are built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// bzImage.
    pub image: PathBuf,
    /// Plain or compressed.
    pub modules: Vec<PathBuf>,
    /// Whose it is.
    pub description: String,
    /// The period of its tick, where it is known.
    pub tick_instructions: Option<u64>,
}

/// All modules, or none if one is missing: then they are taken for built in, and the guest says so if they are not.
pub fn modules_below(drivers: &Path) -> Option<Vec<PathBuf>> {
    let find = |module: &str| {
        ["", ".xz", ".zst", ".gz"]
            .iter()
            .map(|ending| drivers.join(format!("{module}{ending}")))
            .find(|path| path.is_file())
    };
    MODULES.iter().map(|module| find(module)).collect()
}
