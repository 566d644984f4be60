// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune plan`: lists the settings that would change something here. It changes none.
use super::{machine_of, settle};
use crate::cli::{self, Command};
use crate::exit::{Exit, usage};
use crate::options::{OneCpu, Printing};
use backwall_model::{CauseTotal, Origin, Run};
use backwall_os::console;
use backwall_report::tune as words;
use backwall_tuning::check::{self, Machine as Checked};

use backwall_tuning::settings::{PlannedSetting, left, plan};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// List first the settings that may help this run
    ///
    /// RUN is a run of this machine, from `backwall run` or `backwall watch`.
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    #[command(flatten)]
    cpu: OneCpu,
    /// Application whose threads are measured: a recipe, a name, or a number
    #[arg(long, value_name = "APP")]
    app: Option<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

/// Lists the settings; those that a cause of the run or a check suggests come first.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let run = args.run.as_deref().map(measured).transpose()?;
    let causes: Vec<CauseTotal> =
        run.iter().flat_map(|run| &run.stages).flat_map(|stages| stages.causes.clone()).collect();
    let machine = match (&args.app, run.as_ref().and_then(watched)) {
        // Use the run's own application, unless it has ended.
        (None, Some(app)) => machine_of(args.cpu.cpu, Some(&app)).or_else(|_| machine_of(args.cpu.cpu, None))?,
        (app, _) => machine_of(args.cpu.cpu, app.as_deref())?,
    };
    settle(&machine, args.printing);
    let planned: Vec<PlannedSetting> = plan(&machine, &check::all_of(&Checked::this(machine.cpu)), &causes);
    let left = left(&machine, &planned, &causes);
    args.printing.show(|| &planned, || words::plan(machine.cpu, &planned, left, console::columns()))?;
    Ok(Exit::Done)
}

fn measured(place: &Path) -> anyhow::Result<Run> {
    let run = backwall_store::read(&backwall_store::meant(place)?)?;
    if run.origin != Origin::Measured {
        return Err(usage(format!(
            "{}: this run was not measured on a machine, so it says nothing about settings",
            place.display()
        )));
    }
    if run.stages.iter().all(|stages| stages.causes.is_empty()) {
        return Err(usage(format!(
            "{}: this run has no causes of late responses; backwall watch, and backwall run as root, record them",
            place.display()
        )));
    }
    Ok(run)
}

fn watched(run: &Run) -> Option<String> {
    let words = run.command.iter().map(OsString::from).collect();
    match cli::understand(words).ok()?.command {
        Command::Watch(args) => args.app,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_application_of_a_run_is_the_one_that_was_watched() {
        let of = |words: &[&str]| {
            let words = words.iter().map(|word| word.to_string()).collect();
            watched(&Run::begin(Origin::Measured, backwall_model::Plan::default(), words, jiff::Timestamp::UNIX_EPOCH))
        };
        assert_eq!(of(&["backwall", "watch", "-D", "10", "servo", "--deadline", "300us"]).as_deref(), Some("servo"));
        assert_eq!(of(&["/usr/bin/backwall", "run", "--quick"]), None);
        assert_eq!(of(&["backwall", "no-such-command"]), None);
    }

    // A report finds the application without the parser.
    #[test]
    fn a_report_knows_which_options_of_watch_take_a_value() {
        let run = |words: &[&str]| {
            let words = words.iter().map(|word| word.to_string()).collect();
            Run::begin(Origin::Measured, backwall_model::Plan::default(), words, jiff::Timestamp::UNIX_EPOCH)
        };
        let known = |words: &[&str]| backwall_report::phrase::watched_app(&run(words)).map(str::to_string);
        let whole = <cli::Cli as clap::CommandFactory>::command();
        let watch = whole.find_subcommand("watch").unwrap();
        for option in watch.get_arguments().filter(|option| !option.is_positional()) {
            let values: &[&str] = if option.get_action().takes_values() { &["7"] } else { &[] };
            let long = option.get_long().map(|long| format!("--{long}"));
            for name in option.get_short().map(|short| format!("-{short}")).into_iter().chain(long) {
                let words = [&["backwall", "watch", &name], values, &["servo"]].concat();
                let is_other = ["--list", "--help"].contains(&&*name);
                assert!(is_other || known(&words).as_deref() == Some("servo"), "{words:?}");
            }
        }
        assert_eq!(known(&["backwall", "watch", "-D10", "--every=3s", "servo"]).as_deref(), Some("servo"));
        assert_eq!(known(&["backwall", "watch", "-D", "10", "--", "./servo"]), None);
        assert_eq!(known(&["backwall", "run", "servo"]), None);
    }
}
