// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worst responses if the first release of every task is known, found by simulating the schedule.
//!
//! If independent jobs with fixed priorities can be preempted everywhere, no job ends later when another one computes less. So
//! the schedule with the longest computation times contains the worst response of each task. From the latest first release on,
//! the schedule repeats after the common multiple of the periods, once the remaining work is the same as one such multiple
//! earlier (Leung and Merrill 1980).
use super::answer::{Bound, Source, Term, largest};
use super::arrival::Arrival;
use super::supply::Supply;
use super::task::{Costs, Preemption, Processor, Task, Urgency};
use super::work::Effort;
use std::collections::VecDeque;

const TASKS_MAX: usize = 256;

pub(super) fn bounds(processor: &Processor, effort: &mut Effort) -> Option<Vec<Bound>> {
    let alone = processor.interrupts.is_empty()
        && processor.recorded.is_empty()
        && processor.costs == Costs::default()
        && processor.supply == Supply::Dedicated;
    if !alone || processor.tasks.len() > TASKS_MAX {
        return None;
    }
    let tasks: Vec<Released> = processor.tasks.iter().map(released).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|task| std::cmp::Reverse(tasks[*task].priority));
    let equal = order.windows(2).any(|pair| tasks[pair[0]].priority == tasks[pair[1]].priority);
    let multiple = tasks.iter().try_fold(1u64, |multiple, task| least_common_multiple(multiple, task.period_ns))?;
    let last = tasks.iter().map(|task| task.phase_ns).max()?;
    if equal {
        return None;
    }
    let mut schedule = Schedule::new(&tasks, &order);
    schedule.until(last.checked_add(multiple)?, effort)?;
    let left = schedule.left();
    schedule.until(last.checked_add(multiple.checked_mul(2)?)?, effort)?;
    if schedule.left() != left {
        return None;
    }
    schedule.finish(effort)?;
    schedule.worst.into_iter().collect()
}

#[derive(Clone, Copy)]
struct Released {
    phase_ns: u64,
    period_ns: u64,
    computation_ns: u64,
    priority: u32,
}

fn released(task: &Task) -> Option<Released> {
    let plain = task.preemption == Preemption::Full && task.sections.is_empty() && task.computation_ns > 0;
    match (task.urgency, &task.arrival, task.phase_ns) {
        (Urgency::Priority(priority), Arrival::Periodic { period_ns, jitter_ns: 0, .. }, Some(phase_ns)) if plain => {
            Some(Released { phase_ns, period_ns: *period_ns, computation_ns: task.computation_ns, priority })
        }
        _ => None,
    }
}

struct Job {
    at_ns: u64,
    left_ns: u64,
    ran_ns: Vec<u64>,
}

struct Schedule<'a> {
    tasks: &'a [Released],
    order: &'a [usize],
    now_ns: u64,
    next_ns: Vec<u64>,
    waiting: Vec<VecDeque<Job>>,
    ran_ns: Vec<u64>,
    jobs: Vec<u64>,
    worst: Vec<Option<Bound>>,
}

impl<'a> Schedule<'a> {
    fn new(tasks: &'a [Released], order: &'a [usize]) -> Self {
        let count = tasks.len();
        Self {
            tasks,
            order,
            now_ns: 0,
            next_ns: tasks.iter().map(|task| task.phase_ns).collect(),
            waiting: (0..count).map(|_| VecDeque::new()).collect(),
            ran_ns: vec![0; count],
            jobs: vec![0; count],
            worst: vec![None; count],
        }
    }

    fn left(&self) -> Vec<u64> {
        self.waiting.iter().map(|jobs| jobs.iter().map(|job| job.left_ns).sum()).collect()
    }

    fn until(&mut self, end_ns: u64, effort: &mut Effort) -> Option<()> {
        while self.now_ns < end_ns {
            effort.spend(2 * self.tasks.len()).ok()?;
            self.release()?;
            let next_ns = self.next_ns.iter().copied().min().unwrap_or(u64::MAX).min(end_ns);
            self.run(next_ns);
        }
        Some(())
    }

    /// Continues until every task has a response, or must have had one.
    fn finish(&mut self, effort: &mut Effort) -> Option<()> {
        let left: u64 = self.left().iter().sum();
        let missing = self.worst.iter().any(Option::is_none);
        if missing { self.until(self.now_ns.checked_add(left)?, effort) } else { Some(()) }
    }

    fn release(&mut self) -> Option<()> {
        for (index, task) in self.tasks.iter().enumerate() {
            if self.next_ns[index] != self.now_ns {
                continue;
            }
            let job = Job { at_ns: self.now_ns, left_ns: task.computation_ns, ran_ns: self.ran_ns.clone() };
            self.waiting[index].push_back(job);
            self.next_ns[index] = self.now_ns.checked_add(task.period_ns)?;
        }
        Some(())
    }

    fn run(&mut self, until_ns: u64) {
        let first = self.order.iter().copied().find(|task| !self.waiting[*task].is_empty());
        let Some((task, job)) = first.and_then(|task| Some((task, self.waiting[task].front_mut()?))) else {
            self.now_ns = until_ns;
            return;
        };
        let runs_ns = job.left_ns.min(until_ns - self.now_ns);
        job.left_ns -= runs_ns;
        self.now_ns += runs_ns;
        self.ran_ns[task] += runs_ns;
        if job.left_ns == 0
            && let Some(job) = self.waiting[task].pop_front()
        {
            self.done(task, &job);
        }
    }

    fn done(&mut self, task: usize, job: &Job) {
        self.jobs[task] += 1;
        let response_ns = self.now_ns - job.at_ns;
        if self.worst[task].as_ref().is_some_and(|worst| worst.from_nominal_ns >= response_ns) {
            return;
        }
        let ran = self.ran_ns.iter().zip(&job.ran_ns).map(|(now, before)| now - before).enumerate();
        let term = |(index, total_ns): (usize, u64)| Term {
            source: if index == task { Source::Own } else { Source::Task(index) },
            count: total_ns.div_ceil(self.tasks[index].computation_ns),
            total_ns,
        };
        let terms = largest(ran.filter(|(_, total_ns)| *total_ns > 0).map(term).collect());
        let jobs = self.jobs[task];
        self.worst[task] = Some(Bound {
            from_nominal_ns: response_ns,
            from_arrival_ns: response_ns,
            worst_job: 0,
            jobs,
            terms,
            earlier_ns: 0,
        });
    }
}

pub(super) fn least_common_multiple(one: u64, other: u64) -> Option<u64> {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one.checked_div(a)?.checked_mul(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tasks: &[(u32, u64, u64, u64)]) -> Processor {
        let task = |(priority, phase, period, computation): &(u32, u64, u64, u64)| {
            let task = Task::new("t", Urgency::Priority(*priority), *computation, *period);
            Task { phase_ns: Some(*phase), ..task }
        };
        Processor { tasks: tasks.iter().map(task).collect(), ..Processor::default() }
    }

    fn responses(processor: &Processor) -> Option<Vec<u64>> {
        let found = bounds(processor, &mut Effort::whole())?;
        for bound in &found {
            assert_eq!(bound.terms.iter().map(|term| term.total_ns).sum::<u64>(), bound.from_nominal_ns);
        }
        Some(found.iter().map(|bound| bound.from_nominal_ns).collect())
    }

    #[test]
    fn tasks_apart_do_not_delay_each_other() {
        assert_eq!(responses(&set(&[(2, 0, 10, 3), (1, 3, 10, 4)])), Some(vec![3, 4]));
        assert_eq!(responses(&set(&[(2, 0, 10, 3), (1, 0, 10, 4)])), Some(vec![3, 7]), "together");
        assert_eq!(responses(&set(&[(2, 5, 10, 5), (1, 0, 20, 10)])), Some(vec![5, 15]), "preempted");
    }

    #[test]
    fn what_cannot_be_gone_through_is_left_to_the_worst_phases() {
        let equal = set(&[(1, 0, 10, 3), (1, 3, 10, 4)]);
        let full = set(&[(2, 0, 10, 6), (1, 3, 10, 6)]);
        let far = set(&[(2, 0, (1 << 40) + 1, 1), (1, 0, (1 << 40) + 3, 1)]);
        let mut unknown = set(&[(2, 0, 10, 3), (1, 3, 10, 4)]);
        unknown.tasks[1].phase_ns = None;
        for processor in [equal, full, far, unknown] {
            assert_eq!(responses(&processor), None);
        }
    }

    #[test]
    fn no_phase_is_worse_than_the_worst() {
        for phase in 0..12 {
            let processor = set(&[(3, 0, 4, 1), (2, phase % 5, 6, 2), (1, phase, 12, 3)]);
            let found = responses(&processor).unwrap();
            let mut worst = processor.clone();
            worst.tasks.iter_mut().for_each(|task| task.phase_ns = None);
            let bounds = super::super::processor::answers(&worst);
            let above = found
                .iter()
                .zip(bounds)
                .filter(|(found, answer)| **found > answer.bound.as_ref().unwrap().from_nominal_ns);
            assert_eq!(above.count(), 0, "{phase}");
        }
    }
}
