// SPDX-License-Identifier: MIT OR Apache-2.0
//! One deterministic piece of work: a scenario with a seed, by a key made of all that decides its result.
use serde::{Deserialize, Serialize};

/// One unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Its name everywhere: letters and digits. Nothing of a machine's name or of a place is in it.
    pub key: String,
    /// The scenario's name.
    pub scenario: String,
    /// Of everything random.
    pub seed: u64,
}

impl Unit {
    /// Whether key and scenario can be names in a folder, and lead nowhere else.
    pub fn is_sound(&self) -> bool {
        let plain = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0', '\n']);
        plain(&self.scenario) && !self.key.is_empty() && self.key.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}
