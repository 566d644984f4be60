// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab command that a unit runs.
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subcommand {
    #[default]
    Run,
    Sweep,
    Saturate,
    /// Searches a list of guests for the first that fails a requirement; each guest tried is one run.
    Bisect,
    Diff,
}

impl Subcommand {
    pub fn word(self) -> &'static str {
        match self {
            Self::Run | Self::Bisect => "run",
            Self::Sweep => "sweep",
            Self::Saturate => "saturate",
            Self::Diff => "diff",
        }
    }

    /// Extra arguments: they keep a unit on one CPU, and make a search record why a guest gave no run.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::Run | Self::Saturate => &["--jobs", "1"],
            Self::Bisect => &["--jobs", "1", "--keep-fault"],
            Self::Sweep | Self::Diff => &[],
        }
    }
}
