// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: the table of commands, error printing and the exit code.
use crate::command;
use crate::examples;
use crate::exit::Exit;
use crate::invocation;
use crate::{lab, old_names};
use backwall_model::units::near;
use backwall_os::console;
use backwall_runner::device::rights;
use backwall_runner::tasks::guest::Guest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;

/// How late can this machine and its operating system respond, and why?
#[derive(Parser, Debug)]
#[command(name = "backwall", version, after_help = examples::ALL, help_template = HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The first screen: the commands in five groups. A test compares it with the table of commands.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Measure:
  run       Measure how late this machine responds, idle and under load
  watch     Follow an application's real-time threads: how late they are and who
            delays them
  chain     Measure end-to-end latency through several threads, from interrupt
            or timer to output
  bench     Run a suite: iltiming, osbench, interfere, events

Explain:
  blame     Show who delayed the late responses of a run or trace, and what to
            change
  trace     Record and read kernel scheduling events

Improve:
  check     Check this machine's real-time settings
  tune      Try settings one at a time and keep those that help
  compare   Decide whether two sets of runs differ
  forecast  Estimate the maximum of a longer run, or say why it can't be
            estimated

Model:
  tasks     Run task sets with deadlines, or predict their worst-case response
            times
  lab       Measure a kernel in an emulator, in exact instruction counts
  scope     Measure captures of logic analyzers and oscilloscopes, or drive
            instruments

Exchange:
  report    Print a stored run and write its page
  import    Read another tool's result, or a probe's stream, as a run
  export    Write a run for another tool, or anonymized runs for sharing
  verify    Recompute every claim of a sealed run
  fleet     Measure many devices, each by itself

Options:
{options}
Exit codes:
  0 done  1 a requirement failed  2 wrong usage or input  3 undecided or invalid
  4 the machine could not do it: a right, feature or program is missing
{after-help}
";

/// The commands, in the order of their help: measure, explain, improve, model, exchange.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Measure how late this machine responds, idle and under load
    #[command(after_help = examples::RUN)]
    Run(Box<command::run::Args>),
    /// Follow an application's real-time threads: how late they are and who delays them
    #[command(after_help = examples::WATCH)]
    Watch(command::watch::Args),
    /// Measure end-to-end latency through several threads, from interrupt or timer to output
    #[command(after_help = examples::CHAIN)]
    Chain(command::chain::Args),
    /// Run a suite: iltiming, osbench, interfere, events
    #[command(after_help = examples::BENCH)]
    Bench(command::bench::Args),
    /// Show who delayed the late responses of a run or trace, and what to change
    #[command(after_help = examples::BLAME)]
    Blame(command::blame::Args),
    /// Record and read kernel scheduling events
    #[command(after_help = examples::TRACE)]
    Trace(command::trace::Args),
    /// Check this machine's real-time settings
    #[command(after_help = examples::CHECK)]
    Check(command::check::Args),
    /// Try settings one at a time and keep those that help
    #[command(after_help = examples::TUNE)]
    Tune(command::tune::Args),
    /// Decide whether two sets of runs differ
    #[command(after_help = examples::COMPARE)]
    Compare(command::compare::Args),
    /// Estimate the maximum of a longer run, or say why it can't be estimated
    #[command(after_help = examples::FORECAST)]
    Forecast(command::forecast::Args),
    /// Run task sets with deadlines, or predict their worst-case response times
    #[command(after_help = examples::TASKS)]
    Tasks(command::tasks::Args),
    /// Measure a kernel in an emulator, in exact instruction counts
    #[command(after_help = examples::LAB, disable_help_flag = true)]
    Lab(LabWords),
    /// Measure captures of logic analyzers and oscilloscopes, or drive instruments
    #[command(after_help = examples::SCOPE)]
    Scope(Box<command::scope::Args>),
    /// Print a stored run and write its page
    #[command(after_help = examples::REPORT)]
    Report(command::report::Args),
    /// Read another tool's result, or a probe's stream, as a run
    #[command(after_help = examples::IMPORT)]
    Import(command::import::Args),
    /// Write a run for another tool, or anonymized runs for sharing
    #[command(after_help = examples::EXPORT)]
    Export(command::export::Args),
    /// Recompute every claim of a sealed run
    #[command(after_help = examples::VERIFY)]
    Verify(command::verify::Args),
    /// Measure many devices, each by itself
    #[command(after_help = examples::FLEET)]
    Fleet(command::fleet::Args),
    /// Write man pages and shell completions
    #[command(hide = true)]
    Generate(command::generate::Args),
}

/// The words after `lab`. `main` passes them to `backwall-lab` before clap reads this.
#[derive(clap::Args, Debug)]
pub struct LabWords {
    /// A command of `backwall-lab` and its options
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Creates a guest from its name and a seed, for commands that can run on a guest.
pub type Guests<'a> = &'a dyn Fn(&str, u64) -> anyhow::Result<Box<dyn Guest>>;

static COMMIT: OnceLock<&str> = OnceLock::new();

pub fn built_from(commit: Option<&'static str>) {
    commit.filter(|commit| !commit.is_empty()).into_iter().for_each(|commit| {
        let _ = COMMIT.set(commit);
    });
}

pub fn main() -> ExitCode {
    let typed = invocation::typed();
    if let Some(words) = lab::words_of(&typed).filter(|_| old_names::refusal(&typed[1..]).is_none()) {
        return program(|| Err(lab::become_lab(words)));
    }
    program(|| {
        if let Some(error) = typed.get(1..).and_then(old_names::refusal) {
            return Err(error);
        }
        dispatch(&understand(typed)?, &|_, _| Err(lab::hand_on()))
    })
}

/// Runs a program, prints at most one error line, and returns the exit code.
pub fn program(run: impl FnOnce() -> anyhow::Result<Exit>) -> ExitCode {
    survive_file_limits();
    rights::take_up();
    let outcome = run().or_else(|error| match error.downcast::<clap::Error>() {
        Ok(error) => explain(&error),
        Err(error) => Err(error),
    });
    let code = outcome.unwrap_or_else(|error| {
        console::complain(&format!("backwall: {error:#}"));
        crate::exit::code_of(&error)
    });
    ExitCode::from(code as u8)
}

/// Parses a command line that starts with the program name. Runs nothing.
///
/// # Errors
/// The first error in the command line.
pub fn understand(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let typed = table().try_get_matches_from(words)?;
    Cli::from_arg_matches(&typed)
}

/// Maximum line width of the help: longer lines are hard to read, even on a wide terminal.
const WIDEST_HELP: usize = 100;

pub fn help_columns() -> usize {
    console::columns().min(WIDEST_HELP)
}

pub fn table() -> clap::Command {
    Cli::command().term_width(help_columns())
}

/// Makes a write beyond the file size limit fail, so that the limit does not kill the tool and lose its measurements.
fn survive_file_limits() {
    // A handler rather than SIG_IGN: programs that we start would inherit SIG_IGN. If it cannot be installed, the limit still
    // kills the tool.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
}

/// Runs a command; `guests` creates the guest if the command needs one.
///
/// # Errors
/// Why the command failed.
pub fn dispatch(cli: &Cli, guests: Guests<'_>) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Run(args) => command::run::run(args),
        Command::Watch(args) => command::watch::run(args),
        Command::Chain(args) => command::chain::run(args),
        Command::Bench(args) => command::bench::run(args, guests),
        Command::Blame(args) => command::blame::run(args),
        Command::Trace(args) => command::trace::run(args),
        Command::Check(args) => command::check::run(args),
        Command::Tune(args) => command::tune::run(args),
        Command::Compare(args) => command::compare::run(args),
        Command::Forecast(args) => command::forecast::run(args),
        Command::Tasks(args) => command::tasks::run(args, guests),
        Command::Lab(args) => Err(lab::become_lab(args.words.clone())),
        Command::Scope(args) => command::scope::run(args),
        Command::Report(args) => command::report::run(args),
        Command::Import(args) => command::import::run(args),
        Command::Export(args) => command::export::run(args),
        Command::Verify(args) => command::verify::run(args),
        Command::Fleet(args) => command::fleet::run(args),
        Command::Generate(args) => command::generate::run(args, table()),
    }
}

/// Prints help and version as clap does, and a usage error as one line.
fn explain(error: &clap::Error) -> anyhow::Result<Exit> {
    if !error.use_stderr() {
        let text = error.render().to_string();
        let text = if error.kind() == ErrorKind::DisplayVersion { version(&text, COMMIT.get()) } else { text };
        console::print(&text)?;
        return Ok(Exit::Done);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        console::explain(&error.to_string());
        return Ok(Exit::Usage);
    }
    Err(crate::exit::usage(why(error)))
}

fn version(text: &str, commit: Option<&&str>) -> String {
    let commit = commit.map_or("not built from a commit".to_string(), |commit| format!("commit {commit}"));
    format!("{} ({commit})\n", text.trim_end())
}

pub fn why(error: &clap::Error) -> String {
    let own = unknown(error).or_else(|| missing(error));
    own.unwrap_or_else(|| one_line(&error.render().to_string()))
}

fn word(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        Some(ContextValue::Strings(words)) => words.first().cloned(),
        _ => None,
    }
}

/// The message for a missing or surplus argument or value.
fn missing(error: &clap::Error) -> Option<String> {
    let called = called(error);
    let argument = word(error, ContextKind::InvalidArg)?;
    match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            let example = example(&called, &argument)
                .map_or(format!("{called} --help"), |example| format!("for example: {example}"));
            Some(format!("missing {argument}; {example}"))
        }
        ErrorKind::InvalidValue if word(error, ContextKind::InvalidValue).is_some_and(|value| value.is_empty()) => {
            Some(format!("{argument}: the value is missing; {called} --help explains it"))
        }
        ErrorKind::UnknownArgument => {
            Some(format!("unexpected argument '{argument}'; {called} --help lists its options and arguments"))
        }
        _ => None,
    }
}

/// An example of this command from its help: one with the missing option or the last typed word, otherwise the first example.
fn example(called: &str, missing: &str) -> Option<String> {
    let help = command_of(&table(), called)?.get_after_help()?.to_string();
    let lines: Vec<&str> = help.lines().map(str::trim).filter(|line| line.starts_with(&format!("{called} "))).collect();
    let option = missing.split(' ').next().filter(|option| option.starts_with('-'));
    let with_it = option.and_then(|option| lines.iter().find(|line| line.contains(option)));
    let typed = std::env::args().next_back();
    let as_typed = || lines.iter().find(|line| line.split(' ').skip(2).any(|word| typed.as_deref() == Some(word)));
    with_it.or_else(as_typed).or(lines.first()).map(|line| (*line).to_string())
}

/// Finds a command by its full name, such as `backwall bench events`.
fn command_of<'a>(table: &'a clap::Command, called: &str) -> Option<&'a clap::Command> {
    called.split(' ').skip(1).try_fold(table, |command, word| command.find_subcommand(word))
}

fn unknown(error: &clap::Error) -> Option<String> {
    let word = |kind| word(error, kind);
    let (what, typed, near) = match error.kind() {
        ErrorKind::UnknownArgument => {
            let typed = word(ContextKind::InvalidArg).filter(|word| word.starts_with('-'))?;
            ("option", typed, word(ContextKind::SuggestedArg))
        }
        ErrorKind::InvalidSubcommand => {
            ("command", word(ContextKind::InvalidSubcommand)?, word(ContextKind::SuggestedSubcommand))
        }
        _ => return None,
    };
    if typed == "--version" {
        return Some("unknown option '--version'; backwall --version prints it".to_string());
    }
    let near = other_name(error, &typed).or_else(|| near.filter(|near| is_listed(&table(), near)));
    let help = || format!("; {} --help lists its options and arguments", called(error));
    Some(format!("unknown {what} '{typed}'{}", near.map_or_else(help, |near| format!("; did you mean '{near}'?"))))
}

/// Suggests what the user meant: this command's name for an option of another command, or a subcommand of this command.
fn other_name(error: &clap::Error, typed: &str) -> Option<String> {
    let all = table();
    let of = command_of(&all, &called(error))?;
    if let Some((_, now)) = old_names::OTHER_OPTIONS.iter().find(|(other, _)| *other == typed) {
        let is_own = |option: &clap::Arg| option.get_long().is_some_and(|long| now.strip_prefix("--") == Some(long));
        return of.get_arguments().any(is_own).then(|| now.to_string());
    }
    let names = of.get_subcommands().filter(|below| !below.is_hide_set()).map(clap::Command::get_name);
    near::near(typed, names).map(String::from)
}

fn is_listed(command: &clap::Command, word: &str) -> bool {
    let own = command.get_arguments().filter(|option| !option.is_hide_set());
    let mut below = command.get_subcommands().filter(|below| !below.is_hide_set());
    own.filter_map(|option| option.get_long()).any(|long| word.strip_prefix("--") == Some(long))
        || below.any(|below| below.get_name() == word || is_listed(below, word))
}

fn called(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != "backwall");
    let words: Vec<&str> =
        words.take_while(|word| word.starts_with(|letter: char| letter.is_ascii_lowercase())).collect();
    if words.is_empty() { typed_command(std::env::args().skip(1)) } else { words.join(" ") }
}

/// Finds the command in the typed words, because not every parser error names it.
fn typed_command(words: impl Iterator<Item = String>) -> String {
    let table = table();
    let (mut command, mut called) = (&table, vec!["backwall".to_string()]);
    for word in words {
        let Some(below) = command.find_subcommand(&word) else { break };
        command = below;
        called.push(word);
    }
    called.join(" ")
}

fn one_line(message: &str) -> String {
    let message = message.split("\n\nUsage:").next().unwrap_or(message);
    let message = message.split("\n\nFor more information").next().unwrap_or(message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ").replace(":;", ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &[&str]) -> String {
        explain(&Cli::try_parse_from(words).unwrap_err()).unwrap_err().to_string()
    }

    #[test]
    fn the_table_of_flags_is_consistent() {
        table().debug_assert();
    }

    #[test]
    fn the_first_screen_lists_every_command_in_order_with_its_line() {
        let text = HELP.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut from = 0;
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let line = format!("{} {}", command.get_name(), command.get_about().unwrap());
            let at = text[from..].find(&line);
            from += at.unwrap_or_else(|| panic!("{line} is missing or out of order")) + line.len();
        }
    }

    #[test]
    fn a_wrong_option_gets_one_line_with_the_nearest_right_one() {
        let text = refusal(&["backwall", "run", "--jsn"]);
        assert_eq!(text, "unknown option '--jsn'; did you mean '--json'?");
    }

    #[test]
    fn an_option_of_another_command_is_refused_with_the_help_that_lists_its_own() {
        let text = refusal(&["backwall", "compare", "a", "--require", "x", "--", "b"]);
        assert_eq!(text, "unknown option '--require'; backwall compare --help lists its options and arguments");
        assert_eq!(refusal(&["backwall", "watc"]), "unknown command 'watc'; did you mean 'watch'?");
        assert_eq!(refusal(&["backwall", "tune", "tyr"]), "unknown command 'tyr'; did you mean 'try'?");
    }

    #[test]
    fn an_option_by_its_name_elsewhere_gets_its_name_here() {
        let for_how_long = refusal(&["backwall", "watch", "--for", "3s", "jack"]);
        assert_eq!(for_how_long, "unknown option '--for'; did you mean '--duration'?");
        let version = refusal(&["backwall", "run", "--version"]);
        assert_eq!(version, "unknown option '--version'; backwall --version prints it");
        assert!(refusal(&["backwall", "run", "-h"]).ends_with("--help explains it"));
    }

    #[test]
    fn a_wrong_number_gets_one_line_that_names_the_option() {
        let text = refusal(&["backwall", "run", "--seed", "x"]);
        assert_eq!(text, "invalid value 'x' for '--seed <N>': invalid digit found in string");
    }

    #[test]
    fn the_version_names_the_commit_where_the_build_did() {
        assert_eq!(
            version("backwall 0.2.0\n", Some(&"0f94d3be, 2026-11-27")),
            "backwall 0.2.0 (commit 0f94d3be, 2026-11-27)\n"
        );
        assert_eq!(version("backwall 0.2.0\n", None), "backwall 0.2.0 (not built from a commit)\n");
    }
}
