// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab sweep`: every arrival instant of a span.
use super::{Common, bad_scenario, emulator, refusal, run_of, settings};
use crate::command::deliver::{Output, deliver, rules};
use crate::exit::{Exit, unable, usage};
use crate::lab::bench;
use crate::lab::scenario::Scenario;
use crate::lab::shipped;
use crate::lab::sweep::{Swept, sort};
use crate::options::Global;
use crate::report::section::Section;
use crate::report::table::{Align, Table};
use crate::report::text::text;
use crate::run::Run;
use crate::scope::picture::Picture;
use crate::scope::tick::TickRate;
use crate::store::RunFolder;
use crate::units::grouped;
use jiff::Timestamp;

/// How many interrupted functions are listed.
const OWNERS: usize = 12;

/// Arguments of `backwall lab sweep`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A name from `backwall lab list`, or a file ending in .toml
    #[arg(value_name = "NAME|FILE.toml")]
    scenario: String,
    /// Do not read what each pulse interrupted (faster)
    #[arg(long)]
    no_addresses: bool,
    #[command(flatten)]
    common: Common,
}

/// Sweeps, and delivers the run with the latency drawn against the arrival.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenario = shipped::find(&args.scenario).map_err(bad_scenario)?.remove(0);
    if scenario.sweep.is_none() {
        return Err(usage(format!(
            "scenario {}: no [sweep]: it says what the arrivals are counted from",
            scenario.name
        )));
    }
    let rules = rules(global)?;
    let emulator = emulator()?;
    let settings = settings(&args.common, global, !args.no_addresses)?;
    let started = Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), &format!("lab-sweep-{}", scenario.name), started)?;
    let mut bench = bench::run(&scenario, &emulator, &settings).map_err(|fault| refusal(&scenario, fault))?;
    let swept = sort(&scenario, &mut bench).map_err(|fault| refusal(&scenario, fault))?;
    let swept =
        swept.ok_or_else(|| unable(format!("lab: {}: the guest raised no mark, or not that line", scenario.name)))?;
    let mut run = run_of(&scenario, &bench, &emulator, global, started);
    run.values.extend(values(&swept));
    let told = told(&scenario, &swept);
    let pictures = [section(&scenario, &swept, &told)];
    swept.answered.into_iter().for_each(|answered| answered.add_to(&mut run));
    folder.copy("edges.bin", &bench.edges_path())?;
    let whole = |run: &Run| format!("{}\n{told}", text(run));
    deliver(run, &rules, &folder, global, Output { text: &whole, file: None, pictures: &pictures })
}

fn values(swept: &Swept) -> impl Iterator<Item = (String, u64)> {
    let sweep = &swept.sweep;
    let figures = [
        ("arrivals", Some(sweep.arrivals().len() as u64)),
        ("lost", Some(sweep.lost())),
        ("untried", Some(sweep.untried())),
        ("floor_instructions", sweep.floor().map(|tick| tick.0)),
        ("worst_instructions", sweep.worst().map(|arrival| arrival.latency.0)),
        ("worst_at_instructions", sweep.worst().map(|arrival| arrival.at.0)),
        ("spread_instructions", sweep.longest_masked().map(|tick| tick.0)),
    ];
    figures.into_iter().filter_map(|(name, value)| value.map(|value| (format!("sweep_{name}"), value)))
}

/// The result of the sweep as text.
fn told(scenario: &Scenario, swept: &Swept) -> String {
    let sweep = &swept.sweep;
    let (Some(floor), Some(worst), Some(longest)) = (sweep.floor(), sweep.worst(), sweep.longest_masked()) else {
        return format!("sweep of {}: no pulse was answered\n", swept.line);
    };
    let mut text = format!(
        "sweep of {}: {} arrivals answered, {} lost, {} instants between the first and the last untried\n\
         shortest {} instructions, longest {}, for an arrival at {}; {} {} instructions\n\
         This holds for every instant tried, of this image ({}), with these inputs, from this start.\n",
        swept.line,
        grouped(sweep.arrivals().len() as u64),
        grouped(sweep.lost()),
        grouped(sweep.untried()),
        grouped(floor.0),
        grouped(worst.latency.0),
        grouped(worst.at.0),
        meaning(&swept.line),
        grouped(longest.0),
        scenario.guest,
    );
    if !swept.owners.is_empty() {
        text.push_str(&format!("\n{}", owners(swept)));
    }
    text
}

/// What the difference between the longest and the shortest latency is. Only an ISR waits for nothing but masking.
fn meaning(line: &str) -> &'static str {
    if line.ends_with("isr") { "so the longest masked stretch is" } else { "so the arrival instant costs up to" }
}

fn owners(swept: &Swept) -> String {
    let mut table = Table::new(&[
        ("interrupted function", Align::Left),
        ("arrivals", Align::Right),
        ("masked", Align::Right),
        ("longest latency", Align::Right),
    ]);
    for owner in swept.owners.iter().take(OWNERS) {
        table.row(vec![owner.name.clone(), grouped(owner.arrivals), grouped(owner.masked), grouped(owner.max.0)]);
    }
    let more = swept.owners.len().saturating_sub(OWNERS);
    let rest = if more > 0 { format!("and {more} more\n") } else { String::new() };
    table.text() + &rest
}

fn section(scenario: &Scenario, swept: &Swept, told: &str) -> Section {
    let picture = Picture::of_sweep(&swept.sweep, TickRate::Instructions, &scenario.about).svg();
    let escaped = crate::report::section::escape(told);
    let body = format!("<figure><div class=\"picture\">{picture}</div></figure>\n<pre>{escaped}</pre>\n");
    Section::new("sweep", "Latency against the instant of arrival", "", body)
}
