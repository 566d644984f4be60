// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result for one task: a bound and its terms, or the reason why there is none.
use serde::Serialize;

/// Times at or above this count as unbounded.
pub const HORIZON_NS: u64 = 1 << 60;

/// Why the analysis gives no bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum NoBound {
    /// The tasks of this priority and above need more time than the CPU has.
    #[error("unbounded: tasks of higher or equal priority need {percent} % of the CPU time")]
    Overload {
        /// The needed share of the CPU time, rounded up.
        percent: u64,
    },
    /// A lock without a protocol: tasks with priorities in between can delay its holder for any time.
    #[error("unbounded: lock {lock} has neither inheritance nor ceiling, and {holder} may hold it")]
    Inversion {
        /// Name of the lock.
        lock: String,
        /// The task of lower priority.
        holder: String,
    },
    /// A job computes longer than the runtime that its reservation has per period.
    #[error(
        "not analysable: a job computes {computation_ns} ns but its runtime is {runtime_ns} ns, so the kernel stops it \
            before its end"
    )]
    Throttled {
        /// Computation of one job.
        computation_ns: u64,
        /// Runtime per period.
        runtime_ns: u64,
    },
    /// The busy period has no end below [`HORIZON_NS`].
    #[error("unbounded: the busy period does not end within 36 years")]
    Endless,
    /// The search took too many steps.
    #[error("not analysable: the busy period exceeds the limit of 64 million steps")]
    TooLong,
}

/// What causes one part of a response. Tasks, locks and interrupts are indexes into the lists of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The task itself, including its earlier jobs in the busy period.
    Own,
    /// A task of higher or equal priority.
    Task(usize),
    /// A non-preemptible stretch of a task of lower priority.
    Stretch(usize),
    /// A task of lower priority that holds a lock.
    Lock {
        /// The lock.
        lock: usize,
        /// The task.
        holder: usize,
    },
    /// A non-preemptible stretch of the kernel.
    Kernel,
    /// An interrupt's routine.
    Interrupt(usize),
    /// A thread in a recording, of higher or equal priority.
    Recorded(usize),
    /// The release of a task by its timer or interrupt.
    Release(usize),
    /// The clock's tick.
    Tick,
    /// Time in which the reservation provides no CPU.
    Absence,
    /// Release jitter: from the nominal release to the arrival.
    Jitter,
    /// Wakeup latency: from the timer's expiry to the thread.
    Wakeup,
    /// The number of further sources, each with less time than the listed ones.
    Rest(usize),
}

/// One part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Where the time comes from.
    pub source: Source,
    /// Number of occurrences.
    pub count: u64,
    /// The total time of all occurrences, in nanoseconds.
    pub total_ns: u64,
}

impl Term {
    /// A part that occurs once.
    pub fn once(source: Source, total_ns: u64) -> Self {
        Self { source, count: 1, total_ns }
    }
}

/// Maximum number of listed terms per response. Ten thousand series with ten thousand terms each would need too much memory.
pub const TERMS_TOLD: usize = 100;

/// The largest terms. The rest becomes one term, so that the sum stays the same.
pub fn largest(mut terms: Vec<Term>) -> Vec<Term> {
    if terms.len() <= TERMS_TOLD {
        return terms;
    }
    terms.select_nth_unstable_by_key(TERMS_TOLD - 2, |term| std::cmp::Reverse(term.total_ns));
    let rest = terms.split_off(TERMS_TOLD - 1);
    terms.sort_by_key(|term| std::cmp::Reverse(term.total_ns));
    let total_ns = rest.iter().fold(0, |sum: u64, term| sum.saturating_add(term.total_ns));
    terms.push(Term::once(Source::Rest(rest.len()), total_ns));
    terms.shrink_to_fit();
    terms
}

/// The worst response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Response time, counted from the nominal release, from which the deadline counts too.
    pub from_nominal_ns: u64,
    /// Response time, counted from the arrival.
    pub from_arrival_ns: u64,
    /// Which job of its busy period is the worst, from 1; 0 if the busy period does not begin with a release of all tasks.
    pub worst_job: u64,
    /// Number of jobs of the busy period that were examined.
    pub jobs: u64,
    /// Parts of the response. Their sum minus `earlier_ns` is the response from the nominal release.
    pub terms: Vec<Term>,
    /// Nanoseconds from the start of the busy period to the nominal release of the worst job.
    pub earlier_ns: u64,
}

/// Whether deadlines hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every deadline is met.
    Met,
    /// The analysis cannot decide.
    Unknown,
    /// Some deadline is missed, or there is no bound.
    Missed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_terms_keep_their_sum_and_the_largest() {
        let terms = |count: u64| (0..count).map(|number| Term::once(Source::Task(0), number + 1)).collect::<Vec<_>>();
        assert_eq!(largest(terms(100)), terms(100));
        let found = largest(terms(250));
        assert_eq!((found.len(), found[0].total_ns, found[98].total_ns), (TERMS_TOLD, 250, 152));
        assert_eq!(found[99], Term::once(Source::Rest(151), 151 * 152 / 2));
    }
}
