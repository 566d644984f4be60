// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall iltiming`: interrupt timing analysis, with the 2002 tool's options and table.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall iltiming`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("iltiming: this build does not carry it"))
}
