// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blame of one response: its latency, divided among those who used the time.
//!
//! Every nanosecond from the stimulus to the response belongs to exactly one share, so
//! the shares sum to the latency; what the events do not explain is a share too.
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

/// Who used a part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Culprit {
    /// Who held the processor.
    pub holder: Holder,
    /// Further details.
    pub more: More,
}

/// Further facts about the CPU's holder.
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
    /// Until this thread resumed the late one.
    Until {
        /// The thread.
        thread: Thread,
        /// The frozen group, if that was the reason.
        group: Option<Group>,
    },
    /// A probe or load of another run of this tool.
    OtherRun,
    /// Why this thread's part in a late interrupt is unknown.
    Untold(Untold),
    /// This kernel function had interrupts disabled, whatever thread ran.
    Masking {
        /// The function.
        function: Function,
        /// The caller, if the stack continues.
        caller: Option<Function>,
    },
    /// A kernel thread, at work on what was queued for it: this function did that.
    At(Function),
    /// An interrupt that ran timer functions.
    Timers {
        /// At least this many, as a round number.
        at_least: u32,
        /// Its main function, if known.
        function: Option<Function>,
    },
    /// It ran so slowly.
    Slowed(Slowed),
    /// It ran because a CPU went offline or came back.
    Plugged(Plugged),
    /// It sent the late thread at least this many signals (rounded).
    Signals(u32),
    /// The late thread had used up its time.
    UsedUp {
        /// By which limit.
        limit: Limit,
        /// The control group with the limit, if known.
        group: Option<Group>,
    },
    /// The thread caught up: after a response of this many nanoseconds that was late for another reason, or after it had itself run that long.
    After(u64),
    /// An interrupt, longer by far than its own 99 % quantile, in nanoseconds, in a virtual machine.
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

/// The part of a window that one cause and one culprit used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Why.
    pub cause: Cause,
    /// The culprit, if the cause has one.
    pub culprit: Option<Culprit>,
    /// How long, without what ran above it.
    pub ns: u64,
    /// The longest of its stretches.
    pub longest_ns: u64,
}

/// As in a run, with threads by number.
pub type Wakers = backwall_model::Wakers<Thread>;
/// Likewise.
pub type WakersEnd = backwall_model::WakersEnd<Thread>;

/// A window divided, and the time before it that wakers were late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// The largest first; together they are the window, and the lateness of the wakers.
    pub shares: Vec<Share>,
    /// Late wakers before the window.
    pub wakers: Wakers,
    /// The parts outside earlier late responses of the thread; `None`: all. Time counts once in sums.
    pub fresh: Option<Vec<Share>>,
}

impl Blame {
    /// What the shares sum to.
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

    /// Its shares, without time already in an earlier late response of the thread.
    pub(crate) fn fresh(&self) -> &[Share] {
        self.fresh.as_ref().unwrap_or(&self.shares)
    }

    /// The largest first.
    pub(crate) fn sort(&mut self) {
        if !self.shares.is_sorted_by_key(|share| Reverse(share.ns)) {
            self.shares = sorted(&self.shares);
        }
    }

    /// Adds to the share of this cause and culprit; 0 adds no share.
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

/// The shares sorted largest first, by key because shares are large; equal ones keep their order.
pub(crate) fn sorted(shares: &[Share]) -> Vec<Share> {
    let key = |(place, share): (usize, &Share)| (u128::from(!share.ns) << u32::BITS) | place as u128;
    let mut order: Vec<u128> = shares.iter().enumerate().map(key).collect();
    order.sort_unstable();
    order.iter().map(|key| shares[*key as u32 as usize]).collect()
}
