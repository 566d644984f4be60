// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks, their neighbours on the CPU, and the costs of the system. All times in nanoseconds.
use super::arrival::Arrival;
use super::supply::Supply;

/// Urgency of a task among others on its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A fixed priority: the larger, the more urgent. Equal ones may wait for each other.
    Priority(u32),
    /// The earliest absolute deadline first; more urgent than any fixed priority, as Linux has it.
    Deadline,
}

impl Urgency {
    /// Whether this one never waits for the other, and the other may wait for it; equals may both.
    pub fn may_delay(self, other: Self) -> bool {
        match (self, other) {
            (Self::Priority(mine), Self::Priority(its)) => mine >= its,
            (mine, _) => mine == Self::Deadline,
        }
    }
}

/// Whether a job can be preempted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preemption {
    /// Everywhere.
    #[default]
    Full,
    /// Only between non-preemptive stretches: the longest one, and the one at its end.
    Stretches {
        /// Above 0.
        longest_ns: u64,
        /// From 1 to the longest; 1 without a non-preemptive end.
        last_ns: u64,
    },
    /// Nowhere.
    Never,
}

/// A lock held for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Place in the processor's list of locks.
    pub lock: usize,
    /// Longest time from lock to unlock, computing alone.
    pub length_ns: u64,
}

/// A lock's effect on its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Nothing: an inversion lasts as long as what is in between.
    Plain,
    /// The holder gets the waiter's urgency.
    Inheritance,
    /// The holder is as urgent as the most urgent that ever locks it (immediate ceiling, `PTHREAD_PRIO_PROTECT`, SRP).
    Ceiling,
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Its name.
    pub name: String,
    /// Its protocol.
    pub protocol: Protocol,
}

/// The kernel's budget for a job until the next period (SCHED_DEADLINE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Each period.
    pub runtime_ns: u64,
    /// Its length.
    pub period_ns: u64,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// When jobs come.
    pub arrival: Arrival,
    /// Longest computation of a job, above 0.
    pub computation_ns: u64,
    /// From the nominal instant, above 0.
    pub deadline_ns: u64,
    /// Fixed priority, or earliest deadline first.
    pub urgency: Urgency,
    /// Its first release, if known and fixed; absent: the worst instant.
    pub phase_ns: Option<u64>,
    /// Where other tasks may preempt it.
    pub preemption: Preemption,
    /// Its lock sections in sequence; nested ones are not modelled.
    pub sections: Vec<Section>,
    /// Whether a timer of this processor releases it; else an interrupt does.
    pub timed: bool,
    /// The SCHED_DEADLINE reservation, if not the computation per period.
    pub budget: Option<Budget>,
    /// The longest that less urgent work and the kernel kept it from the CPU in a recording; 0 without one.
    pub blocked_ns: u64,
}

impl Task {
    /// A strictly periodic, preemptible task without locks; its deadline is its period.
    pub fn new(name: &str, urgency: Urgency, computation_ns: u64, period_ns: u64) -> Self {
        Self {
            name: name.to_string(),
            arrival: Arrival::periodic(period_ns),
            computation_ns,
            deadline_ns: period_ns,
            urgency,
            phase_ns: None,
            preemption: Preemption::Full,
            sections: Vec::new(),
            timed: true,
            budget: None,
            blocked_ns: 0,
        }
    }

    /// Its longest non-preemptive stretch; 0 for none.
    pub fn longest_stretch_ns(&self) -> u64 {
        match self.preemption {
            Preemption::Full => 0,
            Preemption::Stretches { longest_ns, .. } => longest_ns.min(self.computation_ns),
            Preemption::Never => self.computation_ns,
        }
    }

    /// The stretch at its end that cannot be preempted; a last nanosecond never can.
    pub fn last_stretch_ns(&self) -> u64 {
        match self.preemption {
            Preemption::Full => 1,
            Preemption::Stretches { last_ns, .. } => last_ns.clamp(1, self.computation_ns),
            Preemption::Never => self.computation_ns,
        }
    }

    /// Whether this one never waits for the other's priority, and the other may wait for it; equals may both.
    pub fn may_delay(&self, other: &Task) -> bool {
        self.urgency.may_delay(other.urgency)
    }
}

/// An interrupt's routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    /// Its name.
    pub name: String,
    /// The longest, all it costs the interrupted thread.
    pub cost_ns: u64,
    /// How often.
    pub arrival: Arrival,
}

/// A thread of a recording that shares the CPU with the tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedThread {
    /// Its name.
    pub name: String,
    /// Its urgency.
    pub urgency: Urgency,
    /// When it came, and what it computed.
    pub arrival: Arrival,
}

/// The system's worst-case costs; 0 for none. Model of Burns and Wellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Switch to a job that starts or preempts.
    pub switch_in_ns: u64,
    /// Switch away from a job that ends.
    pub switch_out_ns: u64,
    /// The routine of an interrupt that releases a task, each time.
    pub interrupt_ns: u64,
    /// Each release of a task by a timer, whatever its priority.
    pub release_ns: u64,
    /// The clock's routine each tick.
    pub tick_ns: u64,
    /// Interval of ticks; 0 without ticks.
    pub tick_period_ns: u64,
    /// Longest non-preemptible stretch of the kernel.
    pub kernel_ns: u64,
    /// Longest time from a timer's expiry to the released thread, as a run measures it.
    pub wakeup_ns: u64,
}

/// A processor and all that runs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Processor {
    /// The tasks, in any order.
    pub tasks: Vec<Task>,
    /// The locks their sections name.
    pub locks: Vec<Lock>,
    /// Interrupts other than those that release tasks.
    pub interrupts: Vec<Interrupt>,
    /// Threads of a recording.
    pub recorded: Vec<RecordedThread>,
    /// What the system costs.
    pub costs: Costs,
    /// What it gives.
    pub supply: Supply,
}
