// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall man DIR`: man pages made from the flags.
use crate::exit::Exit;
use anyhow::Context;
use std::path::PathBuf;

/// Arguments of `backwall man`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder that receives one page per command
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes `backwall.1`, `backwall-run.1` and so on, from the table of `flags`.
pub fn run(args: &Args, flags: clap::Command) -> anyhow::Result<Exit> {
    let at = || format!("man pages to {}", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(at)?;
    clap_mangen::generate_to(flags, &args.folder).with_context(at)?;
    Ok(Exit::Done)
}
