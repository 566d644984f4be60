// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall completions SHELL`: completions made from the flags.
use crate::cli::{Cli, print};
use crate::exit::Exit;
use clap::CommandFactory;

/// Arguments of `backwall completions`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The shell that is to complete
    shell: clap_complete::Shell,
}

/// Prints the completion script.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "backwall", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
