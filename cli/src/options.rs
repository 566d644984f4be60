// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options every command takes, and which of them a command has no use for.
use crate::exit::usage;
use backwall_os::console::{print, print_json};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use serde::Serialize;
use std::path::PathBuf;

/// Options every command takes.
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
    /// A requirement such as 'wakeup.p99.99 < 100us' or 'lost == 0' (repeatable)
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
pub const UNUSED: [(&str, &[&str]); 46] = [
    ("blame", &["out", "require", "verbose", "seed"]),
    ("campaign merge", &["out", "seed"]),
    ("campaign plan", &["require", "verbose", "seed"]),
    ("campaign run", &["out", "require", "verbose", "seed"]),
    ("campaign status", &["out", "require", "verbose", "seed"]),
    ("campaign submit", &["json", "out", "require", "verbose", "seed"]),
    ("check", &["out", "require", "verbose", "seed"]),
    ("compare", &["out", "require", "verbose"]),
    ("completions", &["json", "out", "require", "verbose", "seed"]),
    ("export", &["out", "require", "verbose", "seed"]),
    ("fleet fetch", &["require", "verbose", "seed"]),
    ("fleet import", &["require", "verbose", "seed"]),
    ("fleet report", &["out", "require", "verbose"]),
    ("fleet run", &["require", "verbose", "seed"]),
    ("iltiming", &["verbose"]),
    ("import", &["seed"]),
    ("interfere", &["verbose"]),
    ("lab bisect", &["out", "verbose"]),
    ("lab cost", &["out", "require", "verbose"]),
    ("lab diff", &["require", "verbose"]),
    ("lab explain", &["out", "require", "verbose"]),
    ("lab list", &["out", "require", "verbose", "seed"]),
    ("lab masked", &["out", "require", "verbose"]),
    ("lab replay", &["out", "require", "verbose"]),
    ("lab saturate", &["require", "verbose"]),
    ("lab tune", &["out", "require", "verbose"]),
    ("man", &["json", "out", "require", "verbose", "seed"]),
    ("osbench", &["verbose"]),
    ("publish", &["out", "require", "verbose", "seed"]),
    ("read", &["seed"]),
    ("report", &["require", "seed"]),
    ("respond", &["out", "require", "verbose", "seed"]),
    ("tasks limit", &["verbose", "seed"]),
    ("tasks paper", &["verbose"]),
    ("tasks predict", &["out", "require", "verbose", "seed"]),
    ("tasks run", &["verbose"]),
    ("track", &["require", "seed"]),
    ("track export", &["out", "require", "verbose", "seed"]),
    ("track fetch", &["require", "seed"]),
    ("track report", &["out", "require", "seed"]),
    ("tune boot", &["require", "verbose"]),
    ("tune plan", &["out", "require", "verbose", "seed"]),
    ("tune status", &["out", "require", "verbose", "seed"]),
    ("tune try", &["require", "verbose"]),
    ("watch", &["verbose"]),
    ("tune undo", &["out", "require", "verbose", "seed"]),
];

/// What `--out` names where that is no folder of a run with a name of its own.
const PLACES: [(&str, &str); 5] = [
    ("campaign plan", "Folder of the campaign; of a search in rounds it may be there"),
    ("fleet fetch", "Folder of the fleet, made where there is none"),
    ("fleet import", "Folder of the fleet, made where there is none"),
    ("fleet run", "Folder of the fleet, made where there is none"),
    ("lab diff", "Also write the difference into this folder"),
];

/// Those that the command has no use for, without their dashes.
fn unused(command: &str) -> &'static [&'static str] {
    let found = UNUSED.iter().find(|(name, _)| *name == command).or(UNUSED.iter().find(|(name, _)| {
        // `track record` is what `track` does.
        command.strip_suffix(" record") == Some(*name)
    }));
    found.map_or(&[], |(_, options)| options)
}

/// The table of commands in which each hides what it has no use for.
pub fn hidden(tool: Command) -> Command {
    let every: Vec<Arg> = Global::augment_args(Command::new("")).get_arguments().cloned().collect();
    let names: Vec<String> = tool.get_subcommands().map(|below| below.get_name().to_string()).collect();
    names.into_iter().fold(tool, |tool, name| tool.mut_subcommand(&name, |below| hidden_below(below, &name, &every)))
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
    /// Prints a result: as JSON where that is wanted, as text where a person reads, and nothing for `--quiet`.
    ///
    /// # Errors
    /// When nobody reads standard output any more.
    pub fn show<J: Serialize>(&self, json: impl FnOnce() -> J, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        match (self.json, self.quiet) {
            (true, _) => print_json(&json()),
            (false, true) => Ok(()),
            (false, false) => print(&text()),
        }
    }

    /// Refuses those of `--json`, `--out`, `--require`, `--verbose` and `--seed` that a way to use a command has no use for.
    ///
    /// # Errors
    /// One line with the first of them that was typed.
    pub fn without(&self, command: &str, options: &[&str]) -> anyhow::Result<()> {
        let typed = [
            ("--json", self.json),
            ("--out", self.out.is_some()),
            ("--require", !self.require.is_empty()),
            ("--verbose", self.verbose),
            ("--seed", self.seed.is_some()),
        ];
        match typed.iter().find(|(name, typed)| *typed && options.contains(name)) {
            Some((name, _)) => Err(usage(format!("{command} has no use for {name}; leave it out"))),
            None => Ok(()),
        }
    }
}
