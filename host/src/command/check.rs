// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall check`: is this machine set up for real time, and what to change.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall check`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("check: this build does not carry it"))
}
