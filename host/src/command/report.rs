// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report RUN`: the page for a run.
use crate::cli::Global;
use crate::exit::{Exit, unable};

/// Arguments of `backwall report`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Carries the command out.
pub fn run(_args: &Args, _global: &Global) -> anyhow::Result<Exit> {
    Err(unable("report: this build does not carry it"))
}
