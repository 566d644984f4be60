// SPDX-License-Identifier: MIT OR Apache-2.0
//! A response that is looked at to its end: its thread has come to a processor, and has not gone to sleep again.
use super::locks::Waited;
use super::wakers::Before;
use crate::blame::Blame;
use crate::event::Thread;
use crate::explain::explain;
use crate::processor::Processor;
use crate::wakeup::WakeUp;

/// It.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) thread: Thread,
    /// Where it came.
    pub(super) cpu: u32,
    pub(super) wake_up: WakeUp,
    /// What it had waited for a lock before.
    pub(super) waited: Option<Waited>,
    /// What was before it was made ready.
    pub(super) before: Option<Before>,
}

impl Begun {
    /// When the response began.
    pub(super) fn since_ns(&self) -> u64 {
        let before_ns = self.before.as_ref().map_or(0, |before| before.ns(self.thread.id));
        let woken_at = self.wake_up.expiry_at.saturating_sub(before_ns);
        self.waited.as_ref().map_or(woken_at, |waited| waited.since_ns)
    }

    /// Who used its time, up to an instant at which its processor still is its own.
    pub(super) fn blame(self, until_ns: u64, processor: &Processor) -> Blame {
        let runs_from = Some(self.wake_up.switch_in_at);
        let wake_up = WakeUp { runs_from, ..self.wake_up };
        let mut blame = self.waited.map_or_else(Blame::default, |waited| waited.blame);
        self.before.into_iter().for_each(|before| before.join(self.thread.id, &mut blame));
        blame.join(explain(&wake_up.window(), processor, until_ns));
        blame
    }
}
