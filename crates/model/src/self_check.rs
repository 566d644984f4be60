// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our reading of the clock against the kernel's.
use serde::{Deserialize, Serialize};

/// Our reading minus the kernel's of the same wake-ups: our own error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfCheck {
    /// Wake-ups compared.
    pub compared: u64,
    /// Smallest difference; negative when the kernel's stamp is later.
    pub min_ns: i64,
    /// Median difference.
    pub p50_ns: i64,
    /// 99 % quantile of the difference.
    pub p99_ns: i64,
    /// Largest difference.
    pub max_ns: i64,
    /// What was compared with what.
    pub what: String,
}
