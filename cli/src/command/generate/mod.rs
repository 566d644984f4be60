// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall generate`: files for packages, made from the flags.
pub mod completions;
pub mod man;
pub mod reference;

use crate::examples;
use crate::exit::Exit;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    file: File,
}

#[derive(clap::Subcommand, Debug)]
enum File {
    /// Print shell completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions(completions::Args),
    /// Write man pages
    #[command(after_help = examples::MAN)]
    Man(man::Args),
    /// Write reference pages
    #[command(after_help = examples::REFERENCE)]
    Reference(reference::Args),
}

pub fn run(args: &Args, flags: clap::Command) -> anyhow::Result<Exit> {
    match &args.file {
        File::Completions(args) => completions::run(args, flags),
        File::Man(args) => man::run(args, flags),
        File::Reference(args) => reference::run(args, flags),
    }
}
