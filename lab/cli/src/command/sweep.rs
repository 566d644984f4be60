// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab sweep`: tries every arrival instant of a span.
use super::one_scenario::OneScenario;
use super::{Boot, Common, emulator, held, refusal, run_of, settings};
use backwall::deliver::{Output, deliver};
use backwall::exit::{Exit, unable, usage};
use backwall::options::{Pictures, RunOutput, Verbose};
use backwall_lab::bench::{self, Settings};
use backwall_lab::sweep::{data, figures, sort};
use backwall_model::Picture;
use backwall_os::console::progress::Activity;
use backwall_report::picture::arrivals;
use jiff::Timestamp;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    one: OneScenario,
    /// Do not record what each pulse interrupted (faster)
    #[arg(long)]
    no_addresses: bool,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    boot: Boot,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    output: RunOutput,
    #[command(flatten)]
    verbose: Verbose,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let scenario = args.one.find()?;
    if scenario.sweep.is_none() {
        return Err(usage(format!(
            "scenario {}: add [sweep], the table that says from when arrivals are counted",
            scenario.name
        )));
    }
    let demands = held(&scenario, args.output.rules()?)?;
    let emulator = emulator(scenario.machine)?;
    let settings = Settings { addresses: !args.no_addresses, ..settings(&args.common, args.boot)? };
    let started = Timestamp::now();
    let folder = args.output.folder(&format!("lab-sweep-{}", scenario.name), started)?;
    let shown = Activity::begin(args.output.printing.quiet, || "sweeping".to_string());
    let mut bench = bench::run(&scenario, &emulator, &settings).map_err(|fault| refusal(&scenario, fault))?;
    let swept = sort(&scenario, &mut bench).map_err(|fault| refusal(&scenario, fault))?;
    let swept = swept.ok_or_else(|| {
        unable(format!("lab: {}: the guest gave no mark, or did not raise the swept line", scenario.name))
    })?;
    drop(shown);
    let mut run = run_of(&scenario, &bench, &emulator, &args.common, started);
    run.results.sweep = Some(figures(&swept));
    let seen = data(&scenario, &swept);
    let below = arrivals::text(&seen);
    run.pictures.push(Picture::Arrivals(seen));
    swept.answered.into_iter().for_each(|answered| answered.add_to(&mut run));
    folder.copy("edges.bin", &bench.edges_path())?;
    deliver(
        run,
        &demands,
        &folder,
        args.output.printing,
        Output { verbose: args.verbose.verbose, also: &below, png: args.pictures.png, ..Output::USUAL },
    )
}
