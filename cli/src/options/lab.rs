// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of every command of `lab` and `campaign`, and which of them a command has no use for.
use super::{Printing, Requirements};
use backwall_judge::require::Rule;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use serde::Serialize;
use std::path::PathBuf;

/// Options of every command of `lab` and `campaign`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Global {
    /// Folder for the run [default: backwall-runs/<time>-<command>/]
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the result as JSON on standard output, and nothing else there
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no progress and no table; what a requirement did not pass is printed all the same
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print the whole table with stages, loads and conditions instead of ten lines
    #[arg(long, short, global = true, conflicts_with_all = ["json", "quiet"])]
    pub verbose: bool,
    /// Seed of everything random [default: 1]
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// A requirement such as 'wakeup.p99.99 < 100us' or 'missed == 0' (repeatable)
    #[arg(long, global = true, value_name = "EXPR")]
    pub require: Vec<String>,
}

impl Global {
    /// Seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

/// The options of every command that a command has no use for, by the words that call it. Its help does not list them, and
/// it refuses them: none is ignored in silence.
pub const UNUSED: [(&str, &[&str]); 14] = [
    ("campaign merge", &["out", "seed"]),
    ("campaign plan", &["require", "verbose", "seed"]),
    ("campaign run", &["out", "require", "verbose", "seed"]),
    ("campaign status", &["out", "require", "verbose", "seed"]),
    ("campaign submit", &["json", "out", "require", "verbose", "seed"]),
    ("lab bisect", &["out", "verbose"]),
    ("lab cost", &["out", "require", "verbose"]),
    ("lab diff", &["require", "verbose"]),
    ("lab explain", &["out", "require", "verbose"]),
    ("lab list", &["out", "require", "verbose", "seed"]),
    ("lab masked", &["out", "require", "verbose"]),
    ("lab replay", &["out", "require", "verbose"]),
    ("lab saturate", &["require", "verbose"]),
    ("lab tune", &["out", "require", "verbose"]),
];

/// What `--out` names where that is no folder of a run with a name of its own.
const PLACES: [(&str, &str); 2] = [
    ("campaign plan", "Folder of the campaign; of a search in rounds it may be there"),
    ("lab diff", "Also write the difference into this folder"),
];

/// Those that the command has no use for, without their dashes.
fn unused(command: &str) -> &'static [&'static str] {
    UNUSED.iter().find(|(name, _)| *name == command).map_or(&[], |(_, options)| options)
}

/// The table of commands in which each hides what it has no use for.
pub fn hidden(tool: Command) -> Command {
    let every: Vec<Arg> = Global::augment_args(Command::new("")).get_arguments().cloned().collect();
    ["lab", "campaign"]
        .into_iter()
        .fold(tool, |tool, name| tool.mut_subcommand(name, |below| hidden_below(below, name, &every)))
}

fn hidden_below(command: Command, path: &str, every: &[Arg]) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_string()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(&name, |below| hidden_below(below, &path, every))
    });
    // Where a command stands alone too, what it hides must not be hidden from those below it.
    let is_unused = |option: &&Arg| unused(path).contains(&option.get_id().as_str());
    let command =
        every.iter().filter(is_unused).fold(command, |command, option| command.arg(option.clone().hide(true)));
    let own = PLACES.iter().find(|(name, _)| *name == path).map(|(_, place)| *place);
    match (every.iter().find(|option| option.get_id() == "out"), own) {
        (Some(out), Some(place)) => command.arg(out.clone().help(place)),
        _ => command,
    }
}

/// Refuses an option that was typed though its command has no use for it.
///
/// # Errors
/// One line with the first of them.
pub fn refuse_unused(typed: &ArgMatches) -> Result<(), clap::Error> {
    let (mut path, mut at) = (Vec::new(), typed);
    while let Some((name, below)) = at.subcommand() {
        path.push(name);
        at = below;
    }
    let command = path.join(" ");
    let is_typed = |option: &&&str| at.value_source(option) == Some(ValueSource::CommandLine);
    match unused(&command).iter().find(is_typed) {
        Some(option) => {
            let line = format!("{command} has no use for --{option}; leave it out");
            Err(clap::Error::raw(ErrorKind::UnknownArgument, line))
        }
        None => Ok(()),
    }
}

impl Global {
    /// The form of the result.
    pub fn printing(&self) -> Printing {
        Printing { json: self.json, quiet: self.quiet }
    }

    /// Prints a result.
    ///
    /// # Errors
    /// When nobody reads standard output any more.
    pub fn show<J: Serialize>(&self, json: impl FnOnce() -> J, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        self.printing().show(json, text)
    }

    /// The rules of the command line.
    ///
    /// # Errors
    /// One line with the first that is no requirement.
    pub fn rules(&self) -> anyhow::Result<Vec<Rule>> {
        Requirements { require: self.require.clone() }.rules()
    }
}
