// SPDX-License-Identifier: MIT OR Apache-2.0
use serde::{Deserialize, Serialize};

/// How the figures were obtained; printed next to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// On a real machine.
    Measured,
    /// In the lab, where executed instructions are the time.
    Emulated,
    /// From a model or a scripted clock.
    Simulated,
    /// Read from another tool's file.
    Imported,
}

impl Origin {
    /// As it is in files.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Emulated => "emulated",
            Origin::Simulated => "simulated",
            Origin::Imported => "imported",
        }
    }
}
