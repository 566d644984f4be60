// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one table of commands, one print of an error, one exit code.
use crate::exit::{self, Exit};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// How late can this machine and its operating system respond, and why?
#[derive(Parser, Debug)]
#[command(name = "backwall", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options every command takes.
    #[command(flatten)]
    pub global: Global,
}

/// Options every command takes.
#[derive(Args, Clone, Debug, Default)]
pub struct Global {
    /// Folder for the run [default: backwall-runs/<time>-<command>/]
    #[arg(long, global = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the result as JSON on standard output, and nothing else there
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no progress and no table
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Seed of everything random
    #[arg(long, global = true, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// A requirement such as 'wakeup.p99.99 < 100us' or 'lost == 0' (repeatable)
    #[arg(long, global = true, value_name = "EXPR")]
    pub require: Vec<String>,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {}

/// Parses, runs, prints at most one error line, and returns the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return ExitCode::from(code as u8);
        }
    };
    match dispatch(cli) {
        Ok(code) => ExitCode::from(code as u8),
        Err(error) => {
            eprintln!("backwall: {error:#}");
            ExitCode::from(exit::code_of(&error) as u8)
        }
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    match cli.command {}
}
