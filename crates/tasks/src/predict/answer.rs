// SPDX-License-Identifier: MIT OR Apache-2.0
//! The analysis of a task: a bound with its terms, or the reason why there is none.
use serde::Serialize;

/// Nothing later than this is counted; a window that reaches it is called endless.
pub const HORIZON_NS: u64 = 1 << 60;

/// Why no bound is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum NoBound {
    /// The work at this priority and above is more than the processor does.
    #[error("unbounded: tasks at least as urgent need {percent} % of the CPU time")]
    Overload {
        /// Rounded up.
        percent: u64,
    },
    /// A lock without protocol: tasks in between may run for any time.
    #[error("unbounded: lock {lock} has neither inheritance nor ceiling, and {holder} may hold it")]
    Inversion {
        /// Its name.
        lock: String,
        /// The less urgent task.
        holder: String,
    },
    /// A job computes longer than its reservation per period.
    #[error(
        "not analysable: it computes {computation_ns} ns but its runtime is {runtime_ns} ns, so the kernel stops it \
            amid a job"
    )]
    Throttled {
        /// Its computation.
        computation_ns: u64,
        /// Its budget each period.
        runtime_ns: u64,
    },
    /// No fixed point below the horizon.
    #[error("unbounded: its busy period does not end within 36 years")]
    Endless,
    /// The search was given up.
    #[error("not analysable: the busy period exceeds the limit of 64 million steps")]
    TooLong,
}

/// Origin of a part of a response. Tasks, locks and interrupts are indexes in the processor's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The task itself, jobs before this one included.
    Own,
    /// A more urgent task, or one as urgent.
    Task(usize),
    /// A less urgent task that cannot be preempted.
    Stretch(usize),
    /// A less urgent task holding a lock.
    Lock {
        /// The lock.
        lock: usize,
        /// The task.
        holder: usize,
    },
    /// The kernel, in a stretch that cannot be preempted.
    Kernel,
    /// An interrupt's routine.
    Interrupt(usize),
    /// A thread of a recording, as urgent or more.
    Recorded(usize),
    /// A task's release, by its timer or interrupt.
    Release(usize),
    /// The tick of the clock.
    Tick,
    /// Time the reservation does not give.
    Absence,
    /// From the nominal instant to the arrival.
    Jitter,
    /// From the timer's expiry to the thread.
    Wakeup,
    /// This many more, each smaller than the listed ones.
    Rest(usize),
}

/// One part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// From where.
    pub source: Source,
    /// How often.
    pub count: u64,
    /// Their sum in nanoseconds.
    pub total_ns: u64,
}

impl Term {
    /// A part that comes once.
    pub fn once(source: Source, total_ns: u64) -> Self {
        Self { source, count: 1, total_ns }
    }
}

/// Most listed terms of a response: ten thousand series of ten thousand each would fill any memory.
pub const TERMS_TOLD: usize = 100;

/// The largest terms, with the rest as one so that the sum stays.
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
    /// From the nominal release to the end, which deadlines apply to.
    pub from_nominal_ns: u64,
    /// From the arrival to the end.
    pub from_arrival_ns: u64,
    /// Number of the worst job in its busy period, from 1; 0 if the period does not start at the first instant.
    pub worst_job: u64,
    /// Jobs of the busy period that were gone through.
    pub jobs: u64,
    /// The response's parts: their sum minus `earlier_ns` is the response from the nominal instant.
    pub terms: Vec<Term>,
    /// How long after the start of the busy period the job was released, in nanoseconds.
    pub earlier_ns: u64,
}

/// Whether deadlines hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every one.
    Met,
    /// The analysis does not say.
    Unknown,
    /// Not all deadlines hold, or there is no bound.
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
