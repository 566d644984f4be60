// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab saturate`: the highest frequencies that guests bear.
use super::{Several, emulator, out_of, refusal, run_of, settings};
use crate::command::deliver::{Output, deliver};
use crate::console::{self, complain, print};
use crate::exit::{Exit, usage};
use crate::lab::emulator::Emulator;
use crate::lab::generator::Shape;
use crate::lab::parallel;
use crate::lab::result::judge;
use crate::lab::saturate::{Saturation, search};
use crate::lab::scenario::Scenario;
use crate::options::Global;
use crate::report::table::{Align, Table};
use crate::run::{Extension, Run};
use crate::scope::saturation::{Found, Goal, Trial};
use crate::scope::tables::{Grid, Saturated, frequencies};
use crate::scope::tick::Tick;
use crate::store::RunFolder;
use crate::units::grouped;
use jiff::Timestamp;
use serde_json::json;

/// Arguments of `backwall lab saturate`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) several: Several,
}

/// Searches all, then delivers each in the order given.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let scenarios = args.several.find()?;
    scenarios.iter().try_for_each(searchable)?;
    let emulator = emulator()?;
    let settings = settings(&args.several.common, global, false)?;
    let quiet = global.quiet || !console::watched();
    let started = Timestamp::now();
    let folder = |scenario: &Scenario| {
        let out = out_of(global, scenario, scenarios.len());
        RunFolder::create(out.as_deref(), &format!("lab-saturate-{}", scenario.name), started)
    };
    let folders: Vec<RunFolder> = scenarios.iter().map(folder).collect::<anyhow::Result<_>>()?;
    let results = parallel::map(&scenarios, args.several.jobs(), |scenario| {
        let hear = |trial: Trial, goals: &[Goal], figures: &[u64]| {
            if !quiet {
                complain(&format!("{}: {}", scenario.name, trial_text(trial, goals, figures)));
            }
        };
        search(scenario, &emulator, &settings, &hear)
    });
    let mut found = Vec::new();
    for ((scenario, result), folder) in scenarios.iter().zip(results).zip(folders) {
        let mut saturation = result.map_err(|fault| refusal(scenario, fault))?;
        present(scenario, &mut saturation, &emulator, global, (started, &folder))?;
        found.push((scenario, saturation));
    }
    if found.len() > 1 && !global.json && !global.quiet {
        print(&format!("\n{}", side_by_side(&found).text()))?;
    }
    Ok(Exit::Done)
}

/// Only the period of a periodic generator is a frequency.
fn searchable(scenario: &Scenario) -> anyhow::Result<()> {
    let other = scenario.generator.used().find(|(_, generator)| generator.shape != Shape::Periodic);
    other.map_or(Ok(()), |(letter, _)| {
        Err(usage(format!("scenario {}: generator.{letter}: a search needs shape = \"periodic\"", scenario.name)))
    })
}

fn present(
    scenario: &Scenario,
    saturation: &mut Saturation,
    emulator: &Emulator,
    global: &Global,
    (started, folder): (Timestamp, &RunFolder),
) -> anyhow::Result<()> {
    let judged = judge(scenario, &mut saturation.first.recording.edges);
    let mut run = run_of(scenario, &saturation.first, emulator, global, started);
    run.seconds = started.duration_until(Timestamp::now()).as_secs_f64();
    judged.into_iter().flat_map(|judged| judged.answered).for_each(|answered| answered.add_to(&mut run));
    if let Extension::Lab(lab) = &mut run.plan.extension {
        lab.saturation = Some(as_json(saturation));
    }
    let pictures = [side_by_side(&[(scenario, &*saturation)]).section()];
    let table = text(scenario, saturation);
    let whole = |_: &Run| table.clone();
    deliver(run, &[], folder, global, Output { text: &whole, file: None, pictures: &pictures }).map(|_| ())
}

fn side_by_side<S: std::borrow::Borrow<Saturation>>(found: &[(&Scenario, S)]) -> Grid {
    let goals: Vec<Vec<(&str, Found, bool)>> = found.iter().map(|(_, saturation)| goals(saturation.borrow())).collect();
    let rows = found.iter().zip(&goals).map(|((scenario, saturation), goals)| Saturated {
        guest: saturation.borrow().first.description(),
        load: &scenario.load,
        goals,
    });
    let rule = found.first().map_or(String::new(), |(_, saturation)| saturation.borrow().rule.clone());
    frequencies(&rows.collect::<Vec<_>>(), &rule)
}

fn goals(saturation: &Saturation) -> Vec<(&str, Found, bool)> {
    saturation.goals.iter().map(|(goal, found, also)| (goal.name.as_str(), *found, !also.is_empty())).collect()
}

fn trial_text(trial: Trial, goals: &[Goal], figures: &[u64]) -> String {
    let shown: Vec<String> =
        goals.iter().zip(figures).map(|(goal, figure)| format!("{} {figure}", goal.name)).collect();
    format!("period {}, {} pulses: {}", grouped(trial.period.0), trial.pulses, shown.join(", "))
}

/// Pulses in 1,000,000 instructions, the lab's unit of frequency.
fn per_million(period: Tick) -> f64 {
    1e6 / period.0 as f64
}

fn text(scenario: &Scenario, saturation: &Saturation) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("shortest period", Align::Right),
        ("pulses per million", Align::Right),
        ("fails at", Align::Right),
        ("", Align::Left),
    ]);
    for (goal, found, also) in &saturation.goals {
        let also: Vec<String> = also.iter().map(|period| grouped(period.0)).collect();
        let remark = if also.is_empty() { String::new() } else { format!("also fails at {}", also.join(", ")) };
        let mut row = vec![goal.name.clone()];
        row.extend(found_cells(*found));
        row.push(remark);
        table.row(row);
    }
    let load = saturation.undisturbed.map_or(String::new(), |edge| {
        format!("The load moves its line every {} instructions when nothing disturbs it.\n", grouped(edge.0))
    });
    format!(
        "{}: {}, load {}; emulated: figures are executed instructions, not time\n\n{}\n{} trials. {}\n{load}",
        scenario.name,
        saturation.first.description(),
        scenario.load,
        table.text(),
        saturation.tried.len(),
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
    let goal = |(goal, found, also): &(Goal, Found, Vec<Tick>)| {
        let (period, fails_at) = match *found {
            Found::At { period, fails_at } => (Some(period.0), Some(fails_at.0)),
            Found::Everywhere(period) => (Some(period.0), None),
            Found::Nowhere(longest) => (None, Some(longest.0)),
            Found::Unfinished => (None, None),
        };
        let also: Vec<u64> = also.iter().map(|period| period.0).collect();
        json!({ "name": goal.name, "period_instructions": period, "fails_at_instructions": fails_at, "also_fails_at": also })
    };
    let tried = |(period, figures): &(Tick, Vec<u64>)| json!({ "period_instructions": period.0, "figures": figures });
    json!({
        "rule": saturation.rule,
        "undisturbed_progress_instructions": saturation.undisturbed.map(|edge| edge.0),
        "goals": saturation.goals.iter().map(goal).collect::<Vec<_>>(),
        "tried": saturation.tried.iter().map(tried).collect::<Vec<_>>(),
    })
}
