// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that get many signals before they go on.
//!
//! A thread may get its CPU in time, but must handle its signals before its work. No event shows when it has handled them. At
//! the latest, that is when it sets its next timer or goes to sleep.
use super::Lates;
use crate::blame::Blame;
use crate::blame::explain::explain;
use crate::blame::window::Window;
use crate::event::Thread;
use crate::late::followed::FollowedThread;
use crate::late::response::{Late, ResponseFate};
use crate::processor::Processor;
use crate::thread::signals::Storm;

/// A thread that handles signals for a shorter time is hardly late.
const LONG_NS: u64 = 500_000;

impl Lates {
    /// The thread has handled its signals by now. If there were many, the time since the wakeup is a response of its own.
    #[cold]
    #[inline(never)]
    pub(super) fn thread_handled_signals(&mut self, id: i32, cpu: u32, at_ns: u64, processor: &Processor) {
        let Some(followed) = self.threads.known(id) else { return };
        // The response that is still open will report these signals.
        if followed.ready_at().is_some() {
            return;
        }
        let Some((thread, (ready_ns, came_ns))) = followed.named().zip(followed.came_to(cpu)) else { return };
        let latency_ns = at_ns.saturating_sub(ready_ns);
        let least_ns = if self.told.is_some() { 0 } else { self.question.above_ns };
        if self.question.to_end
            || latency_ns <= least_ns.max(LONG_NS)
            || self.question.whose.has(id, Some(thread)) != Some(true)
        {
            return;
        }
        let Some(Storm { by, count }) = self.signals.heavy_storm(id, ready_ns, at_ns) else { return };
        let by = self.threads.known(by).and_then(FollowedThread::named).unwrap_or(Thread::numbered(by));
        let storm = Some(Storm { by, count });
        let window = Window { storm, works_from: Some(came_ns), ..Window::ready(Some(thread), ready_ns, came_ns) };
        let explained = self.budget.allows_response(latency_ns, || processor.stretches_in(ready_ns, at_ns));
        let blame = match explained {
            true => explain(&window, processor, at_ns),
            false => Blame::unexplained(latency_ns),
        };
        self.responses += 1;
        let response = Late { thread, cpu, at_ns: ready_ns, latency_ns, timed: false, locked: false, blame };
        match self.told {
            Some(_) => self.tell(ResponseFate::Came { response, ready_at: ready_ns, inferred: false, behind: None }),
            None => self.take(response, explained),
        }
    }
}
