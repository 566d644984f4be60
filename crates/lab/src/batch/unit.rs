// SPDX-License-Identifier: MIT OR Apache-2.0
//! One deterministic piece of work: a lab command with a scenario and a seed. Its key covers everything that decides the result.
use crate::batch::subcommand::Subcommand;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The unit's name in files and messages, letters and digits only. It does not depend on the machine or the folder.
    pub key: String,
    pub scenario: String,
    pub seed: u64,
    #[serde(default)]
    pub lab: Subcommand,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_of: Option<String>,
    /// Digest of the scenario texts at planning time; `None` in a batch of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Unit {
    /// Whether key and scenario are safe as file names, so that they cannot lead out of the folder.
    pub fn is_sound(&self) -> bool {
        let plain = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0', '\n']);
        let key = !self.key.is_empty() && self.key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let others = [self.range_of.as_deref(), self.against.as_deref()];
        key && plain(&self.scenario) && others.into_iter().flatten().all(plain)
    }

    pub fn whole(&self) -> &str {
        self.range_of.as_deref().unwrap_or(&self.scenario)
    }
}
