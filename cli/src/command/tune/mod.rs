// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune`: tries one setting at a time, measures without and with it, and keeps it only if it helps. Every change can be
//! undone.
mod attempt;
mod boot;
mod measured;
mod plan;
mod resume;
mod undo;

use crate::examples;
use crate::exit::{Exit, unable, usage};
use crate::follow::Target;
use crate::invocation;
use crate::options::Printing;
use backwall_model::units::near;
use backwall_os::console::{complain, print};
use backwall_os::threads::Thread;
use backwall_report::tune as words;
use backwall_runner::device::processors;
use backwall_tuning::settings::journal::{Journal, Unusable};
use backwall_tuning::settings::{Machine, Setting, known};

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List settings that would change something: what they write, help and harm
    #[command(after_help = examples::TUNE_PLAN)]
    Plan(plan::Args),
    /// Try settings one after the other; without --apply only print the changes
    #[command(after_help = examples::TUNE_TRY)]
    Try(attempt::Args),
    /// Undo kept settings, and those of an interrupted trial
    #[command(after_help = examples::TUNE_UNDO)]
    Undo(undo::Args),
    /// Print what is changed here: since when, by which command, how to restore it
    #[command(after_help = examples::TUNE_STATUS)]
    Status(undo::StatusArgs),
    /// Print boot options that would help here; measure before and after the restart
    #[command(after_help = examples::TUNE_BOOT)]
    Boot(boot::Args),
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Plan(args) => plan::run(args),
        Action::Try(args) => attempt::run(args),
        Action::Undo(args) => undo::run(args),
        Action::Status(args) => undo::status(args.printing),
        Action::Boot(args) => boot::run(args),
    }
}

fn machine(cpu: Option<u32>) -> anyhow::Result<Machine> {
    let machine = Machine::this(processors::choose_one(cpu)?.cpus[0]);
    if cpu.is_some() && !machine.online().contains(&machine.cpu) {
        return Err(unable(format!("-a {}: this CPU is offline", machine.cpu)));
    }
    Ok(machine)
}

/// The machine with the threads of an application, which the user names as for `backwall watch`.
fn machine_of(cpu: Option<u32>, app: Option<&str>) -> anyhow::Result<Machine> {
    let machine = machine(cpu)?;
    let Some(app) = app else { return Ok(machine) };
    let (found, priority) = app_of(app)?;
    if found.is_empty() {
        return Err(usage(format!(
            "--app {app}: not running; start it first (backwall watch --list prints the recipes)"
        )));
    }
    Ok(machine.watching(found, priority))
}

/// The threads of an application now (none if it is not running), and the priority from its recipe.
fn app_of(app: &str) -> anyhow::Result<(Vec<Thread>, Option<u32>)> {
    let target = Target::of(Some(app), &[])?;
    let threads = target.find()?.attachees.into_iter().map(|attachee| attachee.thread).collect();
    Ok((threads, target.recipe().priority))
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Setting>> {
    let all = || known::ALL.iter().filter_map(|setting| known::named(setting.name)).collect();
    let one = |name: &String| known::named(name).ok_or_else(|| unknown(name));
    let first = |(at, name): &(usize, &String)| !names[..*at].contains(*name);
    if names.is_empty() {
        Ok(all())
    } else {
        names.iter().enumerate().filter(first).map(|(_, name)| one(name)).collect()
    }
}

fn unknown(name: &str) -> anyhow::Error {
    let names = known::ALL.iter().map(|setting| setting.name);
    usage(format!("unknown setting {name}{}; backwall tune plan lists them", near::hint(name, names)))
}

/// Opens the journal, restores what an interrupted trial left, and reports it.
fn journal(machine: &Machine, quiet: bool) -> anyhow::Result<Journal> {
    let mut journal = Journal::open(machine).map_err(unusable)?;
    journal.command = Some(invocation::line());
    let restored = journal.recover(machine).map_err(unusable)?;
    let said = words::recovered(&restored, journal.forgotten);
    if !quiet && !said.is_empty() {
        print(&said)?;
    }
    Ok(journal)
}

/// Restores what an interrupted trial left, before backwall reads the machine. Without permission it only prints a line.
fn settle(machine: &Machine, printing: Printing) {
    if !Journal::is_there(machine) {
        return;
    }
    if let Err(why) = journal(machine, !printing.is_text()) {
        complain(&format!("backwall: {why:#}"));
    }
}

fn unusable(why: Unusable) -> anyhow::Error {
    match why {
        Unusable::Damaged { .. } | Unusable::OtherMachine { .. } => usage(why.to_string()),
        Unusable::NoRights => unable(format!("only root may change settings: sudo {}", invocation::line())),
        Unusable::Busy(_) | Unusable::System(_) | Unusable::UnknownStart(_) => unable(why.to_string()),
    }
}
