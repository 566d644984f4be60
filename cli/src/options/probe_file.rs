// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another program as the probe, for tests.
use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug)]
pub struct ProbeFile {
    /// Use this program as the probe
    #[arg(long, value_name = "FILE", hide = true)]
    pub probe: Option<PathBuf>,
}
