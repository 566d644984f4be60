// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune boot --resume`: continues a trial of boot parameters.
use super::{app_of, chosen, journal, unusable};
use crate::exit::{Exit, unable};
use crate::options::Printing;
use backwall_judge::compare::{PlacedRun, Question, compare};
use backwall_os::Stop;
use backwall_os::console::progress::Activity;
use backwall_os::console::{columns, complain};
use backwall_report::tune::boot as words;

use backwall_tuning::settings::boot::{BootTrial, Next};
use backwall_tuning::settings::journal::{Journal, Unapplied};
use backwall_tuning::settings::slices::Slices;
use backwall_tuning::settings::trial::SLICES;
use backwall_tuning::settings::{Decision, Machine};
use serde_json::json;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::time::Duration;

// Interval between checks for an application that has not started yet.
const LOOK: Duration = Duration::from_millis(500);
const NAME: &str = "boot";

pub(super) fn resume(printing: Printing) -> anyhow::Result<Exit> {
    let any = Machine::this(0);
    if !BootTrial::is_there(&any) {
        printing.show(|| json!(null), || "no trial of boot parameters is under way\n".to_string())?;
        return Ok(Exit::Done);
    }
    let stop = Stop::on_signals()?;
    let mut journal = journal(&any, !printing.is_text())?;
    let Some(trial) = BootTrial::read(&journal, &any).map_err(unusable)? else { return Ok(Exit::Done) };
    let Some(machine) = awaited(&trial, &stop, printing)? else { return Ok(Exit::Undecided) };
    go_on(trial, &mut journal, &machine, &stop, printing)
}

// Waits for the measured application, which may start later than this program, and returns the machine with it.
fn awaited(trial: &BootTrial, stop: &Stop, printing: Printing) -> anyhow::Result<Option<Machine>> {
    let machine = Machine::this(trial.measured.cpu);
    let Some(app) = &trial.measured.app else { return Ok(Some(machine)) };
    let mut told = printing.quiet;
    while !stop.asked() {
        let (threads, priority) = app_of(app)?;
        if !threads.is_empty() {
            return Ok(Some(machine.watching(threads, priority)));
        }
        if !told {
            complain(&format!("waiting for {app} to start"));
        }
        told = true;
        std::thread::sleep(LOOK);
    }
    Ok(None)
}

pub(super) fn go_on(
    mut trial: BootTrial,
    journal: &mut Journal,
    machine: &Machine,
    stop: &Stop,
    printing: Printing,
) -> anyhow::Result<Exit> {
    let folder = trial.measured.folder.clone();
    let made = DirBuilder::new().recursive(true).mode(0o755).create(&folder);
    made.map_err(|error| unable(format!("{}: {error}", folder.display())))?;
    let mut slices = Slices::begin(machine, &trial.measured.words, trial.measured.slice_ns, &folder)?;
    keep_again(&trial, journal, machine)?;
    loop {
        let (side, anew) = match trial.next(machine) {
            Next::Slice { side, anew } => (side, anew),
            Next::Restart { missing, in_vain } => return wait(&trial, &missing, in_vain, machine, printing),
            Next::NothingBefore => return Err(unable(words::nothing_before(&trial.options))),
            Next::Decide(without, with) => return decide(&trial, journal, [&without, &with], printing),
        };
        if anew > 0 && !printing.quiet {
            complain(&words::anew(anew));
        }
        let count = if anew > 0 { 0 } else { trial.count(side) };
        let what = format!("{} ({} of {SLICES})", words::side(side, &trial.options), count + 1);
        let shown = Activity::begin(printing.quiet, move || what.clone());
        let measured = slices.measure(NAME, side, &|| stop.asked())?;
        drop(shown);
        let Some(slice) = measured else {
            printing.show(|| json!({ "decision": Decision::Stopped }), || words::stopped().to_string())?;
            return Ok(Exit::Undecided);
        };
        trial.add(machine, side, slice.place);
        trial.write(journal).map_err(unusable)?;
    }
}

/// Applies again the settings that were kept before the restart, so that both sides are measured with them.
fn keep_again(trial: &BootTrial, journal: &mut Journal, machine: &Machine) -> anyhow::Result<()> {
    let held = journal.kept();
    let gone: Vec<String> = trial.measured.kept.iter().filter(|name| !held.contains(*name)).cloned().collect();
    if gone.is_empty() {
        return Ok(());
    }
    for setting in chosen(&gone)? {
        let changes = setting.changes(machine);
        if changes.is_empty() {
            continue;
        }
        match journal.apply(machine, setting, &changes) {
            Ok(unmade) => unmade.iter().for_each(|(_, why)| complain(&format!("{}: {why}", setting.name))),
            Err(why @ (Unapplied::Refused(_) | Unapplied::Changed(_))) => complain(&format!("{}: {why}", setting.name)),
            Err(Unapplied::Journal(why)) => return Err(unusable(why)),
        }
        journal.keep(setting.name).map_err(unusable)?;
    }
    Ok(())
}

fn wait(
    trial: &BootTrial,
    missing: &[String],
    in_vain: bool,
    machine: &Machine,
    printing: Printing,
) -> anyhow::Result<Exit> {
    let loader = words::Loader::of(|path| machine.has(path));
    let row = || json!({ "options": trial.options, "missing": missing, "file": loader.file(), "restarted": in_vain });
    printing.show(row, || words::wait(missing, in_vain, &loader))?;
    Ok(if in_vain { Exit::Undecided } else { Exit::Done })
}

fn decide(trial: &BootTrial, journal: &Journal, sides: [&[String]; 2], printing: Printing) -> anyhow::Result<Exit> {
    let placed = |place: &String| -> anyhow::Result<PlacedRun> {
        Ok(PlacedRun { place: place.clone(), run: backwall_store::read(place.as_ref())? })
    };
    let [without, with] = sides.map(|side| side.iter().map(placed).collect::<anyhow::Result<Vec<PlacedRun>>>());
    let question = Question { effect: trial.measured.effect, seed: trial.measured.seed };
    let comparison = compare(&without?, &with?, &question);
    let decision = Decision::of(&comparison);
    let row = json!({ "options": trial.options, "decision": decision, "comparison": comparison });
    let text = serde_json::to_string_pretty(&row)?;
    backwall_os::folder::write_file(&trial.measured.folder.join("tune.json"), text.as_bytes())
        .map_err(|error| unable(format!("{}: {error}", trial.measured.folder.display())))?;
    BootTrial::end(journal);
    let said = || words::decided(&trial.options, &decision, &comparison, &trial.measured.folder, columns());
    printing.show(|| row, said)?;
    Ok(Exit::Done)
}
