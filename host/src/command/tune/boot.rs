// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune boot`: what only a restart can set, as one line for the boot loader.
use super::{machine, settle};
use crate::check::{self, Machine as Checked};
use crate::exit::Exit;
use crate::options::Global;
use crate::report::tune as words;
use serde_json::json;

/// Arguments of `backwall tune boot`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor that is or will be measured [default: the first isolated one, else the last one allowed]
    #[arg(short = 'a', long, value_name = "N")]
    cpu: Option<u32>,
}

/// Prints the line and where it belongs; nothing is written.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let machine = machine(args.cpu)?;
    settle(&machine, global);
    let options = check::advised(&Checked::this(machine.cpu)).1.boot;
    let loader = words::Loader::of(|path| machine.has(path));
    global.show(|| json!({ "options": options, "file": loader.file() }), || words::boot(&options, &loader))?;
    Ok(Exit::Done)
}
