// SPDX-License-Identifier: MIT OR Apache-2.0
//! A single scenario.
use super::bad_scenario;
use backwall_lab::scenario::Scenario;
use backwall_lab::shipped;

#[derive(clap::Args, Debug)]
pub(super) struct OneScenario {
    /// Scenario: a name from `lab list`, or a .toml file
    #[arg(value_name = "NAME|FILE.toml")]
    pub(super) scenario: String,
}

impl OneScenario {
    pub(super) fn find(&self) -> anyhow::Result<Scenario> {
        shipped::find_only(&self.scenario).map_err(bad_scenario)
    }
}
