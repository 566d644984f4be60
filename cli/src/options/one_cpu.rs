// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CPU that a command examines.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct OneCpu {
    /// CPU to examine [default: the first isolated one, else the last allowed]
    #[arg(short = 'a', long, value_name = "N")]
    pub cpu: Option<u32>,
}
