// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of every command whose result is a run: how it is printed, where it is stored, and its requirements.
use super::{Destination, Printing, Requirements};
use backwall_judge::require::Rule;
use backwall_store::RunFolder;
use jiff::Timestamp;

#[derive(clap::Args, Clone, Debug, Default)]
pub struct RunOutput {
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub destination: Destination,
    #[command(flatten)]
    pub requirements: Requirements,
}

impl RunOutput {
    /// As [`Requirements::rules`].
    ///
    /// # Errors
    /// One line about the first invalid requirement.
    pub fn rules(&self) -> anyhow::Result<Vec<Rule>> {
        self.requirements.rules()
    }

    pub fn require(&self) -> Vec<String> {
        self.requirements.require.clone()
    }

    /// Creates the folder of the run. If the user named none, its name contains the command.
    ///
    /// # Errors
    /// The folder cannot be created, or exists already.
    pub fn folder(&self, command: &str, started: Timestamp) -> anyhow::Result<RunFolder> {
        Ok(RunFolder::create(self.destination.out.as_deref(), command, started)?)
    }
}
