// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts perf's samples in order of time. perf reads the processors in turns and marks the end of each turn: what comes after
//! it is not earlier than the latest sample of the turn before.
use super::receiver::Receiver;
use crate::trace::event::Stamped;

/// Samples that wait at most; a recording without turns is put in order in such pieces.
const WAITING_MAX: usize = 1 << 20;

/// Samples that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    waiting: Vec<(u32, Stamped)>,
    /// The latest sample of the turn before.
    settled_ns: u64,
    latest_ns: u64,
    given_ns: u64,
    backward: u64,
}

impl Ordered {
    pub(super) fn push(&mut self, cpu: u32, stamped: Stamped, receiver: &mut impl Receiver) {
        self.latest_ns = self.latest_ns.max(stamped.at_ns);
        self.waiting.push((cpu, stamped));
        if self.waiting.len() >= WAITING_MAX {
            self.waiting.sort_by_key(|(_, stamped)| stamped.at_ns);
            let middle = self.waiting[WAITING_MAX / 2].1.at_ns;
            self.give(middle, receiver);
        }
    }

    /// A turn ends.
    pub(super) fn round(&mut self, receiver: &mut impl Receiver) {
        self.waiting.sort_by_key(|(_, stamped)| stamped.at_ns);
        self.give(self.settled_ns, receiver);
        self.settled_ns = self.latest_ns;
    }

    /// Everything that still waits; sentences for the user.
    pub(super) fn finish(mut self, receiver: &mut impl Receiver) -> Vec<String> {
        self.waiting.sort_by_key(|(_, stamped)| stamped.at_ns);
        self.give(u64::MAX, receiver);
        let note = format!("{} samples came too late to be put in order and are taken for later", self.backward);
        if self.backward > 0 { vec![note] } else { Vec::new() }
    }

    fn give(&mut self, until_ns: u64, receiver: &mut impl Receiver) {
        let count = self.waiting.partition_point(|(_, stamped)| stamped.at_ns <= until_ns);
        for (cpu, stamped) in self.waiting.drain(..count) {
            self.backward += u64::from(stamped.at_ns < self.given_ns);
            self.given_ns = self.given_ns.max(stamped.at_ns);
            receiver.event(cpu, &Stamped { at_ns: self.given_ns, ..stamped });
        }
    }
}
