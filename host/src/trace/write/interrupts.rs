// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interrupts have numbers in other tools' forms, and ends that must match their begins.
use crate::trace::event::Name;
use std::collections::BTreeMap;

/// Names that get a number of their own; more share the last.
const NAMES_MAX: usize = 4_096;
/// Deeper nesting than any kernel has.
const DEPTH_MAX: usize = 16;

/// Numbers by name, and what is open on each processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupts {
    numbers: BTreeMap<String, u32>,
    open: BTreeMap<u32, Vec<u32>>,
}

impl Interrupts {
    /// An interrupt begins: its number and its name.
    pub(super) fn enter(&mut self, cpu: u32, name: Name) -> (u32, String) {
        let name = name.to_string();
        let next = self.numbers.len().min(NAMES_MAX) as u32;
        let number = if next as usize == NAMES_MAX { next } else { *self.numbers.entry(name.clone()).or_insert(next) };
        let open = self.open.entry(cpu).or_default();
        open.truncate(DEPTH_MAX - 1);
        open.push(number);
        (number, name)
    }

    /// The innermost interrupt ends: its number; none where its begin was not seen.
    pub(super) fn leave(&mut self, cpu: u32) -> Option<u32> {
        self.open.get_mut(&cpu)?.pop()
    }

    /// Events were lost.
    pub(super) fn forget(&mut self, cpu: u32) {
        self.open.remove(&cpu);
    }
}
