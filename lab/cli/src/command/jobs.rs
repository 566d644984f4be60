// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many guests run at a time.

#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Jobs {
    /// Guests to run at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
}
