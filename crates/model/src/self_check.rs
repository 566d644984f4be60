// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe's clock readings compared with the kernel's timestamps.
use serde::{Deserialize, Serialize};

/// The probe's clock reading minus the kernel's timestamp of the same wakeup. This difference is backwall's own error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfCheck {
    /// Number of compared wakeups.
    pub compared: u64,
    /// Smallest difference; negative if the kernel's timestamp is later.
    pub min_ns: i64,
    /// Median difference.
    pub p50_ns: i64,
    /// 99 % quantile of the difference.
    pub p99_ns: i64,
    /// Largest difference.
    pub max_ns: i64,
    /// Which readings were compared.
    pub what: String,
}
