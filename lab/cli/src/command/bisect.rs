// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab bisect`: the first revision of a guest's sources that fails a requirement.
use super::{Boot, Common, bad_scenario, emulator, held, settings};
use backwall::exit::{Exit, usage};
use backwall::invocation;
use backwall::options::{Printing, Requirements};
use backwall_lab::bisect::{Bisection, Trial, refused};
use backwall_lab::guest;
use backwall_lab::history::{History, Revision, short};
use backwall_lab::shipped;
use backwall_os::console::print;
use serde_json::json;
use std::path::{Component, Path, PathBuf};

const OF_A_PATH: [&str; 2] = ["linux", "image"];

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Revision that passes the requirements
    #[arg(value_name = "GOOD")]
    good: String,
    /// Later revision that fails a requirement
    #[arg(value_name = "BAD")]
    bad: String,
    /// Scenario: a name from `lab list`, or a .toml file
    ///
    /// Its guest must be linux or image.
    #[arg(value_name = "NAME|FILE.toml", default_value = "linux-stock")]
    scenario: String,
    /// Command that builds a revision in its own folder
    ///
    /// $BACKWALL_TREE is the path of your own tree.
    #[arg(long, value_name = "CMD")]
    build: String,
    /// File that the build makes, within its folder
    #[arg(long, value_name = "FILE", default_value = "arch/x86/boot/bzImage")]
    image: PathBuf,
    /// Repository, or a folder in it
    #[arg(long, value_name = "DIR", default_value = ".")]
    tree: PathBuf,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    requirements: Requirements,
}

fn is_below(name: &Path) -> bool {
    name.components().all(|part| matches!(part, Component::Normal(_))) && name.file_name().is_some()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let scenario = shipped::find_only(&args.scenario).map_err(bad_scenario)?;
    let kind = guest::name_of_kind(&scenario.guest);
    if !OF_A_PATH.contains(&kind) {
        let name = &scenario.name;
        return Err(usage(format!(
            "lab bisect: {name}: guest {:?} cannot be built from a revision; expected linux or image",
            scenario.guest
        )));
    }
    if !is_below(&args.image) {
        let image = args.image.display();
        return Err(usage(format!("--image {image}: expected a path inside the build folder")));
    }
    let rules = args.requirements.rules()?;
    if rules.is_empty() {
        return Err(usage("lab bisect: add --require with a requirement that a good revision passes"));
    }
    let seen = |trial: &Trial| if args.printing.is_text() { print(&line(trial)) } else { Ok(()) };
    let bisection = Bisection {
        demands: held(&scenario, rules)?,
        emulator: emulator(scenario.machine)?,
        scenario,
        settings: settings(&args.common, Boot { fresh: true })?,
        history: History::open(&args.tree).map_err(refused)?,
        build: &args.build,
        image: &args.image,
        words: invocation::words(),
        quiet: args.printing.quiet,
        hear: &seen,
    };
    let (trials, suspects) = bisection.search(&args.good, &args.bad)?;
    if args.printing.json {
        print(&(serde_json::to_string_pretty(&json!({ "trials": trials, "first_bad_among": suspects }))? + "\n"))?;
    } else {
        print(&told(&suspects))?;
    }
    Ok(if suspects.len() == 1 { Exit::Done } else { Exit::Undecided })
}

fn line(trial: &Trial) -> String {
    let Trial { revision, verdict, because } = trial;
    format!("{:<7}  {}  {}\n         {because}\n", verdict.word(), short(revision), revision.subject)
}

fn told(suspects: &[Revision]) -> String {
    let rows: String = suspects.iter().map(|revision| format!("{}  {}\n", revision.id, revision.subject)).collect();
    match suspects.len() {
        1 => format!("first bad: {rows}"),
        _ => format!("first bad: one of these; all but the last were skipped\n{rows}"),
    }
}
