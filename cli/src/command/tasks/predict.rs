// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict SET`: worst-case response times, and whether every deadline is met.
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_os::console;
use backwall_os::regular_file;
use backwall_report::{prediction, shared};
use backwall_tasks::predict::answer::Verdict;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::prediction::{Analysed, verdict};
use backwall_tasks::predict::sensitivity::Place;
use backwall_tasks::predict::task::Processor;
use backwall_tasks::predict::work::Effort;

use backwall_runner::tasks::constants::known;
use backwall_tasks::assign::{Assign, Placing};
use backwall_tasks::constants;
use backwall_tasks::fault::Fault;
use backwall_tasks::shared::on_all_processors;
use std::path::PathBuf;

/// A CPU with more tasks gets no search for what may grow: each search analyses the set about fifty times.
const SEARCHED: usize = 60;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Task set file
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Assign series without a CPU so that every CPU passes the analysis
    #[arg(long, value_enum)]
    assign: Option<Assign>,
    /// What the system costs: NAME=TIME, RUN, here or detent (repeatable)
    ///
    /// RUN measured it; here measures it now.
    #[arg(long, value_name = "NAME=TIME|RUN|here|detent")]
    constants: Vec<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Reads the set and prints its analysis; runs and stores nothing.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let set = backwall_tasks::read(&args.set, regular_file::open(&args.set))?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", args.set.display()));
    let constants = known(&args.constants, &set, &args.set, !args.printing.is_text())?;
    let costs = constants::costs(&constants).map_err(in_set)?;
    let set = match args.assign {
        Some(how) => set.assigned(how, Placing::All, costs).map_err(in_set)?,
        None => set,
    };
    if set.moves() {
        let found = on_all_processors(&set, costs);
        args.printing
            .show(|| shared::record(&found, &constants), || shared::text(&found, &constants, console::columns()))?;
        return Ok(exit(found.verdict()));
    }
    let placed = set.placed(costs).map_err(in_set)?;
    let analysed = analysed(placed, &constants);
    args.printing.show(
        || prediction::record(&analysed, &constants),
        || prediction::text(&analysed, &constants, console::columns()),
    )?;
    Ok(exit(verdict(&analysed)))
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Met => Exit::Done,
        Verdict::Missed => Exit::Failed,
        Verdict::Unknown => Exit::Undecided,
    }
}

fn analysed(placed: Vec<(u32, Processor)>, constants: &[Constant]) -> Vec<Analysed> {
    let places: Vec<Place> = constants.iter().filter_map(|constant| constants::place(&constant.name)).collect();
    let (mut effort, mut of_growth) = (Effort::of_set(), Effort::of_growth());
    let mut one = |(number, processor): (u32, Processor)| {
        let short = processor.tasks.len() <= SEARCHED;
        let analysed = Analysed::within(number, processor, &mut effort);
        if short { analysed.with_growth(&places, &mut of_growth) } else { analysed }
    };
    placed.into_iter().map(&mut one).collect()
}
