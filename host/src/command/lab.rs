// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab`: the bench in a box.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall lab`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("lab: this build does not carry it"))
}
