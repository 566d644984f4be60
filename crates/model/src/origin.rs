// SPDX-License-Identifier: MIT OR Apache-2.0
use serde::{Deserialize, Serialize};

/// How the figures were obtained; printed next to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Measured on a real machine.
    Measured,
    /// From the lab, where time is counted in executed instructions.
    Emulated,
    /// From a model or a scripted clock.
    Simulated,
    /// Read from another tool's file.
    Imported,
}

impl Origin {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Measured => "measured",
            Origin::Emulated => "emulated",
            Origin::Simulated => "simulated",
            Origin::Imported => "imported",
        }
    }
}
