// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain as a run: the chain is a series, and each hop is a stage of it.
use super::Args;
use crate::deliver::{Output, deliver};
use crate::exit::Exit;
use crate::invocation;
use crate::options::Printing;
use backwall_ftrace::recording_file::RecordingSummary;
use backwall_judge::require::Demands;
use backwall_model::picture::Picture;
use backwall_model::units::Unit;
use backwall_model::{AS_FOUND, IDLE_AS_IS, Origin, Plan, Run};
use backwall_report::trace::chain_picture;
use backwall_report::trace::chained::ChainReport;
use backwall_store::RunFolder;
use backwall_trace::chain::Chains;
use jiff::Timestamp;

pub(super) fn run_of(args: &Args, told: &RecordingSummary, chains: &Chains) -> Run {
    let plan = Plan {
        measures: vec![backwall_trace::chain::tally::SERIES.to_string()],
        loads: vec![AS_FOUND.to_string()],
        idle: IDLE_AS_IS.to_string(),
        phase_ns: args.duration,
        whole_ns: args.duration,
        deadline_ns: args.late_after.deadline,
        require: args.output.require(),
        ..Plan::default()
    };
    let mut run = Run::begin(Origin::Measured, plan, invocation::words(), Timestamp::now());
    run.device.kernel = told.system.clone().unwrap_or_default();
    run.seconds = told.summary.span_ns as f64 / 1e9;
    for chained in ChainReport::all(chains, told.summary.begin_ns, told.unit) {
        run.series.push(chained.tally.series());
        run.series.extend(chained.tally.others());
        run.stages.extend(chained.tally.stages(told.lost.unwrap_or(0)));
        run.pictures.push(Picture::Chain(chain_picture::of(&chained)));
    }
    if told.unit != Unit::Ns {
        run.spoil("the trace's times are instruction counts, not nanoseconds");
    }
    if run.series.iter().all(|series| series.due.unwrap_or(series.done) == 0) {
        run.spoil("no instance of the chain started");
    }
    run
}

/// Stores the chains as a run in a folder, and judges the run. The text was printed earlier.
pub(super) fn keep(args: &Args, told: &RecordingSummary, chains: &Chains, demands: &Demands) -> anyhow::Result<Exit> {
    let folder = args.output.folder("chain", Timestamp::now())?;
    keep_in(&folder, args, told, chains, demands)
}

pub(super) fn keep_in(
    folder: &RunFolder,
    args: &Args,
    told: &RecordingSummary,
    chains: &Chains,
    demands: &Demands,
) -> anyhow::Result<Exit> {
    let run = run_of(args, told, chains);
    let quiet = Printing { json: false, quiet: true };
    let exit = deliver(run, demands, folder, quiet, Output::USUAL)?;
    if args.output.printing.is_text() {
        let page = folder.path().join(backwall_report::page::FILE);
        backwall_os::console::print(&format!("page: {}\n", page.display()))?;
    }
    Ok(exit)
}
