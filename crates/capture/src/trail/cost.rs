// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program costs a guest for each wake-up that it makes, as it was counted.
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
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
    pub fn sum(&self) -> f64 {
        self.user + self.kernel
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct KernelCounts {
    pub guest: String,
    /// In the order of the programs.
    pub costs: Vec<Cost>,
}
