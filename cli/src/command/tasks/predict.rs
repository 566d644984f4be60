// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict [SET] [--from RUN|TRACE]`: worst-case response times, and whether every deadline is met.
use super::assumed::Assumed;
use super::recorded::Recorded;
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_os::console;
use backwall_os::regular_file;
use backwall_report::{prediction, shared};
use backwall_tasks::predict::answer::Verdict;
use backwall_tasks::predict::chains::{self, ChainBound};
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::prediction::{Analysed, verdict};
use backwall_tasks::predict::sensitivity::Place;
use backwall_tasks::predict::task::Processor;
use backwall_tasks::predict::work::Effort;

use backwall_runner::device::processors::Processors;
use backwall_runner::tasks::constants::known;
use backwall_tasks::assign::Placing;
use backwall_tasks::constants;
use backwall_tasks::fault::Fault;
use backwall_tasks::shared::on_all_processors;
use std::path::PathBuf;

/// With more tasks on a CPU, backwall does not search how much each time may grow: each search analyses the set about fifty times.
const SEARCHED: usize = 60;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Task set file
    #[arg(value_name = "SET", required_unless_present = "from")]
    set: Option<PathBuf>,
    /// Take the interference of interrupts, softirqs and other threads from a recording
    ///
    /// The result is a prediction, not a bound. Without SET, backwall predicts the recording's own real-time threads.
    #[arg(long, value_name = "RUN|TRACE")]
    from: Option<PathBuf>,
    /// With --from: CPUs of the recording that replace the set's, in order
    #[arg(short = 'a', long, value_name = "LIST", requires = "from")]
    cpu: Option<Processors>,
    #[command(flatten)]
    assumed: Assumed,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Reads the set and prints its analysis; runs and stores nothing.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let recorded = args.from.as_ref().map(|from| Recorded::read(from, args.printing)).transpose()?;
    let place = match (&args.set, &recorded) {
        (Some(place), _) => place,
        (None, Some(recorded)) => return recorded.predict(args.printing),
        (None, None) => return Err(usage("name a task set, or a recording with --from")),
    };
    let set = backwall_tasks::read(place, regular_file::open(place))?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", place.display()));
    let constants = known(&args.assumed.constants, &set, place, !args.printing.is_text())?;
    let costs = constants::costs(&constants).map_err(in_set)?;
    let set = match args.assumed.assign {
        Some(how) => set.assigned(how, Placing::All, costs).map_err(in_set)?,
        None => set,
    };
    if set.moves() && recorded.is_some() {
        return Err(usage(format!("{}: --from needs a CPU for every series; give each series a CPU", place.display())));
    }
    if set.moves() && !set.chain.is_empty() {
        return Err(usage(format!(
            "{}: with chains every series needs a CPU; give each series a CPU",
            place.display()
        )));
    }
    if set.moves() {
        let found = on_all_processors(&set, costs);
        args.printing
            .show(|| shared::record(&found, &constants), || shared::text(&found, &constants, console::columns()))?;
        return Ok(exit(found.verdict()));
    }
    let placed = set.placed(costs).map_err(in_set)?;
    if let Some(recorded) = recorded {
        return recorded.predict_set(&set, placed, args.cpu.as_ref(), &constants, args.printing);
    }
    let analysed = analysed(placed, &constants);
    let chains = chains::bounds(&set.chain, &analysed);
    args.printing
        .show(|| prediction::record(&analysed, &chains, &constants), || with_chains(&analysed, &chains, &constants))?;
    Ok(exit(worst(&analysed, &chains)))
}

pub(super) fn with_chains(analysed: &[Analysed], chains: &[ChainBound], constants: &[Constant]) -> String {
    let columns = console::columns();
    prediction::text(analysed, constants, columns) + &prediction::chains(chains, columns)
}

pub(super) fn worst(analysed: &[Analysed], chains: &[ChainBound]) -> Verdict {
    chains.iter().map(|chain| chain.verdict).fold(verdict(analysed), Ord::max)
}

pub(super) fn exit(verdict: Verdict) -> Exit {
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
