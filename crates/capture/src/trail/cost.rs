// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counted cost of a wakeup of a program in a guest.
use serde::Serialize;

/// Executed instructions per wakeup.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The program's name.
    pub program: String,
    /// Instructions in user mode.
    pub user: f64,
    /// Instructions in kernel mode.
    pub kernel: f64,
    /// If the counts are not linear: the cost per wakeup in both modes together, once between N and 2N wakeups and once between
    /// 2N and 3N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bent: Option<[f64; 2]>,
}

impl Cost {
    /// Instructions in both modes.
    pub fn sum(&self) -> f64 {
        self.user + self.kernel
    }
}

/// The counts on one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelCounts {
    /// `Debian's Linux 6.1…`.
    pub guest: String,
    /// One cost per program, in the order of the programs.
    pub costs: Vec<Cost>,
}
