// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gives every stretch in which one held a processor, as soon as it has ended.
use crate::account::analysis::Listener;
use crate::event::Stamped;
use crate::processor::{Processor, Stretch};
use std::collections::BTreeMap;

/// Takes stretches, those of one processor in order of time.
pub trait Taker {
    fn stretch(&mut self, cpu: u32, stretch: &Stretch);
}

/// Listens to an analysis.
#[derive(Clone, Debug, Default)]
pub struct Stretches<T> {
    marks: BTreeMap<u32, u64>,
    /// Who takes them.
    pub taker: T,
}

impl<T: Taker> Stretches<T> {
    /// Nothing has ended yet.
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
