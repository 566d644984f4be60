// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures beside the result.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Pictures {
    /// Also write the pictures as PNG files
    #[arg(long)]
    pub png: bool,
}
