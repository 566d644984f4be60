// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings for a person: similar ones are merged, invalidating ones come first.
use backwall_model::units::grouped;
use backwall_model::{Run, Warning};

pub struct Folded<'a> {
    pub first: &'a Warning,
    pub others: Vec<&'a Warning>,
}

impl Folded<'_> {
    /// The number of similar warnings, as the end of the first one's line; empty if there are none.
    pub fn like(&self) -> String {
        match self.others.len() {
            0 => String::new(),
            more => format!(" ({} more like it)", grouped(more as u64)),
        }
    }
}

/// The warnings of a run grouped by content, across phases and figures; the invalidating ones first.
pub fn folded(run: &Run) -> Vec<Folded<'_>> {
    let mut found: Vec<Folded<'_>> = Vec::new();
    for warning in &run.warnings {
        match found.iter_mut().find(|folded| folded.first.is_like(warning)) {
            Some(folded) => folded.others.push(warning),
            None => found.push(Folded { first: warning, others: Vec::new() }),
        }
    }
    found.sort_by_key(|folded| !folded.first.spoils());
    found
}
