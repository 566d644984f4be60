// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a recording by their numbers.
use super::thread_time::ThreadTime;
use crate::trace::by_number::ByNumber;

/// Threads that are told apart; more are one, and that is said.
const THREADS_MAX: usize = 1 << 16;
/// No thread has this number.
const OTHERS: i32 = -1;

/// Every thread that an event named.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    begin_ns: u64,
    known: ByNumber<ThreadTime>,
    /// All beyond those.
    others: ThreadTime,
}

impl Threads {
    pub(super) fn new(begin_ns: u64) -> Self {
        Self { begin_ns, known: ByNumber::new(THREADS_MAX), others: ThreadTime::new(OTHERS, begin_ns) }
    }

    /// The thread of that number.
    #[inline]
    pub(super) fn of(&mut self, id: i32) -> &mut ThreadTime {
        let begin_ns = self.begin_ns;
        self.known.of(id, || ThreadTime::new(id, begin_ns)).unwrap_or(&mut self.others)
    }

    /// All that are told apart, and whether some are not.
    pub(super) fn all(&self) -> (&[ThreadTime], bool) {
        (self.known.all(), self.known.is_full())
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ThreadTime> {
        self.known.all_mut().iter_mut().chain([&mut self.others])
    }
}
