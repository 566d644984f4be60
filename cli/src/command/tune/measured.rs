// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options that choose the loop that a trial measures.
use crate::cli::{self, Command};
use crate::exit::{unable, usage};
use crate::options::{Deadline, OneCpu, Seed, SmallestEffect};
use backwall_judge::compare::Question;
use backwall_model::units::{self, Nanoseconds};
use backwall_os::affinity;
use backwall_tuning::settings::Machine;
use backwall_tuning::settings::slices::Slices;
use std::ffi::OsString;

#[derive(clap::Args, Debug)]
pub(super) struct TrialOptions {
    #[command(flatten)]
    pub(super) cpu: OneCpu,
    /// Measure this application's threads, named as for backwall watch
    #[arg(long, value_name = "APP")]
    pub(super) app: Option<String>,
    /// How long to measure each of a trial's twelve slices
    #[arg(short = 'D', long = "duration", value_name = "TIME", default_value = "10s", value_parser = units::seconds)]
    pub(super) slice: Nanoseconds,
    #[command(flatten)]
    smallest: SmallestEffect,
    #[command(flatten)]
    late_after: Deadline,
    /// Options of backwall run for the measured loop, after --
    #[arg(last = true, value_name = "RUN OPTIONS")]
    pub(super) words: Vec<String>,
}

const OWN: [&str; 11] =
    ["-D", "--duration", "--for", "-a", "--cpu", "--affinity", "--output", "--output", "-o", "--quiet", "-q"];

impl TrialOptions {
    /// Before backwall prints or changes anything, checks whether it could measure each slice with these options.
    ///
    /// # Errors
    /// One line.
    pub(super) fn check(&self, machine: &Machine) -> anyhow::Result<()> {
        if self.app.is_none() && !affinity::grants(machine.cpu) {
            return Err(unable(format!("-a {}: this CPU is outside this process's cpuset", machine.cpu)));
        }
        let is_own = |word: &&String| OWN.contains(&word.split_once('=').map_or(word.as_str(), |(name, _)| name));
        if let Some(own) = self.words.iter().find(is_own) {
            return Err(usage(format!("{own} is not allowed after --; use --duration and -a of tune try")));
        }
        let mut words = vec!["backwall".to_string()];
        words.extend(Slices::words(machine, &self.all_words(), self.slice.0));
        let wrong = |why: String| usage(format!("after --: {why}"));
        let typed = cli::understand(words.into_iter().map(OsString::from).collect());
        let typed = typed.map_err(|error| match error.use_stderr() {
            true => wrong(cli::why(&error)),
            false => wrong("--help measures nothing".to_string()),
        })?;
        match typed.command {
            Command::Run(args) => args.check(),
            Command::Watch(_) => Ok(()),
            _ => Err(wrong("expected options of backwall run only".to_string())),
        }
    }

    pub(super) fn all_words(&self) -> Vec<String> {
        let deadline = self.late_after.deadline.map(|deadline| ["--deadline".to_string(), format!("{}ns", deadline.0)]);
        deadline.into_iter().flatten().chain(self.words.iter().cloned()).collect()
    }

    pub(super) fn question(&self, seed: Seed) -> Question {
        Question { effect: self.smallest.effect, seed: seed.seed }
    }
}
