// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording contained, after playing all of it.
use std::collections::BTreeMap;

/// What was in a recording.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Records by the name of their event.
    pub by_name: BTreeMap<String, u64>,
    /// Places with missing records.
    pub gaps: u64,
    /// Of these, losses before a CPU's first record: its ring overwrote older events.
    pub wrapped: u64,
    /// Missing records there, if the kernel counted them.
    pub missed: u64,
    /// Sentences for the user.
    pub notes: Vec<String>,
}

impl Played {
    /// All records.
    pub fn events(&self) -> u64 {
        self.by_name.values().sum()
    }
}
