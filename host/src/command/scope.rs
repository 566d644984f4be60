// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope CAPTURE`: a logic analyzer's or scope's capture through the same statistics.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall scope`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("scope: this build does not carry it"))
}
