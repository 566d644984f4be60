// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who used the time of one response, as data: words are made where it is drawn.
use super::{Division, Share, Shares, Thread};
use serde::{Deserialize, Serialize};

/// Who used the time of one response, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", from = "StoredBlame")]
pub enum Blame {
    /// Each nanosecond belongs to one share.
    Shares {
        /// The largest first; together they are the response, and what its wakers were late.
        shares: Shares,
        /// Who was late before it.
        #[serde(default, skip_serializing_if = "Wakers::is_none")]
        wakers: Wakers,
    },
    /// Some stage of it was not seen in the kernel's trace.
    Unseen {
        /// Where its thread was instead, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved: Option<Moved>,
    },
    /// What the trace has of it does not fit its own readings of the clock.
    Unfitting,
    /// Where its instructions were executed.
    Modes(Division),
}

/// A blame as a file holds it. A list of shares that is empty is read as unseen: [`Shares`] has at least one.
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

/// The wakers of the late thread that were late themselves; that time is in the shares. What names a thread is `T`: who reads
/// events has its number, who reads a run what that keeps of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Wakers<T = Thread> {
    /// Who made it ready, then who had made that one ready, and so on.
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
    /// At this thread, which is the late one itself: they make each other ready.
    Circle(T),
    /// At more than are followed.
    TooMany,
    /// At this waker, of which the events do not tell how late it came.
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

/// Why a part of a response was used. The names in the file are those that `docs/reference/causes.md` explains, a row each.
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
    /// Who held the lock that the thread waited for, at work or waiting itself.
    LockHeld,
    /// A third thread, below the one that waited for a lock, while the lock's holder could not go on: priority inversion.
    Inversion,
    /// The thread was not yet back from an earlier release.
    Backlog,
    /// The thread's own run time while it caught up after a response that was late for another reason. The culprit says after how
    /// long a one.
    CatchUp,
    /// The thread had not set its timer yet, or had left again before its response: a signal stopped it, or it waited for
    /// something else.
    NotWaiting,
    /// A signal had stopped the thread. The culprit sent it, where that was recorded.
    Stopped,
    /// The thread ran on from an earlier release, and was sent many signals meanwhile. The culprit sent them.
    Signals,
    /// The thread had used up the time that it may have. The culprit says by which limit.
    Quota,
    /// The control group of the thread was frozen. The culprit froze it, where that was recorded.
    Frozen,
    /// A page of the thread's was not there: from the page fault to the thread's next event, for as long as one takes that
    /// waits for nothing, and while it waited for the page.
    PageFault,
    /// What is longer: a page fault that takes long, or the thread's own work behind it. The kernel tells no end of one.
    AfterFault,
    /// The kernel was allowed to let the thread's timer expire that much later.
    TimerSlack,
    /// The thread was ready and was moved between processors, and the events do not tell where it waited.
    Moved,
    /// The processor was idle until the interrupt came: it had to leave an idle state, or the machine below was late.
    IdleExit,
    /// The kernel's own way from the interrupt to the thread.
    Dispatch,
    /// The interrupt did not come although a thread ran: it masked interrupts, or the machine below the kernel was late. The
    /// stack in the interrupt does not tell which, and the culprit says what is missing.
    Late,
    /// The interrupt did not come because a function of the kernel's had masked interrupts, as the stack in it shows. The
    /// culprit says which.
    Masked,
    /// The interrupt did not come although interrupts were let in, as the stack in it shows: the machine below the kernel stood
    /// still.
    Below,
    /// A processor was taken off line or came back, and all the others stood still for it. The culprit says which.
    Hotplug,
    /// The kernel's own way, or the thread's own work, while the processor ran far below its highest frequency. The culprit says how slow.
    Frequency,
    /// The same while the machine was being cooled.
    Cooling,
    /// The thread's own work, where a response ends with that and not with its first instruction.
    OwnRun,
    /// The response was not to begin yet: a release that its plan puts later than the instant from which it counts.
    Jitter,
    /// The events do not tell.
    Unexplained,
    /// More causes than are told apart.
    Others,
}

// A new cause stands before the last one, and in this list.
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

    /// Whether the interrupt was held back while somebody ran, who need not have done it: [`Cause::Late`], or what the kernel's
    /// stack makes of that.
    pub fn is_of_held_back_interrupt(self) -> bool {
        matches!(self, Self::Late | Self::Masked | Self::Below)
    }

    /// Whether somebody other than the kernel's own path to the thread is to be named.
    pub fn has_culprit(self) -> bool {
        !matches!(
            self,
            Self::Backlog
                | Self::PageFault
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
