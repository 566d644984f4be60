// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirements of a run.
use crate::exit::usage;
use backwall_judge::require::Rule;

#[derive(clap::Args, Clone, Debug, Default)]
pub struct Requirements {
    /// A requirement such as 'wakeup.p99.99 < 100us' or 'missed == 0' (repeatable)
    #[arg(long, value_name = "EXPR")]
    pub require: Vec<String>,
}

impl Requirements {
    /// Parses the requirements. Commands call this before they measure.
    ///
    /// # Errors
    /// One line about the first invalid requirement.
    pub fn rules(&self) -> anyhow::Result<Vec<Rule>> {
        let read = |expression: &String| expression.parse::<Rule>().map_err(|error| usage(error.to_string()));
        self.require.iter().map(read).collect()
    }
}
