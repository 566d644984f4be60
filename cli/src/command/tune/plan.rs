// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune plan`: what would change something here. Nothing is changed.
use super::{machine_of, settle};
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_model::{CauseTotal, Origin};
use backwall_os::console;
use backwall_report::tune as words;
use backwall_tuning::check::{self, Machine as Checked};

use backwall_tuning::settings::{PlannedSetting, left, plan};
use std::path::{Path, PathBuf};

/// Arguments of `backwall tune plan`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A run of this machine, as backwall run or backwall watch leaves it: what may help against what made its worst responses late comes first
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    /// The processor that is or will be measured [default: the first isolated one, else the last one allowed]
    #[arg(short = 'a', long, value_name = "N")]
    pub cpu: Option<u32>,
    /// An application whose threads are or will be measured, as backwall watch names it: a recipe, a name, or a number
    #[arg(long, value_name = "APP")]
    app: Option<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Lists them, those first that the causes of the run or a check speak for.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let causes = args.run.as_deref().map(causes).transpose()?.unwrap_or_default();
    let machine = machine_of(args.cpu, args.app.as_deref())?;
    settle(&machine, args.printing);
    let planned: Vec<PlannedSetting> = plan(&machine, &check::all_of(&Checked::this(machine.cpu)), &causes);
    let left = left(&machine, &planned, &causes);
    args.printing.show(|| &planned, || words::plan(machine.cpu, &planned, left, console::columns()))?;
    Ok(Exit::Done)
}

/// What made the worst responses of a run late.
fn causes(place: &Path) -> anyhow::Result<Vec<CauseTotal>> {
    let run = backwall_store::read(&backwall_store::meant(place)?)?;
    if run.origin != Origin::Measured {
        return Err(usage(format!(
            "{}: not measured, so it tells nothing of this machine's settings",
            place.display()
        )));
    }
    let causes: Vec<CauseTotal> = run.stages.into_iter().flat_map(|stages| stages.causes).collect();
    if causes.is_empty() {
        return Err(usage(format!(
            "{}: it says of no response who made it late; backwall watch, and backwall run as root, look for that",
            place.display()
        )));
    }
    Ok(causes)
}
