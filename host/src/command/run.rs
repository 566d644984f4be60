// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall run`: measures this machine.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall run`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("run: this build does not carry it"))
}
