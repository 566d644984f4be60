// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page beside the result.
use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug)]
pub struct PageFile {
    /// Also write a page
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
}
