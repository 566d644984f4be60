// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall check`: is this machine set up for real time, and what to change.
use crate::affinity;
use crate::check;
use crate::console::print;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::report::checks;
use crate::run::Check;
use crate::session::phase;

/// Arguments of `backwall check`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor that is to be measured [default: the last one allowed]
    #[arg(long, value_name = "N")]
    cpu: Option<u32>,
}

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Record {
    cpu: u32,
    checks: Vec<Check>,
}

/// Reads every setting and prints the readings; nothing is changed and nothing is stored.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() || global.out.is_some() {
        return Err(usage("check makes no run: it takes neither --require nor --out"));
    }
    let cpu = phase::measured_cpu(args.cpu, &affinity::allowed())?;
    let checks = check::all(cpu);
    if global.json {
        print(&(serde_json::to_string_pretty(&Record { cpu, checks })? + "\n"))?;
    } else if !global.quiet {
        print(&checks::text(cpu, &checks))?;
    }
    Ok(Exit::Done)
}
