// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cause of a part of a response.
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

/// A thread, as far as backwall distinguishes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// Its name; absent if no event gave one. With `series`, the name of a task series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its number; absent if all threads of one name are combined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
    /// Its priority; absent if never recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Any thread of that series of tasks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub series: bool,
}

/// What else is known about the holder of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HolderDetail {
    /// A softirq ran on this thread's time.
    OnTimeOf(Thread),
    /// A thread ran above its own priority, inherited through a lock.
    Inherited {
        /// What it ran at.
        to: Option<Priority>,
        /// The waiter for the lock, if recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lender: Option<Thread>,
    },
    /// A thread ran above its own priority, at this one; who raised it is not recorded.
    Raised(Option<Priority>),
    /// This thread held the lock that the late one waited for.
    WhileHeldBy(Thread),
    /// Until this thread resumed the late one.
    Until {
        /// The thread.
        thread: Thread,
        /// The frozen control group, if it was that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// A probe or load of another run of this tool.
    OtherRun,
    /// Why its part in a late interrupt is unknown.
    Untold(Untold),
    /// This kernel function had interrupts disabled, whatever thread ran.
    Masking {
        /// The function.
        function: String,
        /// The caller, if the stack continues.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
    },
    /// A kernel thread, at work on what was queued for it: this kernel function did that.
    At(String),
    /// The interrupt ran at least this many timer functions (rounded).
    Timers(u32),
    /// The interrupt ran timer functions, mostly one of them.
    TimersOf {
        /// At least this many, as a round number.
        at_least: u32,
        /// That function of the kernel's.
        function: String,
    },
    /// It ran at this frequency in MHz, rounded to hundreds.
    Slowed {
        /// Its frequency.
        mhz: u32,
        /// The highest that was seen of that processor.
        of_mhz: u32,
        /// More was not allowed.
        limited: bool,
    },
    /// It ran because this CPU went offline or came back.
    Plugged {
        /// The CPU.
        cpu: u32,
        /// It went offline.
        down: bool,
    },
    /// It sent the late thread at least this many signals (rounded).
    Signals(u32),
    /// The late thread had used up its time.
    UsedUp {
        /// By which limit.
        limit: Limit,
        /// The control group with the limit, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// It caught up after a response of this many nanoseconds that was late for another reason; with `backlog`, after it had run that long.
    After(u64),
    /// The interrupt was longer by far than its own 99 % quantile, in nanoseconds, in a virtual machine.
    FarAbove(u64),
}

/// A limit of the time that a thread may have of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Quota of ordinary threads' control group (`cpu.max`).
    Quota,
    /// Share of real-time threads: of their control group, or of all (`cpu.rt_runtime_us`, `kernel.sched_rt_runtime_us`).
    RealTimeShare,
    /// A SCHED_DEADLINE thread's own runtime.
    Budget,
}

/// What is missing to explain a late interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untold<F = String> {
    /// No stack was recorded in it.
    NoStack,
    /// The names of the kernel's functions are not there: its addresses are hidden.
    Hidden,
    /// The stack ends before the interrupt's entry to the kernel.
    Cut,
    /// An important function has no name: its module was unloaded, or loaded later.
    Unnamed,
    /// This function disables interrupts only for moments, in which the hypervisor may have paused the CPU: stolen time is not recorded.
    Moment(F),
    /// This kernel's functions let interrupts in by an instruction of their own, and whether this one did just then is not known.
    Itself(F),
    /// It came no later than undelayed interrupts do.
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
