// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine's input for a generator: the meaning of a scenario's `input = "NAME"`.
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The machine's own kind of line: an ISA interrupt, a GPIO line, or a source of the platform's interrupt controller.
    Line,
    /// The interrupt of a PCI device. Every machine can have one, so the stimulus is the same on all.
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
