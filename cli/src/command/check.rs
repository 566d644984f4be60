// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall check`: is this machine set up for real time, and what to change.
use crate::exit::{Exit, unable};
use crate::options::{OneCpu, Printing, Verbose};
use backwall_model::{Check, CheckVerdict};
use backwall_os::console::{self, print};
use backwall_report::checks;
use backwall_runner::device::processors;
use backwall_tuning::check::{self, Advice, Machine};

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    cpu: OneCpu,
    /// Exit with 1 if a setting is harmful, 3 if one could not be read
    #[arg(long)]
    strict: bool,
    /// Print a shell script that applies the settings of `tune plan`
    ///
    /// Called with the word undo, the script restores the settings.
    #[arg(long, conflicts_with_all = ["strict", "json", "quiet", "verbose"])]
    script: bool,
    #[command(flatten)]
    verbose: Verbose,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

#[derive(serde::Serialize)]
struct Record<'a> {
    cpu: u32,
    checks: &'a [Check],
    #[serde(flatten)]
    advice: &'a Advice,
}

/// Reads every setting and prints the readings, worst first. Changes and stores nothing.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let cpu = processors::choose_one(args.cpu.cpu)?.cpus[0];
    if args.cpu.cpu.is_some() && !check::is_online(&Machine::this(cpu), cpu) {
        return Err(unable(format!("--cpu {cpu}: this CPU is offline")));
    }
    if args.script {
        print(&script_of(cpu))?;
        return Ok(Exit::Done);
    }
    let (mut checks, advice) = check::advised(&Machine::this(cpu));
    checks.sort_by_key(|check| check.verdict.rank());
    let exit = if args.strict { exit_of(&checks) } else { Exit::Done };
    let text = || {
        let first = (advice.first.as_slice(), advice.boot.as_str());
        checks::text((cpu, &checks), first, args.verbose.verbose, console::columns())
    };
    args.printing.show(|| Record { cpu, checks: &checks, advice: &advice }, text)?;
    Ok(exit)
}

fn script_of(cpu: u32) -> String {
    let planned = backwall_tuning::settings::plan(&backwall_tuning::settings::Machine::this(cpu), &[], &[]);
    let rows: Vec<_> = planned.iter().map(|planned| (planned.setting, planned.changes.as_slice())).collect();
    backwall_tuning::settings::script::script(&rows)
}

fn exit_of(checks: &[Check]) -> Exit {
    let some = |verdict: CheckVerdict| checks.iter().any(|check| check.verdict == verdict);
    match (some(CheckVerdict::Bad), some(CheckVerdict::Unknown)) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Done,
    }
}
