// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab saturate`: searches for the highest frequencies that guests sustain.
use super::{Common, Several, no_emulator, out_of, refusal, run_of, settings, together};
use backwall::deliver::{Delivery, Output};
use backwall::exit::{Exit, usage};
use backwall::options::{Destination, Printing};
use backwall_capture::saturation::{Goal, Trial};
use backwall_judge::require::Demands;
use backwall_lab::emulator::{Emulator, Emulators};
use backwall_lab::generator::Shape;
use backwall_lab::result::judge;
use backwall_lab::saturate::{Saturation, data, search};
use backwall_lab::scenario::Scenario;
use backwall_model::Run;
use backwall_model::picture::{self, Picture};
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::parallel;
use backwall_report::paper::{frequencies, published_frequencies, saturation_text};
use backwall_report::trial;
use backwall_report::wrap::narrow;
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    pub(super) several: Several,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    destination: Destination,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut delivery = Delivery::of(args.printing, args.several.find()?.len() > 1);
    let started = Timestamp::now();
    let folders = search_all(&args.several, (args.printing, &args.destination), "", &mut delivery)?;
    together::draw(
        &args.several.scenarios,
        &folders.iter().collect::<Vec<_>>(),
        (&args.destination, started),
        &delivery,
    )?;
    delivery.finish()
}

/// Searches all scenarios and delivers each. If `--output` names the folders, `suffix` is appended to their names, so
/// that they are next to other runs of the same scenarios. Returns the folders. The caller judges the requirements.
pub(super) fn search_all(
    several: &Several,
    (printing, destination): (Printing, &Destination),
    suffix: &str,
    delivery: &mut Delivery,
) -> anyhow::Result<Vec<RunFolder>> {
    let scenarios = several.find()?;
    scenarios.iter().try_for_each(searchable)?;
    let emulators = Emulators::find(&scenarios).map_err(no_emulator)?;
    let settings = settings(&several.common, several.boot)?;
    let started = Timestamp::now();
    let folder = |scenario: &Scenario| {
        let out = out_of(destination, scenario, scenarios.len()).map(|out| ended(out, suffix));
        Ok(RunFolder::create(out.as_deref(), &format!("lab-saturate-{}", scenario.name), started)?)
    };
    let folders: Vec<RunFolder> = scenarios.iter().map(folder).collect::<anyhow::Result<_>>()?;
    let shown = Activity::begin(printing.quiet, || "searching".to_string());
    // If there are more threads than scenarios, the remaining threads run trials of one scenario in parallel.
    let each = (several.jobs() / scenarios.len()).max(1);
    let results = parallel::map(&scenarios, several.jobs(), |scenario| {
        let hear = |trial: Trial, goals: &[Goal], figures: &[u64]| {
            shown.say(&format!("{}: {}", scenario.name, trial::text(trial, goals, figures)));
        };
        search(scenario, emulators.of(scenario), &settings, each, &hear)
    });
    drop(shown);
    let mut found = Vec::new();
    for ((scenario, result), folder) in scenarios.iter().zip(results).zip(&folders) {
        match result {
            Ok(saturation) => {
                found.push(present(
                    scenario,
                    saturation,
                    (emulators.of(scenario), started),
                    &several.common,
                    (folder, delivery),
                )?);
            }
            Err(fault) => delivery.fail(refusal(scenario, fault)),
        }
    }
    compare(&found, delivery)?;
    Ok(folders)
}

pub(super) fn compare(found: &[Run], delivery: &Delivery) -> anyhow::Result<()> {
    if found.len() < 2 {
        return Ok(());
    }
    let rows: Vec<(&Run, &picture::Saturation)> = found.iter().filter_map(|run| Some((run, found_by(run)?))).collect();
    let grids = [frequencies(&rows), published_frequencies()];
    grids.iter().try_for_each(|grid| delivery.say(&format!("\n{}", grid.text(console::columns()))))
}

fn found_by(run: &Run) -> Option<&picture::Saturation> {
    run.pictures.iter().find_map(|picture| match picture {
        Picture::Saturation(found) => Some(found),
        _ => None,
    })
}

pub(super) fn own_text(run: &Run) -> String {
    found_by(run).map_or_else(String::new, |found| narrow(&saturation_text(run, found), console::columns()))
}

fn ended(out: PathBuf, suffix: &str) -> PathBuf {
    let mut name = out.into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

fn searchable(scenario: &Scenario) -> anyhow::Result<()> {
    let other = scenario.generator.used().find(|(_, generator)| generator.shape != Shape::Periodic);
    other.map_or(Ok(()), |(letter, _)| {
        Err(usage(format!("scenario {}: generator.{letter}: a search needs shape = \"periodic\"", scenario.name)))
    })
}

/// Writes one search. The rest of the recording is stored at the end.
fn present(
    scenario: &Scenario,
    mut saturation: Saturation,
    (emulator, started): (&Emulator, Timestamp),
    common: &Common,
    (folder, delivery): (&RunFolder, &mut Delivery),
) -> anyhow::Result<Run> {
    let judged = judge(scenario, &mut saturation.first.recording.edges);
    let mut run = run_of(scenario, &saturation.first, emulator, common, started);
    run.seconds = started.duration_until(Timestamp::now()).as_secs_f64();
    judged.into_iter().flat_map(|judged| judged.answered).for_each(|answered| answered.add_to(&mut run));
    run.pictures.push(Picture::Saturation(data(saturation)));
    let remains = run.clone();
    delivery.take(run, &Demands::default(), folder, &Output { text: Some(&own_text), ..Output::USUAL })?;
    Ok(remains)
}
