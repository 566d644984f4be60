// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of one response, as data; the report adds words.
use super::{Division, Share, Shares, Thread};
use serde::{Deserialize, Serialize};

/// The causes of one response, or why they are unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", from = "StoredBlame")]
pub enum Blame {
    /// Each nanosecond belongs to one share.
    Shares {
        /// The largest first; together they are the response, and what its wakers were late.
        shares: Shares,
        /// Late wakers before it.
        #[serde(default, skip_serializing_if = "Wakers::is_none")]
        wakers: Wakers,
    },
    /// Some stage of it was not seen in the kernel's trace.
    Unseen {
        /// Where its thread was meanwhile, if that explains the share.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved: Option<Moved>,
    },
    /// The trace contradicts its own clock readings.
    Unfitting,
    /// Modes in which its instructions ran.
    Modes(Division),
}

/// A blame as stored. An empty list of shares is read as unseen: [`Shares`] has at least one.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum StoredBlame {
    Shares {
        shares: Vec<Share>,
        #[serde(default)]
        wakers: Wakers,
    },
    Unseen {
        #[serde(default)]
        moved: Option<Moved>,
    },
    Unfitting,
    Modes(Division),
}

impl From<StoredBlame> for Blame {
    fn from(kept: StoredBlame) -> Self {
        match kept {
            StoredBlame::Shares { shares, wakers } => {
                Shares::of(shares).map_or(Self::Unseen { moved: None }, |shares| Self::Shares { shares, wakers })
            }
            StoredBlame::Unseen { moved } => Self::Unseen { moved },
            StoredBlame::Unfitting => Self::Unfitting,
            StoredBlame::Modes(division) => Self::Modes(division),
        }
    }
}

/// Wakers of the late thread that were late themselves; the shares include that time. `T` names a thread: by number when reading events,
/// by stored name when reading a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Wakers<T = Thread> {
    /// Its waker, then that one's waker, and so on.
    pub late: Vec<T>,
    /// Where that ended.
    #[serde(default)]
    pub end: WakersEnd<T>,
}

/// Where the following back of wakers ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WakersEnd<T = Thread> {
    /// At the first that was late.
    #[default]
    First,
    /// At this thread, the late one itself: they wake each other in a circle.
    Circle(T),
    /// At more than are followed.
    TooMany,
    /// At this waker, whose lateness was not recorded.
    Missing(T),
}

impl<T> Default for Wakers<T> {
    fn default() -> Self {
        Self { late: Vec::new(), end: WakersEnd::First }
    }
}

impl<T> Wakers<T> {
    /// The same with other names of the threads.
    pub fn map<U>(&self, named: impl Fn(&T) -> U) -> Wakers<U> {
        let end = match &self.end {
            WakersEnd::First => WakersEnd::First,
            WakersEnd::Circle(thread) => WakersEnd::Circle(named(thread)),
            WakersEnd::TooMany => WakersEnd::TooMany,
            WakersEnd::Missing(thread) => WakersEnd::Missing(named(thread)),
        };
        Wakers { late: self.late.iter().map(named).collect(), end }
    }
}

impl<T: PartialEq> Wakers<T> {
    /// Nobody was late before.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A thread that had been moved away from the processor that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The processor that is recorded.
    pub from: u32,
    /// Where it was.
    pub to: u32,
}

/// Why time of a response was used. The stored names are those of `docs/reference/causes.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Interrupts, softirqs, and threads of no lower priority.
    Interference,
    /// A thread of lower priority that could not be preempted.
    Blocking,
    /// A thread of lower priority, or the idle thread, that the scheduler preferred: real-time throttling, or the fair
    /// server.
    Throttling,
    /// Another ordinary thread, or the idle thread, while an ordinary thread was ready: among these no priority decides, so
    /// neither masking nor throttling of real-time threads follows from it.
    FairShare,
    /// The holder of the lock that the thread waited for, running or waiting.
    LockHeld,
    /// A third thread, below the one that waited for a lock, while the lock's holder could not go on: priority inversion.
    Inversion,
    /// The thread was not yet back from an earlier release.
    Backlog,
    /// The thread's own run time while it caught up after a response that was late for another reason. The culprit gives that response's
    /// length.
    CatchUp,
    /// The thread had not set its timer yet, or had left again before its response: a signal stopped it, or it waited for something else.
    NotWaiting,
    /// A signal had stopped the thread. The culprit sent it, if recorded.
    Stopped,
    /// The thread ran on from an earlier release, and got many signals meanwhile. The culprit sent them.
    Signals,
    /// The thread had used up its CPU time. The culprit names the limit.
    Quota,
    /// The thread's control group was frozen. The culprit froze it, if recorded.
    Frozen,
    /// A page was missing: from the page fault to the thread's next event, at most as long as a fault without waiting takes, and while it
    /// waited for the page.
    PageFault,
    /// Unknown which was longer: a slow page fault, or the thread's own work after it. The kernel has no event for the fault's
    /// end.
    AfterFault,
    /// The kernel was allowed to let the thread's timer expire that much later.
    TimerSlack,
    /// The thread was ready and moved between CPUs; the events do not show where it waited.
    Moved,
    /// The CPU was idle until the interrupt came: idle-state exit, or a late hypervisor.
    IdleExit,
    /// The kernel's own way from the interrupt to the thread.
    Dispatch,
    /// The interrupt did not come although a thread ran: it had interrupts disabled, or the hypervisor or firmware delayed it. The
    /// culprit says what is missing to tell which.
    Late,
    /// The interrupt did not come because a kernel function had interrupts disabled, as its stack shows. The culprit names it.
    Masked,
    /// The interrupt did not come although interrupts were enabled, as its stack shows: the hypervisor or firmware paused the CPU.
    Below,
    /// A CPU went offline or came back, and all others stopped for it. The culprit says which.
    Hotplug,
    /// The kernel's own path, or the thread's own work, while the CPU ran far below its highest frequency. The culprit says how slow.
    Frequency,
    /// The same while the machine was being cooled.
    Cooling,
    /// The thread's own work, if the response ends with it and not with its first instruction.
    OwnRun,
    /// Planned delay: the release was scheduled later than the instant the response counts from.
    Jitter,
    /// The events do not tell.
    Unexplained,
    /// Causes beyond those listed separately.
    Others,
}

// Add a new cause before the last one, and to this list.
const _: () = assert!(Cause::ALL.len() == Cause::Others as usize + 1);

impl Cause {
    /// All of them.
    pub const ALL: [Self; 29] = [
        Self::Interference,
        Self::Blocking,
        Self::Throttling,
        Self::FairShare,
        Self::LockHeld,
        Self::Inversion,
        Self::Backlog,
        Self::CatchUp,
        Self::NotWaiting,
        Self::Stopped,
        Self::Signals,
        Self::Quota,
        Self::Frozen,
        Self::PageFault,
        Self::AfterFault,
        Self::TimerSlack,
        Self::Moved,
        Self::IdleExit,
        Self::Dispatch,
        Self::Late,
        Self::Masked,
        Self::Below,
        Self::Hotplug,
        Self::Frequency,
        Self::Cooling,
        Self::OwnRun,
        Self::Jitter,
        Self::Unexplained,
        Self::Others,
    ];

    /// Whether the interrupt was delayed while a thread ran, perhaps by another cause: [`Cause::Late`], or its refinements by the kernel
    /// stack.
    pub fn is_of_held_back_interrupt(self) -> bool {
        matches!(self, Self::Late | Self::Masked | Self::Below)
    }

    /// Whether a culprit may be named, other than the kernel's own path.
    pub fn has_culprit(self) -> bool {
        !matches!(
            self,
            Self::PageFault
                | Self::AfterFault
                | Self::TimerSlack
                | Self::Moved
                | Self::IdleExit
                | Self::Dispatch
                | Self::OwnRun
                | Self::Jitter
                | Self::Unexplained
                | Self::Others
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blame_of_no_shares_is_read_as_a_response_that_was_not_seen() {
        let read = |text: &str| serde_json::from_str::<Blame>(text).unwrap();
        assert_eq!(read(r#"{"kind":"shares","shares":[]}"#), Blame::Unseen { moved: None });
        let one = r#"{"kind":"shares","shares":[{"cause":"dispatch","ns":5}]}"#;
        let shares = Shares::of([Share { cause: Cause::Dispatch, culprit: None, ns: 5 }]).unwrap();
        let blame = Blame::Shares { shares, wakers: Wakers::default() };
        assert_eq!((read(one), serde_json::to_string(&blame).unwrap().as_str()), (blame, one));
        assert_eq!(Shares::of([]), None);
    }
}
