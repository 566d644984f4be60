// SPDX-License-Identifier: MIT OR Apache-2.0
//! An open response: its thread has a CPU and has not gone to sleep again.
use super::followed::Stimulus;
use super::lates::Asked;
use super::locks::Waited;
use crate::blame::window::Absence;
use crate::event::Thread;
use crate::thread::awaited::SwitchInstants;
use crate::thread::limits::UsedUp;

#[derive(Clone, Debug)]
pub(super) struct OpenResponse {
    pub(super) thread: Thread,
    pub(super) cpu: u32,
    pub(super) came: SwitchInstants,
    pub(super) stimulus: Stimulus,
    pub(super) waited: Option<Waited>,
    pub(super) away: Option<Absence>,
    pub(super) used_up: Option<UsedUp>,
}

impl OpenResponse {
    pub(super) fn asked(&self, until_ns: u64) -> Asked<'_> {
        let Self { thread, cpu, came, stimulus, away, used_up, .. } = self;
        let works_from = Some(came.at_ns);
        Asked { id: thread.id, came: *came, stimulus, cpu: *cpu, until_ns, works_from, away: *away, used_up: *used_up }
    }

    pub(super) fn since_ns(&self) -> u64 {
        let woken_at = self.stimulus.began_at(self.thread.id, &self.came);
        self.waited.as_ref().map_or(woken_at, |waited| waited.since_ns)
    }

    pub(super) fn leaves(&mut self, at_ns: u64) {
        let absence = Absence { from_ns: at_ns, to_ns: None, faulted: true };
        self.away.get_or_insert(absence).to_ns = None;
    }

    pub(super) fn comes_back(&mut self, at_ns: u64) {
        if let Some(away) = &mut self.away {
            away.to_ns.get_or_insert(at_ns);
        }
    }

    pub(super) fn is_timed(&self) -> bool {
        self.waited.is_none() && self.stimulus.is_timed()
    }
}
