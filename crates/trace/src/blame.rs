// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said of one response: its latency, divided among those who used the time.
//!
//! Every nanosecond from the stimulus to the response belongs to exactly one share, so
//! the shares sum to the latency; what the events do not explain is a share too.
use super::behind::Untold;
use super::event::Thread;
use super::function::Function;
use super::processor::Holder;
use super::raise::Raise;

/// Why a part of the window was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The thread had not set its timer yet, or had left again before its response: a signal stopped it, or it waited for
    /// something else.
    NotWaiting,
    /// A page of the thread's was not there: from the page fault to the thread's next event, for as long as one takes that
    /// waits for nothing, and while it waited for the page.
    PageFault,
    /// What is longer: a page fault that takes long, or the thread's own work behind it. The kernel tells no end of one.
    AfterFault,
    /// The processor was idle until the interrupt came: it had to leave an idle state, or the machine below was late.
    IdleExit,
    /// The kernel's own way from the interrupt to the thread.
    Dispatch,
    /// The interrupt did not come although a thread ran: it masked interrupts, or the machine below the kernel was late. The
    /// stack in the interrupt does not tell which, and the culprit says what is missing.
    Late,
    /// The interrupt did not come because a function of the kernel's had masked interrupts, as the stack in it shows.
    Masked {
        /// Which.
        function: Function,
        /// What had called it, where the stack goes on.
        caller: Option<Function>,
    },
    /// The interrupt did not come although interrupts were let in, as the stack in it shows: the machine below the kernel stood
    /// still.
    Below,
    /// The thread's own work, where a response ends with that and not with its first instruction.
    OwnRun,
    /// The response was not to begin yet: a release that its plan puts later than the instant from which it counts.
    Jitter,
    /// The events do not tell.
    Unexplained,
}

impl Cause {
    /// Whether the interrupt was held back while somebody ran, who need not have done it: [`Cause::Late`], or what the kernel's
    /// stack makes of that.
    pub fn is_of_held_back_interrupt(self) -> bool {
        matches!(self, Self::Late | Self::Masked { .. } | Self::Below)
    }

    /// Whether somebody other than the kernel's own path to the thread is to be named.
    pub(super) fn has_culprit(self) -> bool {
        !matches!(
            self,
            Self::Backlog
                | Self::NotWaiting
                | Self::PageFault
                | Self::AfterFault
                | Self::IdleExit
                | Self::Dispatch
                | Self::OwnRun
                | Self::Jitter
                | Self::Unexplained
        )
    }
}

/// Who used a part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Culprit {
    /// Who held the processor.
    pub holder: Holder,
    /// What else is to be said of it.
    pub more: More,
}

/// What else is to be said of who held the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum More {
    /// Nothing.
    Nothing,
    /// A softirq ran on this thread's time.
    OnTimeOf(Thread),
    /// A thread that ran above its own priority.
    Raised(Raise),
    /// This thread held the lock that the late one waited for.
    WhileHeldBy(Thread),
    /// A probe or load of another run of this tool.
    OtherRun,
    /// Why nobody can tell what this thread has to do with a late interrupt.
    Untold(Untold),
    /// An interrupt in which so many timers' functions and more were run, as a round number.
    Timers(u32),
    /// An interrupt, longer by far than its own 99 % quantile, in nanoseconds, in a virtual machine.
    FarAbove(u64),
}

impl From<Holder> for Culprit {
    fn from(holder: Holder) -> Self {
        Self { holder, more: More::Nothing }
    }
}

/// The part of a window that one cause and one culprit used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// Who, where the cause has one.
    pub culprit: Option<Culprit>,
    /// How long, without what stood above it.
    pub ns: u64,
    /// The longest of its stretches.
    pub longest_ns: u64,
}

/// Where the following back of wakers ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WakersEnd {
    /// At the first that was late.
    #[default]
    First,
    /// At this thread, which is the late one itself: they make each other ready.
    Circle(Thread),
    /// At more than are followed.
    TooMany,
    /// At this waker, of which the events do not tell how late it came.
    Missing(Thread),
}

/// The wakers of the late thread that were late themselves; that time is in the shares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wakers {
    /// Who made it ready, then who had made that one ready, and so on.
    pub late: Vec<Thread>,
    /// Where that ended.
    pub end: WakersEnd,
}

/// A window divided, and the time before it that wakers were late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// The largest first; together they are the window, and the lateness of the wakers.
    pub shares: Vec<Share>,
    /// Who was late before the window.
    pub wakers: Wakers,
}

impl Blame {
    /// What the shares sum to.
    pub fn total(&self) -> u64 {
        self.shares.iter().fold(0, |sum, share| sum.saturating_add(share.ns))
    }

    /// Of these shares, without wakers.
    pub(super) fn of(shares: Vec<Share>) -> Self {
        Self { shares, wakers: Wakers::default() }
    }

    /// Adds the shares of another part of the window.
    pub(super) fn join(&mut self, other: Blame) {
        for share in other.shares {
            match self.shares.iter_mut().find(|known| (known.cause, known.culprit) == (share.cause, share.culprit)) {
                Some(known) => {
                    known.ns += share.ns;
                    known.longest_ns = known.longest_ns.max(share.longest_ns);
                }
                None => self.shares.push(share),
            }
        }
        self.sort();
    }

    /// The largest first.
    pub(super) fn sort(&mut self) {
        self.shares.sort_by_key(|share| std::cmp::Reverse(share.ns));
    }

    /// Adds to the share of that cause and culprit; nothing makes no share.
    pub(super) fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
        match self.shares.iter_mut().find(|share| (share.cause, share.culprit) == (cause, culprit)) {
            Some(share) => {
                share.ns += ns;
                share.longest_ns = share.longest_ns.max(ns);
            }
            None if ns > 0 => self.shares.push(Share { cause, culprit, ns, longest_ns: ns }),
            None => {}
        }
    }
}
