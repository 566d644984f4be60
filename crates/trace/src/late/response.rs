// SPDX-License-Identifier: MIT OR Apache-2.0
//! The questions about a recording's responses, and how each response ended.
use super::whose::Whose;
use crate::blame::Blame;
use crate::event::Thread;

/// Which threads' responses to examine, and above which duration a response is late.
#[derive(Clone, Debug)]
pub struct Question {
    /// A response that takes longer is late.
    pub above_ns: u64,
    /// Which threads.
    pub whose: Whose,
    /// Whether the recording uses the clock that timers are set by.
    pub timers: bool,
    /// Whether the events carry the mark for a pending reschedule.
    pub marks: bool,
    /// Whether a response lasts until the thread's next sleep. If not, it ends when the thread gets a CPU.
    pub to_end: bool,
}

/// A late response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The thread.
    pub thread: Thread,
    /// The CPU on which the thread ran.
    pub cpu: u32,
    /// Start of the response, by the recording's clock.
    pub at_ns: u64,
    /// Time from `at_ns` to the switch to the thread, or to the end of the response.
    pub latency_ns: u64,
    /// Whether the response began with the expiry of the thread's own timer.
    pub timed: bool,
    /// Whether the response began with the thread's wait for a lock.
    pub locked: bool,
    /// Who used that time; the shares sum to it.
    pub blame: Blame,
}

/// How a response ended, for listeners that want every response.
#[derive(Clone, Debug)]
pub enum ResponseFate {
    /// The thread got a CPU.
    Came {
        /// The response.
        response: Late,
        /// When the thread was made ready.
        ready_at: u64,
        /// No switch to the thread was recorded.
        inferred: bool,
        /// The thread that had the CPU before. The recording lacks the switch away from it, which came at the latest with the
        /// responding thread's next event.
        behind: Option<Thread>,
    },
    /// The response was not seen to its end.
    Unseen {
        /// The thread.
        thread: i32,
    },
}

/// A thread ready without a CPU at the end of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillReady {
    /// The thread; only a number if no switch named it.
    pub thread: Thread,
    /// When the thread was made ready, by the recording's clock.
    pub since_ns: u64,
}
