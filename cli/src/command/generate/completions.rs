// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall generate completions SHELL`: completions made from the flags.
use crate::exit::Exit;
use backwall_os::console::print;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Shell that will complete the words
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, mut flags: clap::Command) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut flags, "backwall", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
