// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a recording, by number.
use super::columns::Row;
use super::thread_time::ThreadTime;
use crate::collection::by_number::ByNumber;

/// At most this many threads have their own sums. The time of all others is added up together, with a warning.
const THREADS_MAX: usize = 1 << 16;
pub(super) const OTHERS: i32 = -1;

#[derive(Clone, Debug)]
struct KnownThreads {
    begin_ns: u64,
    all: ByNumber<ThreadTime>,
    losses: u64,
    lost_at_ns: u64,
    touched: Vec<i32>,
}

impl KnownThreads {
    #[inline(always)]
    fn of(&mut self, id: i32) -> Option<&mut ThreadTime> {
        let begin_ns = self.begin_ns;
        let thread = self.all.of(id, || ThreadTime::new(id, begin_ns))?;
        if thread.losses != Some(self.losses) {
            self.touched.push(id);
            thread.settle(self.losses, self.lost_at_ns);
        }
        Some(thread)
    }

    /// After a loss, the state of each thread without a CPU is unknown. Only threads with an event since the last loss need a
    /// visit, so many losses cost little.
    fn lose_sight(&mut self, at_ns: u64) {
        (self.losses, self.lost_at_ns) = (self.losses + 1, at_ns);
        for id in std::mem::take(&mut self.touched) {
            if let Some(thread) = self.all.of(id, || ThreadTime::new(id, at_ns)) {
                thread.forget_off(at_ns);
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Threads {
    known: KnownThreads,
    /// All threads beyond the maximum; only their CPU time is known.
    others: ThreadTime,
    beyond: u64,
}

impl Threads {
    pub(super) fn new(begin_ns: u64) -> Self {
        let all = ByNumber::new(THREADS_MAX);
        let known = KnownThreads { begin_ns, all, losses: 0, lost_at_ns: begin_ns, touched: Vec::new() };
        Self { known, others: ThreadTime::new(OTHERS, begin_ns), beyond: 0 }
    }

    /// The thread with that number; `None` for the idle thread and for threads beyond the maximum.
    #[inline(always)]
    pub(super) fn known(&mut self, id: i32) -> Option<&mut ThreadTime> {
        if id == 0 {
            return None;
        }
        let found = self.known.of(id);
        if found.is_none() {
            self.beyond += 1;
        }
        found
    }

    pub(super) fn lose_sight(&mut self, at_ns: u64) {
        self.known.lose_sight(at_ns);
    }

    #[inline(always)]
    pub(super) fn of(&mut self, id: i32) -> &mut ThreadTime {
        self.known.of(id).unwrap_or(&mut self.others)
    }

    pub(super) fn all(&self) -> (&[ThreadTime], Option<&ThreadTime>) {
        (self.known.all.all(), (self.beyond > 0).then_some(&self.others))
    }

    pub(super) fn all_mut(&mut self) -> &mut [ThreadTime] {
        self.known.all.all_mut()
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.known.all.all_mut().iter_mut().chain([&mut self.others]).map(|thread| &mut thread.row)
    }
}
