// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune try`: settings one after the other, each measured without it and with it.
use super::{chosen, journal, machine_of, settle, unusable};
use crate::compare::Question;
use crate::console::{self, print};
use crate::exit::{Exit, unable};
use crate::options::Global;
use crate::progress::Activity;
use crate::report::tune as words;
use crate::session::Stop;
use crate::store::RunFolder;
use crate::units::{self, Nanoseconds};
use settings::slices::Slices;
use settings::trial::order;
use settings::{Broken, Decision, Machine, Outcome, Planned, Setting, plan, try_setting};
use std::time::Duration;

/// Arguments of `backwall tune try`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Names of settings, as backwall tune plan lists them [default: all of its list]
    #[arg(value_name = "SETTING")]
    settings: Vec<String>,
    /// Change this machine: without it, what would be written where is printed and nothing is done
    #[arg(long)]
    apply: bool,
    /// The processor that is measured [default: the first isolated one, else the last one allowed]
    #[arg(short = 'a', long, value_name = "N")]
    cpu: Option<u32>,
    /// An application whose threads are measured instead of a loop of ours, as backwall watch names it: a recipe, a name, or a number
    #[arg(long, value_name = "APP")]
    app: Option<String>,
    /// Length of one slice, of which each side of a trial has six; a bare number is seconds
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::seconds)]
    slice: Nanoseconds,
    /// The smallest relative improvement that a setting is kept for; in time never less than 1 us, of a share never less than 25 %
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = super::super::compare::percent)]
    effect: f64,
    /// Options of backwall run for the loop that is measured, behind --: all but its length, its processor and its folder
    #[arg(last = true, value_name = "RUN OPTIONS")]
    words: Vec<String>,
}

/// Says what would be done, or does it.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let machine = machine_of(args.cpu, args.app.as_deref())?;
    let settings = chosen(&args.settings)?;
    if args.apply { apply(args, global, &machine, &settings) } else { dry(global, &machine, &settings) }
}

/// What would be written where.
fn dry(global: &Global, machine: &Machine, settings: &[&'static Setting]) -> anyhow::Result<Exit> {
    settle(machine, global);
    let asked = |planned: &Planned| settings.iter().any(|setting| setting.name == planned.setting);
    let planned: Vec<Planned> = plan(machine, &[]).into_iter().filter(asked).collect();
    global.show(|| &planned, || words::dry(&planned, order().len(), console::columns()))?;
    Ok(Exit::Done)
}

fn apply(args: &Args, global: &Global, machine: &Machine, settings: &[&'static Setting]) -> anyhow::Result<Exit> {
    let stop = Stop::on_signals()?;
    let mut journal = journal(machine, global.quiet || global.json)?;
    let folder = RunFolder::create(global.out.as_deref(), "tune", jiff::Timestamp::now())?;
    let question = Question { effect: args.effect, seed: global.seed() };
    let mut slices = slices(args, machine, &folder)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (number, setting) in (1..).zip(settings) {
        let what = format!("{} ({number} of {})", setting.name, settings.len());
        let shown = Activity::begin(global.quiet, move || what.clone());
        let mut measure = |name: &str, side| slices.measure(name, side, &|| stop.asked());
        let outcome = try_setting(&mut journal, machine, setting, &question, &mut measure).map_err(broken)?;
        drop(shown);
        let stopped = outcome.decision == Decision::Stopped;
        if !global.json && !global.quiet {
            print(&words::outcome(&outcome, console::columns()))?;
        }
        outcomes.push(outcome);
        if stopped {
            break;
        }
    }
    folder.write("tune.json", serde_json::to_string_pretty(&outcomes)?.as_bytes())?;
    global.show(|| &outcomes, || words::end(&outcomes, folder.path()))?;
    Ok(if outcomes.iter().any(|outcome| outcome.decision == Decision::Stopped) { Exit::Undecided } else { Exit::Done })
}

fn slices<'a>(args: &Args, machine: &Machine, folder: &'a RunFolder) -> anyhow::Result<Slices<'a>> {
    let tool = std::env::current_exe().map_err(|error| unable(format!("this program's own file: {error}")))?;
    let mut words = args.words.clone();
    words.extend(["-D".to_string(), format!("{}ns", args.slice.0)]);
    let watched: Vec<String> = machine.watched().iter().map(|thread| thread.id.to_string()).collect();
    if !watched.is_empty() {
        words.extend(["--attach".to_string(), watched.join(",")]);
    } else if !args.words.iter().any(|word| word.starts_with("--attach")) {
        words.extend(["--cpu".to_string(), machine.cpu.to_string()]);
    }
    Ok(Slices { tool, words, folder: folder.path(), length: Duration::from_nanos(args.slice.0), count: 0 })
}

fn broken(why: Broken<anyhow::Error>) -> anyhow::Error {
    match why {
        Broken::Unmeasured(error) => error,
        Broken::Journal(why) => unusable(why),
    }
}
