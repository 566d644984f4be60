// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides the latency of one response among the threads and interrupts that used the time.
//!
//! Every nanosecond from the stimulus to the response belongs to exactly one share, so the shares sum to the latency. Time that
//! no event explains is a share too.
pub(crate) mod accuse;
pub mod behind;
pub mod causes;
pub(crate) mod division;
pub(crate) mod evidence;
pub(crate) mod explain;
pub(crate) mod summed;
pub(crate) mod told;
pub mod window;
pub mod worst;

use crate::blame::behind::Untold;
use crate::blame::division::Division;
use crate::event::function::Function;
use crate::event::{Group, Thread};
use crate::processor::Holder;
use crate::processor::changes::{Plugged, Slowed};
use crate::thread::raise::Raise;

pub use backwall_model::Cause;
use backwall_model::Limit;
use std::cmp::Reverse;

/// Who used a part of the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Culprit {
    /// Who had the CPU: a thread, an interrupt, a softirq, the idle thread, or unknown.
    pub holder: Holder,
    /// What else is known about this part.
    pub more: More,
}

/// A further fact about the holder of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum More {
    /// Nothing else is known.
    Nothing,
    /// The softirq ran on this thread's time.
    OnTimeOf(Thread),
    /// The thread ran above its own priority.
    Raised(Raise),
    /// The late thread waited for a lock that this thread held.
    WhileHeldBy(Thread),
    /// The late thread was held up until another thread resumed it.
    Until {
        /// The thread that resumed the late one.
        thread: Thread,
        /// The cgroup, if the late thread was held up because this cgroup was frozen.
        group: Option<Group>,
    },
    /// The thread is a probe or a load of another backwall run.
    OtherRun,
    /// What is missing to say why the interrupt came late.
    Untold(Untold),
    /// A kernel function had interrupts disabled; the thread on the CPU is not to blame.
    Masking {
        /// The function that disabled interrupts.
        function: Function,
        /// The function's caller, if the recorded stack reaches it.
        caller: Option<Function>,
    },
    /// The kernel thread ran this work function.
    At(Function),
    /// The interrupt or softirq ran timer functions.
    Timers {
        /// At least this many timer functions ran; rounded down to 1, 2 or 5 times a power of ten.
        at_least: u32,
        /// The timer function that took most of the time, if known.
        function: Option<Function>,
    },
    /// The CPU ran slower than usual. The value shows how, and by how much.
    Slowed(Slowed),
    /// The thread ran because a CPU went offline or came online.
    Plugged(Plugged),
    /// The thread sent the late one at least this many signals (rounded down).
    Signals(u32),
    /// The late thread had used up a limit on its CPU time.
    UsedUp {
        /// Which limit.
        limit: Limit,
        /// The cgroup with the limit, if known.
        group: Option<Group>,
    },
    /// The thread was still working on an earlier release. If the thread catches up on an earlier late response, the number is
    /// that response's latency. Otherwise it is the CPU time that the thread used from its last wakeup until it set its timer.
    /// Both are in nanoseconds.
    After(u64),
    /// In a virtual machine, the interrupt took far longer than its own 99th percentile, which is this many nanoseconds.
    FarAbove(u64),
}

impl Culprit {
    pub(crate) fn other_thread(&self) -> Option<i32> {
        match self.more {
            More::OnTimeOf(thread) | More::WhileHeldBy(thread) | More::Until { thread, .. } => Some(thread.id),
            _ => None,
        }
    }
}

impl From<Holder> for Culprit {
    fn from(holder: Holder) -> Self {
        Self { holder, more: More::Nothing }
    }
}

/// The part of a latency with one cause and one culprit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The cause of this part.
    pub cause: Cause,
    /// Who used this part, if the cause has a culprit.
    pub culprit: Option<Culprit>,
    /// Length of the share, without the time of what interrupted it.
    pub ns: u64,
    /// Longest uninterrupted stretch of the share.
    pub longest_ns: u64,
}

/// The late wakers of a response. Unlike in a stored run, each thread has its number.
pub type Wakers = backwall_model::Wakers<Thread>;
/// Where the chain of late wakers ends. Unlike in a stored run, the thread has its number.
pub type WakersEnd = backwall_model::WakersEnd<Thread>;

/// A divided latency, and the late wakers before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// The shares, largest first. They sum to the latency plus the lateness of the wakers.
    pub shares: Vec<Share>,
    /// The wakers that were late themselves before they woke the thread.
    pub wakers: Wakers,
    /// Like `shares`, but without the time that an earlier late response of the thread already contains, so that sums count that
    /// time once. `None` if there is no such time.
    pub fresh: Option<Vec<Share>>,
}

impl Blame {
    /// The sum of all shares.
    pub fn total(&self) -> u64 {
        self.shares.iter().fold(0, |sum, share| sum.saturating_add(share.ns))
    }

    pub(crate) fn of(shares: Vec<Share>) -> Self {
        Self { shares, ..Self::default() }
    }

    pub(crate) fn join(&mut self, other: Blame) {
        if let Some(fresh) = &mut self.fresh {
            let mut both = Blame::of(std::mem::take(fresh));
            both.join(Blame::of(other.fresh().to_vec()));
            *fresh = both.shares;
        }
        if self.shares.is_empty() {
            self.shares = other.shares;
        } else {
            let mut division = Division::of(std::mem::take(&mut self.shares));
            other.shares.into_iter().for_each(|share| division.add_share(share));
            self.shares = division.shares();
        }
        self.sort();
    }

    pub(crate) fn unexplained(ns: u64) -> Self {
        let mut blame = Self::default();
        blame.add(Cause::Unexplained, None, ns);
        blame
    }

    /// The shares, but without the time that an earlier late response of the thread already contains.
    pub(crate) fn fresh(&self) -> &[Share] {
        self.fresh.as_ref().unwrap_or(&self.shares)
    }

    /// Sorts the shares, largest first.
    pub(crate) fn sort(&mut self) {
        if !self.shares.is_sorted_by_key(|share| Reverse(share.ns)) {
            self.shares = sorted(&self.shares);
        }
    }

    /// Adds time to the share with this cause and culprit. Zero adds no share.
    pub(crate) fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
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

/// The shares, largest first; equal ones keep their order. Keys are sorted instead of the shares, which are large.
pub(crate) fn sorted(shares: &[Share]) -> Vec<Share> {
    let key = |(place, share): (usize, &Share)| (u128::from(!share.ns) << u32::BITS) | place as u128;
    let mut order: Vec<u128> = shares.iter().enumerate().map(key).collect();
    order.sort_unstable();
    order.iter().map(|key| shares[*key as u32 as usize]).collect()
}
