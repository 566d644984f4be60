// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording contained, after playing all of it.
use std::collections::BTreeMap;

/// What a recording contained.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Number of records by event name.
    pub by_name: BTreeMap<String, u64>,
    /// Number of places with missing records.
    pub gaps: u64,
    /// How many of `gaps` are before a CPU's first record, because the ring overwrote older events.
    pub wrapped: u64,
    /// Number of missing records, if the kernel counted them.
    pub missed: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Played {
    /// Number of all records.
    pub fn events(&self) -> u64 {
        self.by_name.values().sum()
    }
}
