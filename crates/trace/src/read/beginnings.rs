// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where losses begin, in recordings that note only where a loss ends: a first pass finds where they begin.
use super::receiver::Receiver;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

// At most this many starts of losses are kept; no useful recording has more.
const KEPT: usize = 1 << 18;

#[derive(Clone, Debug, Default)]
pub(super) struct Beginnings {
    all: BinaryHeap<Reverse<(u64, u32)>>,
    beyond: u64,
}

impl Beginnings {
    fn push(&mut self, from_ns: u64, cpu: u32) {
        match self.all.len() {
            KEPT => self.beyond += 1,
            _ => self.all.push(Reverse((from_ns, cpu))),
        }
    }

    pub(super) fn note(&self) -> Option<String> {
        let beyond = self.beyond;
        (beyond > 0)
            .then(|| format!("too many gaps of lost events: {beyond} were not located, so latencies may be too long"))
    }

    /// Reports the losses that begin before this instant; with `too`, also those that begin at it.
    pub(super) fn tell(&mut self, before_ns: u64, too: bool, receiver: &mut impl Receiver) {
        while let Some(Reverse((from_ns, cpu))) = self.all.peek().copied() {
            if from_ns > before_ns || (from_ns == before_ns && !too) {
                return;
            }
            self.all.pop();
            receiver.gap_begins(cpu, from_ns);
        }
    }
}

/// A first pass over a recording: finds the latest event of each CPU, and the losses.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordingScan {
    latest: BTreeMap<u32, u64>,
    found: Beginnings,
}

impl RecordingScan {
    pub(super) fn event(&mut self, cpu: u32, at_ns: u64) {
        let latest = self.latest.entry(cpu).or_default();
        *latest = at_ns.max(*latest);
    }

    /// Events of this CPU are missing since its latest one. `None` stands for every CPU that has had an event.
    pub(super) fn gap(&mut self, cpu: Option<u32>) {
        match cpu {
            Some(cpu) => self.found.push(self.latest.get(&cpu).copied().unwrap_or(0), cpu),
            None => self.latest.iter().for_each(|(cpu, at_ns)| self.found.push(*at_ns, *cpu)),
        }
    }

    pub(super) fn beginnings(self) -> Beginnings {
        self.found
    }
}
