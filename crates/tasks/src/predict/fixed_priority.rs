// SPDX-License-Identifier: MIT OR Apache-2.0
//! Response times under fixed priorities: examines every job of the busy period, after Lehoczky 1990 and Tindell 1994.
//!
//! ```text
//! x = B + (q+1) C - (last - 1) + sum over higher-priority j of most_j(x) C_j     the least such x
//! R = max over the jobs q of the busy period of x + (last - 1) - nominal(q)
//! ```
//!
//! The last stretch of a job cannot be preempted once it runs. So only what arrives up to its first nanosecond delays the job
//! (Davis, Burns, Bril and Lukkien 2007). `last` is 1 for a job that can be preempted to its end.
use super::answer::{Bound, HORIZON_NS, NoBound, Source, Term, largest};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;
use super::work::{Effort, Work, fits, least_window, least_window_within, steps, total_ns};

/// What the response time of a task depends on.
#[derive(Clone, Debug)]
pub struct Demand {
    /// CPU time of each job except the last.
    pub job_ns: u64,
    /// CPU time of the job whose response is computed, up to its end.
    pub final_ns: u64,
    /// Length of the non-preemptible stretch at the end of a job, from 1 to `final_ns`.
    pub last_stretch_ns: u64,
    /// When the task's jobs arrive.
    pub arrival: Arrival,
    /// Blocking by lower-priority work, which counts once.
    pub blocking: Vec<Term>,
    /// Work of higher or equal priority, including interrupts and the kernel's own.
    pub others: Vec<Work>,
    /// What the CPU supplies.
    pub supply: Supply,
    /// A response longer than this, from the nominal release, counts as unbounded. `None` if the exact response is wanted.
    pub within_ns: Option<u64>,
}

struct FinishedJob {
    job: u64,
    window_ns: u64,
    end_ns: u64,
    from_nominal_ns: u64,
    from_arrival_ns: u64,
}

/// The worst response over all jobs.
pub fn respond(demand: &Demand, effort: &mut Effort) -> Result<Bound, NoBound> {
    let own = Work { source: Source::Own, cost_ns: demand.job_ns, arrival: demand.arrival.clone() };
    fits(demand.others.iter().map(Work::share).sum::<Share>().plus(own.share()), &demand.supply)?;
    let busy = if demand.last_stretch() > 1 { Some(demand.busy_ns(&own, effort)?) } else { None };
    let (mut window, mut jobs, mut from_arrival) = (0, 0, 0);
    let mut worst: Option<FinishedJob> = None;
    loop {
        let ended = demand.job(jobs, window, effort)?;
        window = ended.window_ns;
        let end = busy.unwrap_or(ended.end_ns);
        from_arrival = from_arrival.max(ended.from_arrival_ns);
        if worst.as_ref().is_none_or(|worst| ended.from_nominal_ns > worst.from_nominal_ns) {
            worst = Some(ended);
        }
        jobs += 1;
        if demand.arrival.earliest_ns(jobs) >= end {
            break;
        }
    }
    let worst = worst.expect("a busy period has a first job");
    Ok(demand.bound(&worst, jobs, from_arrival))
}

impl Demand {
    /// A reservation can take the CPU away even from non-preemptible code, so with a reservation the last stretch protects
    /// nothing.
    fn last_stretch(&self) -> u64 {
        if self.supply == Supply::Dedicated { self.last_stretch_ns.clamp(1, self.final_ns.max(1)) } else { 1 }
    }

    fn blocking_ns(&self) -> u64 {
        self.blocking.iter().fold(0, |sum: u64, term| sum.saturating_add(term.total_ns))
    }

    /// The longest time that the CPU works at this priority and above.
    fn busy_ns(&self, own: &Work, effort: &mut Effort) -> Result<u64, NoBound> {
        let blocking = self.blocking_ns();
        least_window(1, &self.supply, steps(&self.others) + own.arrival.steps(), effort, |window| {
            total_ns(&self.others, window).saturating_add(own.within_ns(window)).saturating_add(blocking)
        })
    }

    /// The longest window to examine for this job.
    fn horizon_ns(&self, job: u64) -> u64 {
        let Some(within_ns) = self.within_ns else { return HORIZON_NS };
        let latest = self.arrival.nominal_ns(job) + i128::from(within_ns);
        u64::try_from(latest.max(0)).unwrap_or(HORIZON_NS).min(HORIZON_NS)
    }

    fn job(&self, job: u64, from: u64, effort: &mut Effort) -> Result<FinishedJob, NoBound> {
        let certain = self.last_stretch() - 1;
        effort.spend(self.arrival.instant_steps(job))?;
        let own = job.saturating_mul(self.job_ns).saturating_add(self.final_ns);
        let base = self.blocking_ns().saturating_add(own - certain);
        let window_ns = least_window_within(
            self.horizon_ns(job),
            from.max(1),
            &self.supply,
            steps(&self.others),
            effort,
            |window| total_ns(&self.others, window).saturating_add(base),
        )?;
        let end_ns = window_ns + certain;
        let from_nominal = i128::from(end_ns) - self.arrival.nominal_ns(job);
        Ok(FinishedJob {
            job,
            window_ns,
            end_ns,
            from_nominal_ns: u64::try_from(from_nominal.max(0)).map_err(|_| NoBound::Endless)?,
            from_arrival_ns: end_ns.saturating_sub(self.arrival.earliest_ns(job)),
        })
    }

    fn bound(&self, worst: &FinishedJob, jobs: u64, from_arrival_ns: u64) -> Bound {
        let own = worst.job.saturating_mul(self.job_ns).saturating_add(self.final_ns);
        let mut terms = vec![Term { source: Source::Own, count: worst.job + 1, total_ns: own }];
        terms.extend(&self.blocking);
        terms.extend(self.others.iter().map(|work| work.term(worst.window_ns)));
        let spent: u64 = terms.iter().map(|term| term.total_ns).sum();
        terms.push(Term::once(Source::Absence, worst.end_ns.saturating_sub(spent)));
        let jitter = self.arrival.jitter_ns();
        terms.push(Term::once(Source::Jitter, jitter));
        terms.retain(|term| term.total_ns > 0);
        let earlier_ns = worst.end_ns.saturating_add(jitter) - worst.from_nominal_ns;
        Bound {
            from_nominal_ns: worst.from_nominal_ns,
            from_arrival_ns,
            worst_job: worst.job + 1,
            jobs,
            terms: largest(terms),
            earlier_ns,
        }
    }
}
