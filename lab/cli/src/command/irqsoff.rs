// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab irqsoff`: the longest sections of a guest with interrupts disabled, by the functions that began and ended them.
use super::one_scenario::OneScenario;
use super::{Boot, Common, emulator, refusal, settings};
use backwall::exit::{Exit, unable, usage};
use backwall::options::Printing;
use backwall_capture::trail::stretches::{gathered, read};
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::trail::names;
use backwall_os::console::columns;
use backwall_os::console::progress::Activity;
use backwall_report::trail::masked;
use backwall_report::wrap::narrow;
use serde_json::json;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    one: OneScenario,
    /// Minimum length, in instructions
    #[arg(long, value_name = "N", default_value_t = 50)]
    least: u64,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
}

/// Runs the scenario once and collects its irqs-off sections from the start of the first generator on.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let scenario = args.one.find()?;
    if scenario.generator.used().next().is_none() {
        let name = &scenario.name;
        return Err(usage(format!("lab: {name}: has no generator; irqsoff begins when the first generator starts")));
    }
    let emulator = emulator(scenario.machine)?;
    let usual = settings(&args.common, Boot { fresh: false })?;
    let settings = Settings { stretches: Some(args.least), ..usual.clone() };
    let shown = Activity::begin(args.printing.quiet, || "examining every block".to_string());
    let bench = bench::run(&scenario, &emulator, &settings).and_then(BenchRun::whole);
    let bench = bench.map_err(|fault| refusal(&scenario, fault))?;
    let bytes = std::fs::read(bench.stretches_path())?;
    let stretches = read(&bytes).map_err(|fault| unable(format!("lab: {}: {fault}", scenario.name)))?;
    let names = names::of(&bench, &scenario, &emulator, &usual).map_err(|fault| refusal(&scenario, fault))?;
    drop(shown);
    let rows = gathered(&stretches, &names);
    let (guest, least, all) = (bench.description(), args.least, stretches.all);
    let gathered = stretches.told.len() as u64;
    args.printing.show(
        || json!({ "guest": guest, "stretches": all, "gathered": gathered, "least": least, "masked": rows }),
        || {
            let (name, counted) = (&scenario.name, stretches.counted());
            let head = format!("{name}: {guest}, {counted}, of at least {least} instructions");
            format!("{}\n{}", narrow(&head, columns()), masked(&rows).text(columns()))
        },
    )?;
    Ok(Exit::Done)
}
