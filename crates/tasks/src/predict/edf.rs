// SPDX-License-Identifier: MIT OR Apache-2.0
//! Earliest deadline first on one CPU: the exact demand test, and response times.
//!
//! ```text
//! demand test   for every deadline t of the busy period:
//! B(t) + sum over j of max(0, 1 + floor((t + J_j - D_j) / T_j)) C_j + interrupts(t) <= supply(t)
//! checked from the end, from one demand to the next (Zhang and Burns 2009)
//! response      for every instant a of a release at which some deadline can coincide:
//! x = B + own jobs up to a - (last - 1)
//! + sum over j of min(most_j(x), jobs of j with deadlines up to a + D) C_j + interrupts(x)
//! R = x + (last - 1) - a                                                      (Spuri 1996)
//! ```
//!
//! The release of all tasks at once is not the worst case of every task.
use super::answer::{Bound, NoBound, Source, Term, largest};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;
use super::work::{Effort, Work, fits, least_window, steps, total_ns};

/// A task under EDF.
#[derive(Clone, Debug)]
pub struct Job {
    /// CPU time of a job, and its arrivals.
    pub work: Work,
    /// Deadline, counted from the nominal release.
    pub deadline_ns: u64,
    /// The non-preemptible stretch at the end of a job; at least 1.
    pub last_stretch_ns: u64,
}

/// Work that has a later deadline, and that either cannot be preempted or holds a lock that a job needs.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The obstacle's deadline, from the start of the busy period. The obstacle blocks jobs with earlier deadlines. `u64::MAX`
    /// if it has no deadline.
    pub deadline_ns: u64,
    /// CPU time of the obstacle.
    pub terms: Vec<Term>,
}

/// Everything that runs on the CPU.
#[derive(Clone, Debug)]
pub struct System {
    /// The tasks.
    pub jobs: Vec<Job>,
    /// The obstacles in order of deadlines. Of those that apply, the largest counts.
    pub obstacles: Vec<Obstacle>,
    /// Work above every task: interrupts and the kernel's own.
    pub system: Vec<Work>,
    /// What the CPU supplies.
    pub supply: Supply,
}

impl Obstacle {
    fn ns(&self) -> u64 {
        self.terms.iter().fold(0, |sum: u64, term| sum.saturating_add(term.total_ns))
    }
}

impl Job {
    /// Number of jobs that arrive from the start on and have deadlines up to this instant.
    fn due_by(&self, instant_ns: i128) -> u64 {
        let after = instant_ns - i128::from(self.deadline_ns);
        let jitter_ns = self.work.arrival.jitter_ns();
        match self.work.arrival {
            Arrival::Periodic { period_ns, .. } => {
                let room = after + i128::from(jitter_ns);
                if room < 0 { 0 } else { u64::try_from(room / i128::from(period_ns) + 1).unwrap_or(u64::MAX) }
            }
            _ if after + i128::from(jitter_ns) < 0 => 0,
            _ => self.work.arrival.most(u64::try_from(after.max(0) + 1).unwrap_or(u64::MAX)),
        }
    }
}

impl System {
    /// Whether every deadline is met. The test is exact for sporadic tasks without locks, and safe with locks.
    pub fn meets_all(&self, effort: &mut Effort) -> Result<bool, NoBound> {
        let busy = self.busy_ns(effort)?;
        let mut borders = vec![0];
        borders.extend(self.obstacles.iter().map(|obstacle| obstacle.deadline_ns).filter(|due| *due < busy));
        borders.sort_unstable();
        borders.dedup();
        let mut end = busy;
        for start in borders.into_iter().rev() {
            if !self.meets_between(start, end, effort)? {
                return Ok(false);
            }
            end = start;
        }
        Ok(true)
    }

    /// Checks every deadline from `start` to before `end`, an interval in which the same obstacles apply.
    fn meets_between(&self, start: u64, end: u64, effort: &mut Effort) -> Result<bool, NoBound> {
        effort.spend(self.obstacle_steps() + self.deadline_steps())?;
        let blocking = self.obstacle(start).map_or(0, Obstacle::ns);
        let mut instant = self.last_deadline(start, end);
        while let Some(t) = instant {
            effort.spend(self.deadline_steps() + self.window_steps())?;
            let demand = self.due_work_ns(t).saturating_add(total_ns(&self.system, t)).saturating_add(blocking);
            let needed = self.supply.window_ns(demand);
            if needed > t {
                return Ok(false);
            }
            if needed < start {
                return Ok(true);
            }
            instant = self.last_deadline(start, if needed < t { needed + 1 } else { t });
        }
        Ok(true)
    }

    fn due_work_ns(&self, instant: u64) -> u64 {
        let due = |job: &Job| job.due_by(i128::from(instant)).saturating_mul(job.work.cost_ns);
        self.jobs.iter().fold(0, |sum: u64, job| sum.saturating_add(due(job)))
    }

    fn last_deadline(&self, start: u64, end: u64) -> Option<u64> {
        let latest = |job: &Job| {
            let due = job.due_by(i128::from(end) - 1);
            let last = due.checked_sub(1)?;
            let nominal = job.work.arrival.nominal_ns(last) + i128::from(job.deadline_ns);
            u64::try_from(nominal.max(0)).ok()
        };
        self.jobs.iter().filter_map(latest).max().filter(|found| *found >= start)
    }

    /// The largest obstacle to a job with this deadline, counted from the start of the busy period.
    fn obstacle(&self, deadline_ns: u64) -> Option<&Obstacle> {
        let later = self.obstacles.iter().filter(|obstacle| obstacle.deadline_ns > deadline_ns);
        later.max_by_key(|obstacle| obstacle.ns())
    }

    fn window_steps(&self) -> usize {
        self.jobs.iter().map(|job| job.work.arrival.steps()).sum::<usize>() + steps(&self.system)
    }

    fn deadline_steps(&self) -> usize {
        let of_job = |job: &Job| job.work.arrival.steps() + job.work.arrival.instant_steps(u64::MAX);
        self.jobs.iter().map(of_job).sum()
    }

    fn obstacle_steps(&self) -> usize {
        self.obstacles.iter().map(|obstacle| 1 + obstacle.terms.len()).sum()
    }

    /// The longest time that the CPU works without a pause, including blocking, which may delay the first job.
    fn busy_ns(&self, effort: &mut Effort) -> Result<u64, NoBound> {
        let all = self.jobs.iter().map(|job| &job.work).chain(&self.system);
        fits(all.map(Work::share).sum::<Share>(), &self.supply)?;
        effort.spend(self.obstacle_steps())?;
        let blocking = self.obstacles.iter().map(Obstacle::ns).max().unwrap_or(0);
        least_window(1, &self.supply, self.window_steps(), effort, |window| {
            let jobs = self.jobs.iter().fold(0, |sum: u64, job| sum.saturating_add(job.work.within_ns(window)));
            jobs.saturating_add(total_ns(&self.system, window)).saturating_add(blocking)
        })
    }

    /// The worst response of a task. The effort is shared with other searches.
    pub fn respond(&self, task: usize, effort: &mut Effort) -> Result<Bound, NoBound> {
        let busy = self.busy_ns(effort)?;
        let mut worst: Option<Bound> = None;
        let mut from_arrival_ns = 0;
        let instants = self.instants(task, busy, effort)?;
        let count = instants.len() as u64;
        for instant in instants {
            let bound = self.released_at(task, instant, effort)?;
            from_arrival_ns = from_arrival_ns.max(bound.from_arrival_ns);
            if worst.as_ref().is_none_or(|worst| bound.from_nominal_ns > worst.from_nominal_ns) {
                worst = Some(bound);
            }
        }
        let worst = worst.ok_or(NoBound::TooLong)?;
        Ok(Bound { from_arrival_ns, jobs: count, ..worst })
    }

    /// Nominal releases of the task at which its deadline coincides with a deadline of some task.
    fn instants(&self, task: usize, busy: u64, effort: &mut Effort) -> Result<Vec<i128>, NoBound> {
        let own = &self.jobs[task];
        let mut instants = vec![-i128::from(own.work.arrival.jitter_ns())];
        for other in &self.jobs {
            for job in 0.. {
                // Storing an instant needs memory, so it counts as effort too.
                effort.spend(self.jobs.len() + 8 + other.work.arrival.instant_steps(job))?;
                let instant =
                    other.work.arrival.nominal_ns(job) + i128::from(other.deadline_ns) - i128::from(own.deadline_ns);
                if instant >= i128::from(busy) {
                    break;
                }
                instants.push(instant);
            }
        }
        let first = instants[0];
        instants.retain(|instant| *instant >= first);
        instants.sort_unstable();
        instants.dedup();
        Ok(instants)
    }

    fn released_at(&self, task: usize, instant: i128, effort: &mut Effort) -> Result<Bound, NoBound> {
        let own = &self.jobs[task];
        let deadline = instant + i128::from(own.deadline_ns);
        let certain = if self.supply == Supply::Dedicated { own.last_stretch_ns.max(1) - 1 } else { 0 };
        let jobs = own.due_by(deadline).max(1);
        effort.spend(self.obstacle_steps() + self.window_steps())?;
        let obstacle = self.obstacle(u64::try_from(deadline.max(0)).unwrap_or(u64::MAX));
        let own_ns = jobs.saturating_mul(own.work.cost_ns);
        let base = obstacle.map_or(0, Obstacle::ns).saturating_add(own_ns - certain);
        let due: Vec<u64> = self.jobs.iter().map(|job| job.due_by(deadline)).collect();
        let within = |other: usize, window: u64| {
            let job = &self.jobs[other];
            if other == task { 0 } else { job.work.arrival.most(window).min(due[other]) }
        };
        let others = |window: u64| {
            let cost = |other: usize| within(other, window).saturating_mul(self.jobs[other].work.cost_ns);
            (0..self.jobs.len()).fold(0, |sum: u64, other| sum.saturating_add(cost(other)))
        };
        let window = least_window(1, &self.supply, self.window_steps(), effort, |window| {
            others(window).saturating_add(total_ns(&self.system, window)).saturating_add(base)
        })?;
        let end = window + certain;
        let least = own.work.cost_ns;
        let from = |start: i128| u64::try_from((i128::from(end) - start).max(i128::from(least))).unwrap_or(u64::MAX);
        let mut terms = vec![Term { source: Source::Own, count: jobs, total_ns: own_ns }];
        terms.extend(obstacle.iter().flat_map(|obstacle| obstacle.terms.iter().copied()));
        terms.extend((0..self.jobs.len()).filter(|other| *other != task).map(|other| {
            let work = &self.jobs[other].work;
            let count = within(other, window);
            Term { source: work.source, count, total_ns: count.saturating_mul(work.cost_ns) }
        }));
        terms.extend(self.system.iter().map(|work| work.term(window)));
        let (from_nominal_ns, from_arrival_ns) = (from(instant), from(instant.max(0)));
        let spent: u64 = terms.iter().map(|term| term.total_ns).sum();
        terms.push(Term::once(Source::Absence, end.saturating_sub(spent)));
        terms.push(Term::once(Source::Jitter, own.work.arrival.jitter_ns()));
        terms.retain(|term| term.total_ns > 0);
        let total: u64 = terms.iter().map(|term| term.total_ns).sum();
        let earlier_ns = total.saturating_sub(from_nominal_ns);
        let terms = largest(terms);
        Ok(Bound { from_nominal_ns, from_arrival_ns, worst_job: jobs, jobs, terms, earlier_ns })
    }
}
