// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune plan`: what would change something here. Nothing is changed.
use super::{machine_of, settle};
use crate::check::{self, Machine as Checked};
use crate::console;
use crate::exit::Exit;
use crate::options::Global;
use crate::report::tune as words;
use settings::{Planned, plan};

/// Arguments of `backwall tune plan`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor that is or will be measured [default: the first isolated one, else the last one allowed]
    #[arg(short = 'a', long, value_name = "N")]
    pub cpu: Option<u32>,
    /// An application whose threads are or will be measured, as backwall watch names it: a recipe, a name, or a number
    #[arg(long, value_name = "APP")]
    app: Option<String>,
}

/// Lists them, those first that a check calls harmful.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let machine = machine_of(args.cpu, args.app.as_deref())?;
    settle(&machine, global);
    let planned: Vec<Planned> = plan(&machine, &check::all_of(&Checked::this(machine.cpu)));
    global.show(|| &planned, || words::plan(machine.cpu, &planned, console::columns()))?;
    Ok(Exit::Done)
}
