// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab saturate`: the highest frequencies a guest bears.
use super::{Common, emulator, find, refusal, settings};
use crate::cli::{Global, print};
use crate::exit::Exit;
use crate::lab::saturate::{Saturation, search};
use crate::report::table::{Align, Table};
use crate::scope::saturation::{Found, Goal, Probe};
use crate::scope::tick::Tick;
use crate::units::grouped;
use serde_json::json;
use std::io::IsTerminal;

/// Arguments of `backwall lab saturate`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// A name from `backwall lab list`, or a file ending in .toml
    #[arg(value_name = "NAME|FILE.toml")]
    scenario: String,
    #[command(flatten)]
    common: Common,
}

/// Searches and prints what was found.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenario = find(&args.scenario)?;
    let emulator = emulator()?;
    let settings = settings(&args.common, global, false);
    let quiet = global.quiet || !std::io::stderr().is_terminal();
    let mut told = |probe: Probe, goals: &[Goal], figures: &[u64]| {
        if !quiet {
            eprintln!("{}", probe_text(probe, goals, figures));
        }
    };
    let saturation = search(&scenario, &emulator, &settings, &mut told).map_err(|fault| refusal(&scenario, fault))?;
    if global.json {
        print(&format!("{:#}\n", as_json(&saturation)))?;
    } else if !global.quiet {
        print(&text(&scenario.name, &saturation))?;
    }
    Ok(Exit::Done)
}

fn probe_text(probe: Probe, goals: &[Goal], figures: &[u64]) -> String {
    let told: Vec<String> = goals.iter().zip(figures).map(|(goal, figure)| format!("{} {figure}", goal.name)).collect();
    format!("period {}, {} pulses: {}", grouped(probe.period.0), probe.pulses, told.join(", "))
}

/// Pulses in 1,000,000 instructions, the lab's unit of frequency.
fn per_million(period: Tick) -> f64 {
    1e6 / period.0 as f64
}

fn text(name: &str, saturation: &Saturation) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("shortest period", Align::Right),
        ("per million", Align::Right),
        ("fails at", Align::Right),
        ("", Align::Left),
    ]);
    for (goal, found, contradicting) in &saturation.goals {
        let remark = contradicting.iter().map(|period| grouped(period.0)).collect::<Vec<_>>().join(", ");
        let remark = if remark.is_empty() { remark } else { format!("also fails at {remark}") };
        let mut row = vec![goal.name.clone()];
        row.extend(found_cells(*found));
        row.push(remark);
        table.row(row);
    }
    let probes = saturation.tried.len();
    let load = saturation.undisturbed.map_or(String::new(), |edge| {
        format!("The load moves its line every {} instructions when nothing disturbs it.\n", grouped(edge.0))
    });
    format!(
        "{name}: {}, emulated: figures are executed instructions, not time\n\n{}\n{probes} probes. {}\n{load}",
        saturation.description,
        table.text(),
        saturation.rule
    )
}

/// Period, frequency, and the next shorter period that was tried.
fn found_cells(found: Found) -> [String; 3] {
    let frequency = |period: Tick| format!("{:.3}", per_million(period));
    match found {
        Found::At { period, fails_at } => [grouped(period.0), frequency(period), grouped(fails_at.0)],
        Found::Everywhere(period) => [grouped(period.0), frequency(period), "none tried".to_string()],
        Found::Nowhere(longest) => ["none".to_string(), "-".to_string(), grouped(longest.0)],
        Found::Unfinished => ["not settled".to_string(), "-".to_string(), "-".to_string()],
    }
}

fn as_json(saturation: &Saturation) -> serde_json::Value {
    let goal = |(goal, found, contradicting): &(Goal, Found, Vec<Tick>)| {
        let (period, fails_at) = match *found {
            Found::At { period, fails_at } => (Some(period.0), Some(fails_at.0)),
            Found::Everywhere(period) => (Some(period.0), None),
            Found::Nowhere(longest) => (None, Some(longest.0)),
            Found::Unfinished => (None, None),
        };
        let also: Vec<u64> = contradicting.iter().map(|period| period.0).collect();
        json!({ "name": goal.name, "period_instructions": period, "fails_at_instructions": fails_at, "also_fails_at": also })
    };
    let tried = |(period, figures): &(Tick, Vec<u64>)| json!({ "period_instructions": period.0, "figures": figures });
    json!({
        "guest": saturation.description,
        "rule": saturation.rule,
        "undisturbed_progress_instructions": saturation.undisturbed.map(|edge| edge.0),
        "goals": saturation.goals.iter().map(goal).collect::<Vec<_>>(),
        "tried": saturation.tried.iter().map(tried).collect::<Vec<_>>(),
    })
}
