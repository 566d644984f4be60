// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune try`: tries settings one after the other, and measures without and with each setting.
use super::measured::TrialOptions;
use super::{chosen, journal, machine_of, settle, unusable};
use crate::exit::Exit;
use crate::options::{Destination, Printing, Seed};
use backwall_os::Stop;
use backwall_os::console::progress::Activity;
use backwall_os::console::{self, print};
use backwall_os::refusal::Refusal;
use backwall_report::tune as words;
use backwall_store::RunFolder;
use backwall_tuning::settings::slices::Slices;
use backwall_tuning::settings::trial::order;
use backwall_tuning::settings::{Broken, Decision, Machine, Outcome, PlannedSetting, Setting, plan, try_setting};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Settings to try, by name [default: all that backwall tune plan lists]
    #[arg(value_name = "SETTING")]
    settings: Vec<String>,
    /// Change this machine; without it, only print what would change
    #[arg(long)]
    apply: bool,
    #[command(flatten)]
    measured: TrialOptions,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let machine = machine_of(args.measured.cpu.cpu, args.measured.app.as_deref())?;
    let settings = chosen(&args.settings)?;
    args.measured.check(&machine)?;
    if args.apply { apply(args, &machine, &settings) } else { dry(args.printing, &machine, &settings) }
}

fn dry(printing: Printing, machine: &Machine, settings: &[&'static Setting]) -> anyhow::Result<Exit> {
    settle(machine, printing);
    let asked = |planned: &PlannedSetting| settings.iter().any(|setting| setting.name == planned.setting);
    let planned: Vec<PlannedSetting> = plan(machine, &[], &[]).into_iter().filter(asked).collect();
    printing.show(|| &planned, || words::dry(&planned, order().len(), console::columns()))?;
    Ok(Exit::Done)
}

fn apply(args: &Args, machine: &Machine, settings: &[&'static Setting]) -> anyhow::Result<Exit> {
    let stop = Stop::on_signals()?;
    let mut journal = journal(machine, !args.printing.is_text())?;
    let folder = RunFolder::create(args.destination.out.as_deref(), "tune", jiff::Timestamp::now())?;
    let question = args.measured.question(args.seed);
    let loop_words = args.measured.all_words();
    let mut slices = Slices::begin(machine, &loop_words, args.measured.slice.0, folder.path())?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (number, setting) in (1..).zip(settings) {
        let what = format!("{} ({number} of {})", setting.name, settings.len());
        let shown = Activity::begin(args.printing.quiet, move || what.clone());
        let mut measure = |name: &str, side| slices.measure(name, side, &|| stop.asked());
        let outcome = try_setting(&mut journal, machine, setting, &question, &mut measure).map_err(broken)?;
        drop(shown);
        let stopped = outcome.decision == Decision::Stopped;
        if args.printing.is_text() {
            print(&words::outcome(&outcome, console::columns()))?;
        }
        outcomes.push(outcome);
        if stopped {
            break;
        }
    }
    folder.write("tune.json", serde_json::to_string_pretty(&outcomes)?.as_bytes())?;
    let left = journal.left();
    args.printing.show(|| &outcomes, || words::end(&outcomes, left, folder.path()))?;
    if left > 0 {
        return Ok(Exit::Unable);
    }
    Ok(if outcomes.iter().any(|outcome| outcome.decision == Decision::Stopped) { Exit::Undecided } else { Exit::Done })
}

fn broken(why: Broken<Refusal>) -> anyhow::Error {
    match why {
        Broken::Unmeasured(error) => error.into(),
        Broken::Journal(why) => unusable(why),
    }
}
