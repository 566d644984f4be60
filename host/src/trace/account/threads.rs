// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a recording by their numbers.
use super::columns::Row;
use super::thread_time::ThreadTime;
use crate::trace::by_number::ByNumber;

/// Threads that are told apart; the time of more is booked as that of one, and that is said.
const THREADS_MAX: usize = 1 << 16;
/// No thread has this number.
pub(super) const OTHERS: i32 = -1;

/// Every thread that an event named.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    begin_ns: u64,
    known: ByNumber<ThreadTime>,
    /// All beyond those. Of many together only the time on a processor can be told.
    others: ThreadTime,
    /// Events and stretches of these.
    beyond: u64,
}

impl Threads {
    pub(super) fn new(begin_ns: u64) -> Self {
        Self { begin_ns, known: ByNumber::new(THREADS_MAX), others: ThreadTime::new(OTHERS, begin_ns), beyond: 0 }
    }

    /// The thread of that number, where it is told apart; the idle thread is not.
    #[inline(always)]
    pub(super) fn known(&mut self, id: i32) -> Option<&mut ThreadTime> {
        if id == 0 {
            return None;
        }
        let begin_ns = self.begin_ns;
        let found = self.known.of(id, || ThreadTime::new(id, begin_ns));
        if found.is_none() {
            self.beyond += 1;
        }
        found
    }

    /// The one to whose account the time of that thread goes.
    #[inline(always)]
    pub(super) fn of(&mut self, id: i32) -> &mut ThreadTime {
        let begin_ns = self.begin_ns;
        self.known.of(id, || ThreadTime::new(id, begin_ns)).unwrap_or(&mut self.others)
    }

    /// All that are told apart, and the others where there are any.
    pub(super) fn all(&self) -> (&[ThreadTime], Option<&ThreadTime>) {
        (self.known.all(), (self.beyond > 0).then_some(&self.others))
    }

    /// All that are told apart.
    pub(super) fn all_mut(&mut self) -> &mut [ThreadTime] {
        self.known.all_mut()
    }

    /// The time over time of all.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.known.all_mut().iter_mut().chain([&mut self.others]).map(|thread| &mut thread.row)
    }
}
