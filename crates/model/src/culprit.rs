// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who used a part of a response.
use super::Priority;
use serde::{Deserialize, Serialize};

/// Who used a part of a response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Culprit {
    /// Who held the processor.
    pub holder: Holder,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<HolderDetail>,
}

/// Who held a processor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The events do not tell.
    Unknown,
    /// Nobody.
    Idle,
    /// A thread.
    Thread(Thread),
    /// An interrupt, by the name of its line or vector.
    Interrupt(String),
    /// A softirq, by its number.
    Softirq(u8),
}

/// A thread, as far as it is told from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// Its name; absent where no event named it. With `series` that of a series of tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its number; absent where all threads of one name are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
    /// Its priority; absent where no event told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Any thread of that series of tasks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub series: bool,
}

/// What else is known of who held a processor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HolderDetail {
    /// A softirq ran on this thread's time.
    OnTimeOf(Thread),
    /// A thread ran above its own priority, which it had inherited through a lock.
    Inherited {
        /// What it ran at.
        to: Option<Priority>,
        /// Who waited for the lock, where that was seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lender: Option<Thread>,
    },
    /// A thread ran above its own priority: at this one, or from whom is not recorded.
    Raised(Option<Priority>),
    /// This thread held the lock that the late one waited for.
    WhileHeldBy(Thread),
    /// Until this thread let the late one go on.
    Until {
        /// Which.
        thread: Thread,
        /// The control group that was frozen, where it was that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// A probe or load of another run of this tool.
    OtherRun,
    /// Why nobody can tell what it has to do with a late interrupt.
    Untold(Untold),
    /// This function of the kernel kept interrupts out, no matter who ran.
    Masking {
        /// Which.
        function: String,
        /// What had called it, where the stack goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
    },
    /// A thread of the kernel's, at work on what was queued for it: this function of the kernel's did that.
    At(String),
    /// So many timers' functions and more were run in the interrupt, as a round number.
    Timers(u32),
    /// Timers' functions were run in the interrupt, and most of its time went to one of them.
    TimersOf {
        /// So many and more, as a round number.
        at_least: u32,
        /// That function of the kernel's.
        function: String,
    },
    /// It ran at so many MHz, in whole hundreds.
    Slowed {
        /// So many.
        mhz: u32,
        /// The highest that was seen of that processor.
        of_mhz: u32,
        /// More was not allowed.
        limited: bool,
    },
    /// It ran because this processor was taken off line, or came back.
    Plugged {
        /// Which.
        cpu: u32,
        /// It was taken off line.
        down: bool,
    },
    /// It sent the late thread so many signals and more, as a round number.
    Signals(u32),
    /// The late thread had used up its time.
    UsedUp {
        /// By which limit.
        limit: Limit,
        /// The control group that has the limit, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// It caught up after a response of so many nanoseconds that was late for another reason.
    After(u64),
    /// The interrupt was longer by far than its own 99 % quantile, in nanoseconds, in a virtual machine.
    FarAbove(u64),
}

/// A limit of the time that a thread may have of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Of ordinary threads: the quota of their control group (`cpu.max`).
    Quota,
    /// Of real-time threads: what their control group, or all of them, may have (`cpu.rt_runtime_us`, `kernel.sched_rt_runtime_us`).
    RealTimeShare,
    /// Of a thread of SCHED_DEADLINE: its own runtime.
    Budget,
}

/// What is missing to tell why an interrupt was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untold<F = String> {
    /// No stack was recorded in it.
    NoStack,
    /// The names of the kernel's functions are not there: its addresses are hidden.
    Hidden,
    /// The stack ends before the place at which the interrupt entered the kernel.
    Cut,
    /// A function that matters has no name: its module is gone, or came later.
    Unnamed,
    /// This function keeps interrupts out for moments only, in which the machine below may have stood still: how much time
    /// was stolen is not recorded.
    Moment(F),
    /// This kernel's functions let interrupts in by an instruction of their own, and whether this one did just then is not known.
    Itself(F),
    /// It came no later than interrupts do that nobody holds back.
    Delivery,
}

impl<F> Untold<F> {
    /// The same with other names of the functions.
    pub fn map<G>(self, named: impl FnOnce(F) -> G) -> Untold<G> {
        match self {
            Self::NoStack => Untold::NoStack,
            Self::Hidden => Untold::Hidden,
            Self::Cut => Untold::Cut,
            Self::Unnamed => Untold::Unnamed,
            Self::Moment(function) => Untold::Moment(named(function)),
            Self::Itself(function) => Untold::Itself(named(function)),
            Self::Delivery => Untold::Delivery,
        }
    }
}
