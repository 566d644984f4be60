// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a run.
use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug, Default)]
pub struct Destination {
    /// Folder for the run [default: backwall-runs/<time>-<command>/]
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    pub out: Option<PathBuf>,
}
