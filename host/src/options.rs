// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options every command takes.
use crate::exit::usage;
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

    /// Refuses those of `--json`, `--out`, `--require`, `--verbose` and `--seed` that a command has no use for: none is ignored
    /// in silence.
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
