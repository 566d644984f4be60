// SPDX-License-Identifier: MIT OR Apache-2.0
//! The culprit of a part of a response.
use super::Priority;
use serde::{Deserialize, Serialize};

/// Who used a part of a response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Culprit {
    /// What held the CPU.
    pub holder: Holder,
    /// More about how the culprit delayed the response, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<HolderDetail>,
}

impl Culprit {
    /// Whether nothing held the CPU: it was idle.
    pub fn is_idle(&self) -> bool {
        self.holder == Holder::Idle
    }
}

/// What held a CPU.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The events do not show what held the CPU.
    Unknown,
    /// No thread: the CPU was idle.
    Idle,
    /// A thread.
    Thread(Thread),
    /// An interrupt, by the name of its line or vector.
    Interrupt(String),
    /// A softirq, by its number.
    Softirq(u8),
}

/// A thread, or several threads that backwall does not tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Thread {
    /// Thread name; absent if no event had it. With `series`, the name of a task series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Thread ID; absent if the entry stands for all threads of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i32>,
    /// The thread's priority; absent if never recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Whether the entry stands for all threads of a task series.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub series: bool,
}

/// More about how the culprit delayed the response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HolderDetail {
    /// A softirq that ran in the context of this thread.
    OnTimeOf(Thread),
    /// A thread that ran above its own priority, which it inherited through a lock.
    Inherited {
        /// The inherited priority.
        to: Option<Priority>,
        /// The waiter for the lock, if recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lender: Option<Thread>,
    },
    /// A thread that ran at this priority, which is above its own. The recording does not show what raised the priority.
    Raised(Option<Priority>),
    /// This thread held the lock that the late one waited for.
    WhileHeldBy(Thread),
    /// The late thread could not run until this thread resumed it.
    Until {
        /// The thread that resumed it.
        thread: Thread,
        /// The control group that had been frozen, if that stopped the late thread.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// A probe or load of another backwall run.
    OtherRun,
    /// Why the recording does not show whether the holder delayed an interrupt.
    Untold(Untold),
    /// A kernel function that had interrupts disabled, whatever thread ran.
    Masking {
        /// The function.
        function: String,
        /// The caller of that function, if the stack shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
    },
    /// A kernel thread that worked on a queued work item; this is the work item's function.
    At(String),
    /// An interrupt that ran at least this many timer functions (rounded).
    Timers(u32),
    /// An interrupt that ran timer functions, most of its time in one of them.
    TimersOf {
        /// At least this many timer functions, as a round number.
        at_least: u32,
        /// The timer function that took most of the time.
        function: String,
    },
    /// A CPU that ran at this frequency in MHz, rounded to hundreds.
    Slowed {
        /// The frequency in MHz.
        mhz: u32,
        /// The highest frequency that was seen on that CPU.
        of_mhz: u32,
        /// Whether the kernel allowed no higher frequency.
        limited: bool,
    },
    /// A thread that ran because this CPU went offline or came back online.
    Plugged {
        /// The CPU.
        cpu: u32,
        /// Whether the CPU went offline.
        down: bool,
    },
    /// A thread that sent at least this many signals (rounded) to the late thread.
    Signals(u32),
    /// The late thread itself, which had used up its CPU time.
    UsedUp {
        /// The limit that it reached.
        limit: Limit,
        /// The control group that has the limit, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
    },
    /// The late thread itself. With the cause `catch-up`: it was catching up after a response of this many nanoseconds. With
    /// `backlog`: it had run for this many nanoseconds.
    After(u64),
    /// An interrupt in a virtual machine that ran far longer than its own 99 % quantile, which is stored here in nanoseconds.
    FarAbove(u64),
}

/// A limit on a thread's CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// CPU quota of the control group of ordinary threads (`cpu.max`).
    Quota,
    /// Limit of real-time threads: of their control group (`cpu.rt_runtime_us`), or of all (`kernel.sched_rt_runtime_us`).
    RealTimeShare,
    /// Runtime of a SCHED_DEADLINE thread.
    Budget,
}

/// What the recording lacks to explain a late interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untold<F = String> {
    /// The recording has no kernel stack in the interrupt.
    NoStack,
    /// The kernel hides its function addresses (kernel.kptr_restrict), so functions have no names.
    Hidden,
    /// The stack ends before the kernel's interrupt entry.
    Cut,
    /// An important function has no name: its module was unloaded, or loaded after the names were read.
    Unnamed,
    /// This function disables interrupts only briefly. The hypervisor may have paused the CPU just then: the recording has no
    /// steal time.
    Moment(F),
    /// In this kernel, functions enable interrupts with an inline instruction. The stack does not show whether this function had
    /// already done so.
    Itself(F),
    /// The interrupt was not late: undelayed interrupts take as long.
    Delivery,
}

impl<F> Untold<F> {
    /// The same reason, with the function replaced by what `named` returns.
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
