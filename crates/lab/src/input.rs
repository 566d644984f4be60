// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine's input for a generator: meaning of a scenario's `input = "NAME"`.
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The machine's own: an ISA interrupt, a line of a GPIO controller, a source of the platform's interrupt controller.
    Line,
    /// The interrupt of a PCI device, which all machines can have: one stimulus for all of them.
    Pci,
}

impl Input {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Input::Line => "line",
            Input::Pci => "pci",
        }
    }

    #[must_use]
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Input::Line => &[],
            Input::Pci => &["-device", "edu"],
        }
    }

    #[must_use]
    pub fn arguments(self) -> Option<String> {
        (self == Input::Pci).then(|| "pci=1".to_string())
    }
}
