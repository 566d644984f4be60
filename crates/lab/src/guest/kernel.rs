// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Linux kernel with the modules that carry the generator's interrupt to a program.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use std::path::{Path, PathBuf};

/// A kernel and its modules, in loading order. Without modules, the drivers must be built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub image: PathBuf,
    pub modules: Vec<PathBuf>,
    pub description: String,
    pub tick_instructions: Option<u64>,
}

/// All modules, or none if one is missing: then they may be built in, and the guest reports an error if they are not.
pub fn modules_below(drivers: &Path, wanted: &[&str]) -> Option<Vec<PathBuf>> {
    let find = |module: &str| {
        ["", ".xz", ".zst", ".gz"]
            .iter()
            .map(|ending| drivers.join(format!("{module}{ending}")))
            .find(|path| path.is_file())
    };
    wanted.iter().map(|module| find(module)).collect()
}
