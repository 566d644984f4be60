// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses that last until their thread next goes to sleep.
use super::catching::stretches_of;
use super::{Late, Lates};
use crate::blame::Blame;
use crate::event::Thread;
use crate::late::begun::OpenResponse;
use crate::late::followed::Stimulus;
use crate::late::locks::Waited;
use crate::processor::Processor;
use crate::thread::awaited::SwitchInstants;

impl Lates {
    /// The thread of an open response got a CPU. If it did not sleep, the response goes on.
    #[cold]
    #[inline(never)]
    pub(super) fn response_begun(
        &mut self,
        thread: Thread,
        came: SwitchInstants,
        (stimulus, waited): (Stimulus, Option<Waited>),
        cpu: u32,
    ) {
        let Some(followed) = self.threads.of(thread.id) else { return };
        let from_page = stimulus.moved.as_ref().is_some_and(|moved| moved.from_page);
        if let Some(begun) = followed.begun.as_mut().filter(|_| from_page) {
            return begun.comes_back(came.at_ns);
        }
        if followed.begun.is_none() || !came.resumed {
            let unseen = followed.begun.replace(Box::new(OpenResponse {
                thread,
                cpu,
                came,
                stimulus,
                waited,
                away: None,
                used_up: None,
            }));
            followed.unseen += u64::from(unseen.is_some());
        }
    }

    /// A thread leaves by itself: its response ends, unless the thread waits for a page.
    #[cold]
    #[inline(never)]
    pub(super) fn response_pauses(&mut self, id: i32, cpu: u32, at_ns: u64, processor: &Processor) {
        if !processor.left_in_fault(at_ns) {
            return self.response_ended(id, cpu, at_ns, processor);
        }
        let begun = self.threads.of(id).and_then(|followed| followed.begun.as_mut());
        begun.into_iter().for_each(|begun| begun.leaves(at_ns));
    }

    /// A thread goes to sleep: its response ends. If the thread moved meanwhile, no CPU recorded the whole response.
    #[cold]
    #[inline(never)]
    pub(super) fn response_ended(&mut self, id: i32, cpu: u32, at_ns: u64, processor: &Processor) {
        let Some(followed) = self.threads.of(id) else { return };
        let Some(begun) = followed.begun.take() else { return };
        if begun.cpu != cpu {
            followed.unseen += 1;
            return;
        }
        self.responses += 1;
        let (thread, since_ns, locked) = (begun.thread, begun.since_ns(), begun.waited.is_some());
        let (latency_ns, timed) = (at_ns.saturating_sub(since_ns), begun.is_timed());
        if latency_ns > self.question.above_ns {
            let (threads, asked) = (&self.threads, begun.asked(at_ns));
            let stretches = || stretches_of(threads, &asked, processor);
            let explained = self.budget.allows_response(latency_ns, stretches);
            let blame = match explained {
                true => self.blame_of(*begun, at_ns, processor),
                false => Blame::unexplained(latency_ns),
            };
            self.take(Late { thread, cpu, at_ns: since_ns, latency_ns, timed, locked, blame }, explained);
        }
    }

    pub(super) fn blame_of(&mut self, begun: OpenResponse, until_ns: u64, processor: &Processor) -> Blame {
        let own = self.divided(&begun.asked(until_ns), processor);
        let mut blame = begun.waited.map_or_else(Blame::default, |waited| waited.blame);
        blame.fresh = own.fresh.as_ref().map(|_| blame.shares.clone());
        blame.join(own);
        begun.stimulus.before.into_iter().for_each(|before| before.join(begun.thread.id, &mut blame));
        blame
    }
}
