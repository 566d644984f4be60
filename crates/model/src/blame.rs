// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of one response, as data. The report turns them into words.
use super::{Division, Share, Shares, Thread};
use serde::{Deserialize, Serialize};

/// The causes of one response, or why they are unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", from = "StoredBlame")]
pub enum Blame {
    /// The shares do not overlap: each nanosecond belongs to exactly one.
    Shares {
        /// Largest share first. The shares sum to the response plus the lateness of its wakers.
        shares: Shares,
        /// Wakers that were late themselves.
        #[serde(default, skip_serializing_if = "Wakers::is_none")]
        wakers: Wakers,
    },
    /// The kernel's trace lacks some stage of this response.
    Unseen {
        /// The CPU to which the thread had been moved, if that explains why the stage is missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved: Option<Moved>,
    },
    /// The trace contradicts the thread's own clock readings.
    Unfitting,
    /// The response's instructions by CPU mode.
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

/// Wakers of the late thread that were late themselves; the shares include the time by which they were late. `T` identifies a
/// thread: a number in events, the stored name in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Wakers<T = Thread> {
    /// The waker of the late thread, then the waker of that thread, and so on.
    pub late: Vec<T>,
    /// Why the list ends here.
    #[serde(default)]
    pub end: WakersEnd<T>,
}

/// Why backwall stopped following the chain of wakers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WakersEnd<T = Thread> {
    /// The lateness began with the last listed waker: the thread that woke it was on time.
    #[default]
    First,
    /// The next waker is the late thread itself: the threads wake each other in a circle.
    Circle(T),
    /// The chain is longer than backwall follows.
    TooMany,
    /// The recording does not show how late this waker was.
    Missing(T),
}

impl<T> Default for Wakers<T> {
    fn default() -> Self {
        Self { late: Vec::new(), end: WakersEnd::First }
    }
}

impl<T> Wakers<T> {
    /// The same wakers with their threads renamed.
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
    /// Whether no waker was late.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A thread that ran on another CPU than the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The recorded CPU.
    pub from: u32,
    /// The CPU on which the thread was.
    pub to: u32,
}

/// Why a part of a response took time. The stored names are those of `docs/reference/causes.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Interrupts, softirqs, and threads of no lower priority.
    Interference,
    /// A thread of lower priority in kernel code that cannot be preempted.
    Blocking,
    /// The scheduler ran a thread of lower priority, or the idle thread: real-time throttling, or the fair server.
    Throttling,
    /// The late thread is ordinary, and another ordinary thread or the idle thread ran. Ordinary threads share the CPU whatever
    /// their priorities, so this proves neither disabled preemption nor throttling.
    FairShare,
    /// The holder of the lock that the thread waited for, running or waiting.
    LockHeld,
    /// Priority inversion: a third thread of lower priority than the lock's waiter ran, so that the lock's holder could not.
    Inversion,
    /// The thread was still working on an earlier release.
    Backlog,
    /// The thread's own run time while it caught up after a response that was late for another reason. The culprit stores the
    /// length of that response.
    CatchUp,
    /// The thread was not waiting for its timer: the thread had not set the timer yet, a signal had stopped the thread, or the
    /// thread waited for something else.
    NotWaiting,
    /// A signal had stopped the thread. The culprit sent it, if recorded.
    Stopped,
    /// The thread was still working on an earlier release and received many signals. The culprit sent them.
    Signals,
    /// The thread had used up its CPU time. The culprit names the limit.
    Quota,
    /// The thread's control group was frozen. The culprit froze it, if recorded.
    Frozen,
    /// The page fault itself, and the wait for the missing page. A fault counts until the thread's next event, but no longer
    /// than a fault without a wait takes.
    PageFault,
    /// A slow page fault, or the thread's own work after it: the kernel has no event for the end of a fault, so backwall cannot
    /// tell which took longer.
    AfterFault,
    /// The thread's timer slack, by which the kernel may delay its timer.
    TimerSlack,
    /// The thread was ready and moved between CPUs; the events do not show where it waited.
    Moved,
    /// The CPU was idle until the interrupt came: C-state exit, or a hypervisor that delayed the interrupt.
    IdleExit,
    /// The kernel's own path from the interrupt to the thread.
    Dispatch,
    /// The interrupt came late while a thread ran: the thread had interrupts disabled, or the hypervisor or firmware delayed the
    /// interrupt. The culprit says what the recording lacks to tell these apart.
    Late,
    /// The interrupt came late because a kernel function had interrupts disabled, as the stack in the interrupt shows. The
    /// culprit names the function.
    Masked,
    /// The interrupt came late although interrupts were enabled, as the stack in the interrupt shows: the hypervisor or firmware
    /// paused the CPU.
    Below,
    /// A CPU went offline or came back online, and all others stopped for it. The culprit names that CPU.
    Hotplug,
    /// The kernel's own path or the thread's own work took longer, because the CPU ran far below its highest frequency. The
    /// culprit stores the frequency.
    Frequency,
    /// Like [`Cause::Frequency`], but the kernel had lowered the frequency to cool the machine.
    Cooling,
    /// The thread's own run time, for a response that lasts until the work is done.
    OwnRun,
    /// Planned delay: the release was scheduled later than the instant the response counts from.
    Jitter,
    /// The recorded events do not show the cause.
    Unexplained,
    /// All causes without a row of their own.
    Others,
}

// Add a new cause before `Others`, and to `ALL`.
const _: () = assert!(Cause::ALL.len() == Cause::Others as usize + 1);

impl Cause {
    /// All causes.
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

    /// Whether an interrupt came late while a thread ran: [`Cause::Late`], or [`Cause::Masked`] and [`Cause::Below`], which the
    /// kernel stack tells apart.
    pub fn is_of_held_back_interrupt(self) -> bool {
        matches!(self, Self::Late | Self::Masked | Self::Below)
    }

    /// Whether a share of this cause may name a culprit. The kernel's own path has none.
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
