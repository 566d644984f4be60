// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports every stretch of a CPU as soon as it ends.
use crate::account::analysis::Listener;
use crate::event::Stamped;
use crate::processor::{Processor, Stretch};
use std::collections::BTreeMap;

/// Takes stretches, in order of time for each CPU.
pub trait Taker {
    /// Takes the next stretch.
    fn stretch(&mut self, cpu: u32, stretch: &Stretch);
}

/// Listens to an analysis and passes on its stretches.
#[derive(Clone, Debug, Default)]
pub struct Stretches<T> {
    marks: BTreeMap<u32, u64>,
    /// Takes the stretches.
    pub taker: T,
}

impl<T: Taker> Stretches<T> {
    /// Starts before the first stretch.
    pub fn new(taker: T) -> Self {
        Self { marks: BTreeMap::new(), taker }
    }
}

impl<T: Taker> Listener for Stretches<T> {
    fn event(&mut self, cpu: u32, _: &Stamped, processor: &Processor) {
        let mark = self.marks.entry(cpu).or_default();
        while let Some(stretch) = processor.next_ended(mark) {
            self.taker.stretch(cpu, &stretch);
        }
    }

    fn gap(&mut self, _: u32, _: u64) {}

    fn end(&mut self, open: &[(u32, Stretch)]) {
        open.iter().for_each(|(cpu, stretch)| self.taker.stretch(*cpu, stretch));
    }
}
