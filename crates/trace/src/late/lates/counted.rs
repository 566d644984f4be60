// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts, ranks, keeps or reports the responses.
use super::{KEPT, Lates, named};
use crate::late::response::{Late, ResponseFate, StillReady};

impl Lates {
    /// Takes the fates of the responses since the last call.
    pub fn told(&mut self) -> Vec<ResponseFate> {
        self.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn tell(&mut self, what: ResponseFate) {
        self.told.iter_mut().for_each(|told| told.push(what.clone()));
    }

    /// Takes a late response: counts it, ranks it if explained, and keeps it if there is room.
    pub(in crate::late) fn take(&mut self, late: Late, explained: bool) {
        self.late += 1;
        if explained {
            self.ranking.add(&late.blame);
        }
        if self.worst.as_ref().is_none_or(|worst| worst.latency_ns < late.latency_ns) {
            self.worst = Some(late.clone());
        }
        if self.lates.len() < KEPT {
            self.lates.push(late);
        }
    }

    /// Whether to count an unexplained late response without keeping it, as for most late responses of an overloaded machine.
    pub(super) fn only_counts(&self, latency_ns: u64) -> bool {
        let is_worst = self.worst.as_ref().is_none_or(|worst| worst.latency_ns < latency_ns);
        self.told.is_none() && !is_worst && self.lates.len() >= KEPT
    }

    /// Reports a thread's unseen responses at once, to listeners that want every response.
    pub(super) fn tell_unseen(&mut self, id: i32) {
        if self.told.is_some() {
            named(&mut self.threads, id, (&mut self.unseen, &mut self.told), &self.question.whose);
        }
    }

    pub(super) fn ends_ready(&mut self, still: StillReady) {
        self.still_ready += 1;
        if self.longest_ready.is_none_or(|longest| still.since_ns < longest.since_ns) {
            self.longest_ready = Some(still);
        }
    }
}
