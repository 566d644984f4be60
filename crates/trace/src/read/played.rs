// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was in a recording, once all of it was played.
use std::collections::BTreeMap;

/// What was in a recording.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Records by the name of their event.
    pub by_name: BTreeMap<String, u64>,
    /// Places at which records are missing.
    pub gaps: u64,
    /// Of these, those before a processor's first record: its ring had overwritten what was older.
    pub wrapped: u64,
    /// Records missing there, where the kernel counted them.
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
