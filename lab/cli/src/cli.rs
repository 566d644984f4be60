// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line of `backwall-lab`. Help and errors call it `backwall lab`.
use crate::command::{self, Action};
use crate::examples;
use backwall::command::generate::{completions, man, reference};
use backwall::exit::Exit;
use backwall::lab::MAIN_TOOL;
use backwall::{cli, invocation};
use backwall_lab::task_guest::TaskGuest;
use backwall_runner::tasks::guest::Guest;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Measure a kernel in an emulator, in exact instruction counts
#[derive(Parser, Debug)]
#[command(name = "backwall-lab", bin_name = "backwall lab", version, after_help = examples::LAB)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    #[command(flatten)]
    Lab(Action),
    /// Write man pages or completions of both programs
    #[command(subcommand, hide = true)]
    Generate(Generated),
}

/// Files that packages install in addition to the programs.
#[derive(Subcommand, Debug)]
enum Generated {
    /// Write man pages
    Man(man::Args),
    /// Write reference pages
    Reference(reference::Args),
    /// Print shell completions
    Completions(completions::Args),
}

/// Parses, runs, prints at most one error line, and returns the exit code.
pub fn main() -> ExitCode {
    cli::program(|| match handed_on(invocation::typed()) {
        Ok(words) => cli::dispatch(&cli::understand(words)?, &guest),
        Err(words) => dispatch(&understand(words)?),
    })
}

/// `Ok`: the command line of a `backwall` command that needs a guest. `Err`: a command line of this program.
fn handed_on(mut words: Vec<OsString>) -> Result<Vec<OsString>, Vec<OsString>> {
    if words.get(1).is_some_and(|word| word == MAIN_TOOL) {
        words.remove(0);
        return Ok(words);
    }
    Err(words)
}

fn guest(name: &str, seed: u64) -> anyhow::Result<Box<dyn Guest>> {
    Ok(Box::new(TaskGuest::named(name, seed)?))
}

/// Parses a command line, beginning with the program's name, without running anything.
///
/// # Errors
/// The first error in the command line.
pub fn understand(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&own_table().try_get_matches_from(words)?)
}

pub fn own_table() -> clap::Command {
    Cli::command().term_width(cli::help_columns())
}

pub fn table() -> clap::Command {
    let own = own_table();
    let lab = clap::Command::new("lab").about(own.get_about().cloned().unwrap_or_default()).after_help(examples::LAB);
    let lab = lab.subcommand_required(true).subcommands(own.get_subcommands().cloned());
    cli::table().mut_subcommand("lab", |_| lab)
}

fn dispatch(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Lab(action) => command::run(action),
        Command::Generate(Generated::Man(args)) => man::run(args, table()),
        Command::Generate(Generated::Reference(args)) => reference::run(args, table()),
        Command::Generate(Generated::Completions(args)) => completions::run(args, table()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_options_are_consistent() {
        own_table().debug_assert();
        table().debug_assert();
    }

    #[test]
    fn a_command_of_the_main_tool_is_told_from_our_own() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(handed_on(words("backwall-lab backwall tasks run x")), Ok(words("backwall tasks run x")));
        assert_eq!(handed_on(words("backwall-lab run x")), Err(words("backwall-lab run x")));
    }
}
