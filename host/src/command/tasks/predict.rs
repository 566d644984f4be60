// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict SET`: worst-case response times, and whether every deadline is met.
use crate::console::print;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::predict::answer::Verdict;
use crate::predict::constant::Constant;
use crate::predict::prediction::{Analysed, verdict};
use crate::predict::sensitivity::Place;
use crate::predict::task::Processor;
use crate::report::prediction;
use crate::tasks;
use crate::tasks::constants;
use crate::tasks::fault::Fault;
use crate::tasks::set::Set;
use std::path::PathBuf;

/// On a processor with more tasks nothing is said of what may grow: each search analyses it some fifty times.
const SEARCHED: usize = 60;

/// Arguments of `backwall tasks predict`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The set of tasks: a file
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// What the system costs: NAME=TIME (repeatable)
    #[arg(long, value_name = "NAME=TIME")]
    constants: Vec<String>,
}

/// Reads the set and prints what the analysis says; nothing is run and nothing is stored.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() || global.out.is_some() {
        return Err(usage("tasks predict makes no run: it takes neither --require nor --out"));
    }
    let set = tasks::read(&args.set)?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", args.set.display()));
    let constants = known(args, &set)?;
    let costs = constants::costs(&constants).map_err(in_set)?;
    let placed = set.placed(costs).map_err(in_set)?;
    let analysed = analysed(placed, &constants);
    if global.json {
        print(&(serde_json::to_string_pretty(&prediction::record(&analysed, &constants))? + "\n"))?;
    } else if !global.quiet {
        print(&prediction::text(&analysed, &constants))?;
    }
    Ok(match verdict(&analysed) {
        Verdict::Met => Exit::Done,
        Verdict::Missed => Exit::Failed,
        Verdict::Unknown => Exit::Undecided,
    })
}

/// Every processor's answers; what may grow, where the searches for it are short.
fn analysed(placed: Vec<(u32, Processor)>, constants: &[Constant]) -> Vec<Analysed> {
    let places: Vec<Place> = constants.iter().filter_map(|constant| constants::place(&constant.name)).collect();
    let one = |(number, processor): (u32, Processor)| {
        let short = processor.tasks.len() <= SEARCHED;
        let analysed = Analysed::of(number, processor);
        if short { analysed.with_growth(&places) } else { analysed }
    };
    placed.into_iter().map(one).collect()
}

/// The set's constants, then those of the command line.
fn known(args: &Args, set: &Set) -> anyhow::Result<Vec<Constant>> {
    let place = args.set.display().to_string();
    let in_set = |fault: Fault| usage(format!("{place}: {fault}"));
    let own = set.constants.iter().map(|(name, time)| constants::given(name, time.0, &place).map_err(in_set));
    let typed = args.constants.iter().map(|text| constants::typed(text).map_err(|fault| usage(fault.to_string())));
    own.chain(typed).collect()
}
