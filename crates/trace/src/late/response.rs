// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is asked of a recording's responses, and the fate of each.
use super::whose::Whose;
use crate::blame::Blame;
use crate::event::Thread;

/// Whose responses, and what is late.
#[derive(Clone, Debug)]
pub struct Question {
    /// A response that takes longer is late.
    pub above_ns: u64,
    /// Which threads.
    pub whose: Whose,
    /// Whether the stamps are those of the clock by which timers are set.
    pub timers: bool,
    /// Whether the events carry the mark that asks for the scheduler.
    pub marks: bool,
    /// Whether a response is looked at to the thread's next sleep, and not only until a processor comes to it.
    pub to_end: bool,
}

/// A late response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The thread.
    pub thread: Thread,
    /// The processor that came to it.
    pub cpu: u32,
    /// When it began, by the recording's clock.
    pub at_ns: u64,
    /// From then to the switch to the thread, or to its end.
    pub latency_ns: u64,
    /// Whether it began with the expiry of the thread's own timer.
    pub timed: bool,
    /// Whether it began with the thread's wait for a lock.
    pub locked: bool,
    /// Who used its time; the shares sum to it.
    pub blame: Blame,
}

/// What became of a response, for who wants to hear of each.
#[derive(Clone, Debug)]
pub enum ResponseFate {
    /// A processor came to the thread.
    Came {
        /// The response.
        response: Late,
        /// When it was made ready.
        ready_at: u64,
        /// No switch to it was recorded.
        inferred: bool,
        /// Who left the processor for it without a record, so that it came at its next event at the latest.
        behind: Option<Thread>,
    },
    /// The response was not seen to its end.
    Unseen {
        /// The thread.
        thread: i32,
    },
}

/// A thread that was ready at the end of the recording, and no processor had come to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillReady {
    /// The thread; only a number where no switch named it.
    pub thread: Thread,
    /// When it was made ready, by the recording's clock.
    pub since_ns: u64,
}
