// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses of threads that waited for a lock.
use super::{Asked, Late, Lates};
use crate::blame::Blame;
use crate::event::{Stamped, Thread};
use crate::late::followed::Stimulus;
use crate::late::locks::{Lock, Waited, divided};
use crate::processor::Processor;
use crate::thread::awaited::SwitchInstants;

impl Lates {
    #[cold]
    pub(super) fn thread_asks_for_lock(&mut self, thread: i32, holder: Option<i32>) {
        self.threads.of(thread).into_iter().for_each(|followed| followed.lock.asks(holder));
    }

    /// A thread that waits for a lock is woken. If the holder is not recorded, the waker counts as the holder, unless the waker
    /// is an interrupt, as at a timeout.
    #[cold]
    #[inline(never)]
    pub(super) fn thread_gets_lock(&mut self, id: i32, stamped: Stamped, processor: &Processor) {
        let Some(followed) = self.threads.of(id) else { return };
        let (Lock::Waits { since_ns, holder }, waiter) = (std::mem::take(&mut followed.lock), followed.named()) else {
            return;
        };
        let waker = Some(stamped.thread).filter(|thread| stamped.in_thread && ![0, id].contains(thread));
        let (Some(waiter), Some(holder)) = (waiter, holder.or(waker)) else { return };
        let named = self.threads.of(holder).and_then(|holder| holder.named());
        let holder = named.unwrap_or(Thread::numbered(holder));
        let ns = stamped.at_ns - since_ns;
        let blame = match self.budget.allows(ns, || processor.stretches_in(since_ns, stamped.at_ns)) {
            true => divided(&waiter, &holder, &self.named_window(processor, since_ns, stamped.at_ns)),
            false => Blame::unexplained(ns),
        };
        if let Some(followed) = self.threads.of(id) {
            followed.lock = Lock::Given(Box::new(Waited { since_ns, blame }));
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn response_came_with_lock(
        &mut self,
        came: SwitchInstants,
        (stimulus, waited): (Stimulus, Waited),
        cpu: u32,
        processor: &Processor,
    ) {
        let stimulus = Stimulus { timer: None, before: None, ..stimulus };
        let whose = &self.question.whose;
        let Some(thread) = came.thread.filter(|thread| whose.has(thread.id, Some(*thread)) == Some(true)) else {
            return;
        };
        if self.question.to_end {
            return self.response_begun(thread, came, (stimulus, Some(waited)), cpu);
        }
        self.responses += 1;
        let latency_ns = came.at_ns.saturating_sub(waited.since_ns);
        if latency_ns > self.question.above_ns {
            let mut blame = waited.blame;
            let (id, until_ns) = (thread.id, came.at_ns);
            let asked =
                Asked { id, came, stimulus: &stimulus, cpu, until_ns, works_from: None, away: None, used_up: None };
            let own = self.blame(&asked, (true, latency_ns), processor);
            let explained = own.is_some();
            blame.join(own.unwrap_or_else(|| Blame::unexplained(until_ns - asked.own_at())));
            let late = Late { thread, cpu, at_ns: waited.since_ns, latency_ns, timed: false, locked: true, blame };
            self.take(late, explained);
        }
    }
}
