// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of a guest's wakeup in a program, as counted.
use serde::Serialize;

/// Executed instructions for each wake-up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The program's name.
    pub program: String,
    /// In user mode.
    pub user: f64,
    /// In kernel mode.
    pub kernel: f64,
    /// In both, from N to 2N wakeups and from 2N to 3N, where these differ: then the counts do not lie on a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bent: Option<[f64; 2]>,
}

impl Cost {
    /// In both.
    pub fn sum(&self) -> f64 {
        self.user + self.kernel
    }
}

/// What was counted on one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelCounts {
    /// `Debian's Linux 6.1…`.
    pub guest: String,
    /// In the order of the programs.
    pub costs: Vec<Cost>,
}
