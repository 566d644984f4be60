// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a batch.
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(super) struct BatchFolder {
    /// Folder of a batch
    ///
    /// Machines that share the work share its file system.
    #[arg(value_name = "BATCH")]
    pub(super) folder: PathBuf,
}
