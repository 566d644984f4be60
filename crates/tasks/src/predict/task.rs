// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks, what they share the CPU with, and the costs of the system. All times are in nanoseconds.
use super::arrival::Arrival;
use super::supply::Supply;

/// Urgency of a task among others on its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A fixed priority; a larger number is more urgent. Tasks of equal priority may wait for each other.
    Priority(u32),
    /// The earliest absolute deadline first. As in Linux, it precedes any fixed priority.
    Deadline,
}

impl Urgency {
    /// Whether a task of this urgency can delay a task of the other: it is more urgent, or both are equal.
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
    /// Preemptible except in some stretches. The fields are the longest of them and the one at the job's end.
    Stretches {
        /// Length of the longest stretch, above 0.
        longest_ns: u64,
        /// Length of the stretch at the end, from 1 to the longest; 1 if the end is preemptible.
        last_ns: u64,
    },
    /// Nowhere.
    Never,
}

/// A section in which a job holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Index in the CPU's list of locks.
    pub lock: usize,
    /// Longest time from lock to unlock, without interruption.
    pub length_ns: u64,
}

/// How a lock prevents priority inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Not at all: an inversion lasts as long as the work of tasks with priorities in between.
    Plain,
    /// The holder inherits the urgency of the most urgent waiting task.
    Inheritance,
    /// The holder gets the urgency of the most urgent task that ever takes the lock (immediate ceiling, `PTHREAD_PRIO_PROTECT`,
    /// SRP).
    Ceiling,
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Name of the lock.
    pub name: String,
    /// The lock's protocol against priority inversion.
    pub protocol: Protocol,
}

/// The CPU time that the kernel grants a job until the next period (SCHED_DEADLINE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// CPU time per period.
    pub runtime_ns: u64,
    /// Length of the period.
    pub period_ns: u64,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the task.
    pub name: String,
    /// When the task's jobs arrive.
    pub arrival: Arrival,
    /// Longest computation time of a job, above 0.
    pub computation_ns: u64,
    /// Deadline, counted from the nominal release, above 0.
    pub deadline_ns: u64,
    /// Fixed priority, or earliest deadline first.
    pub urgency: Urgency,
    /// Time of the first release, if it is known and fixed; `None`: the worst case is assumed.
    pub phase_ns: Option<u64>,
    /// Where other tasks may preempt the task.
    pub preemption: Preemption,
    /// The lock sections one after the other. Nested sections are not modelled.
    pub sections: Vec<Section>,
    /// Whether a timer of this CPU releases the task; otherwise an interrupt does.
    pub timed: bool,
    /// The SCHED_DEADLINE reservation, if it differs from the computation per period.
    pub budget: Option<Budget>,
    /// The longest time that lower-priority work and the kernel kept the task from the CPU in a recording; 0 without a
    /// recording.
    pub blocked_ns: u64,
}

impl Task {
    /// A strictly periodic, preemptible task without locks, with its period as its deadline.
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

    /// The task's longest non-preemptive stretch; 0 for none.
    pub fn longest_stretch_ns(&self) -> u64 {
        match self.preemption {
            Preemption::Full => 0,
            Preemption::Stretches { longest_ns, .. } => longest_ns.min(self.computation_ns),
            Preemption::Never => self.computation_ns,
        }
    }

    /// The non-preemptible stretch at the task's end; at least 1, because the last nanosecond cannot be preempted.
    pub fn last_stretch_ns(&self) -> u64 {
        match self.preemption {
            Preemption::Full => 1,
            Preemption::Stretches { last_ns, .. } => last_ns.clamp(1, self.computation_ns),
            Preemption::Never => self.computation_ns,
        }
    }

    /// Whether this task can delay the other: it is more urgent, or both are equal.
    pub fn may_delay(&self, other: &Task) -> bool {
        self.urgency.may_delay(other.urgency)
    }
}

/// An interrupt's routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    /// Name of the interrupt.
    pub name: String,
    /// Largest cost: everything that the interrupted thread loses.
    pub cost_ns: u64,
    /// When the interrupt comes.
    pub arrival: Arrival,
}

/// A recorded thread that shares the CPU with the tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedThread {
    /// Name of the thread.
    pub name: String,
    /// Urgency of the thread.
    pub urgency: Urgency,
    /// When the thread ran, and for how long.
    pub arrival: Arrival,
}

/// The system's worst-case costs; 0 if not known. The model of Burns and Wellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Cost of a switch to a job that starts or preempts another.
    pub switch_in_ns: u64,
    /// Cost of a switch away from a job that ends.
    pub switch_out_ns: u64,
    /// Cost of the interrupt handler that releases a task, for each release.
    pub interrupt_ns: u64,
    /// Cost of each release of a task by a timer, whatever its priority.
    pub release_ns: u64,
    /// Cost of the clock's interrupt handler at each tick.
    pub tick_ns: u64,
    /// Interval of ticks; 0 without ticks.
    pub tick_period_ns: u64,
    /// Longest non-preemptible stretch of the kernel.
    pub kernel_ns: u64,
    /// Longest time from a timer's expiry to the released thread, as measured by a run.
    pub wakeup_ns: u64,
}

/// A CPU and everything that runs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Processor {
    /// The tasks, in any order.
    pub tasks: Vec<Task>,
    /// The locks that the tasks' sections use.
    pub locks: Vec<Lock>,
    /// Interrupts other than those that release tasks.
    pub interrupts: Vec<Interrupt>,
    /// Threads of a recording.
    pub recorded: Vec<RecordedThread>,
    /// Costs of the system.
    pub costs: Costs,
    /// The CPU time that the tasks get.
    pub supply: Supply,
}
