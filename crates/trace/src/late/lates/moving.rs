// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that move to another CPU while they are ready: each part of the wait is divided on the CPU where the thread waited.
use super::Lates;
use super::catching::Asked;
use crate::account::analysis::Processors;
use crate::blame::Cause;
use crate::event::{Event, Stamped};
use crate::late::followed::Stimulus;
use crate::late::moved::Moved;
use crate::processor::Processor;
use crate::thread::awaited::SwitchInstants;
use crate::thread::wakeup::WakeUp;

impl Lates {
    /// A thread moves to another CPU. A move by its waker only chooses the runqueue; any other move ends one part of the wait.
    pub(super) fn thread_moves(&mut self, cpu: u32, stamped: &Stamped, of: &Processors<'_>) {
        let (Event::Migrate { thread: id, to } | Event::Placed { thread: id, on: to }) = stamped.event else { return };
        let Some(followed) = self.threads.of(id) else { return };
        let placed = followed.is_placed_by_waker(cpu, stamped.thread, stamped.at_ns);
        let known = followed.place().is_some();
        let from = followed.is_given_to(to);
        if placed || from.is_none() && known || !self.is_looked_at(id) {
            return;
        }
        let moved = self.wait_ends(id, from.and_then(|from| Some((from, of(from)?))), stamped.at_ns);
        if let (Some(moved), Some(followed)) = (moved, self.threads.of(id)) {
            followed.has_moved(moved);
        }
    }

    fn is_looked_at(&self, id: i32) -> bool {
        let Some(followed) = self.threads.known(id) else { return false };
        let named = followed.named();
        self.question.whose.has(id, named) != Some(false)
            || named.is_some_and(|thread| !thread.is_ordinary())
            || followed.has_timer()
    }

    /// Ends a part of a thread's wait. If the CPU of this part is known, its stretches divide the part.
    fn wait_ends(&mut self, id: i32, on: Option<(u32, &Processor)>, at_ns: u64) -> Option<Moved> {
        let cpu = on.map_or(u32::MAX, |(cpu, _)| cpu);
        let (came, stimulus) = self.threads.of(id)?.waited_until(cpu, at_ns)?;
        let (began_ns, until_ns) = (stimulus.own_at(&came), came.at_ns);
        let parts = match on {
            Some((cpu, processor)) => {
                let asked =
                    Asked { id, came, stimulus: &stimulus, cpu, until_ns, works_from: None, away: None, used_up: None };
                self.parts_where_allowed(&asked, processor)
            }
            None => stimulus.parts_and(Cause::Moved, began_ns, until_ns),
        };
        let from_page = stimulus.moved.as_ref().is_some_and(|moved| moved.from_page);
        Some(Moved { began_ns, timed: stimulus.is_timed(), from_page, at_ns: until_ns, parts })
    }

    /// A wakeup for the thread's wait on the CPU that it got: the wait since its last move, or the whole wait without a move.
    pub(super) fn last_wait(
        &self,
        came: SwitchInstants,
        stimulus: &Stimulus,
        cpu: u32,
        processor: &Processor,
    ) -> WakeUp {
        let wake_up = match &stimulus.moved {
            Some(moved) => {
                let came = SwitchInstants { ready_at: moved.at_ns, ..came };
                WakeUp { stay: processor.stay_at(moved.at_ns), ..came.wake_up() }
            }
            None => self.wake_up(came, stimulus.timer, cpu, processor),
        };
        WakeUp { moved_at: stimulus.strayed.then_some(wake_up.waking_at), ..wake_up }
    }
}
