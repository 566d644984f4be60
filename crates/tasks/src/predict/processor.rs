// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answers for all tasks of one CPU.
use super::answer::{Bound, NoBound, Source, Term, Verdict};
use super::blocking::blocking;
use super::edf::{Job, Obstacle, System};
use super::fixed_priority::{self, Demand};
use super::overhead::{final_ns, job_ns, recorded_work, system_work, task_work};
use super::phases;
use super::task::{Processor, Task, Urgency};
use super::work::Effort;

/// What is reported about one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The worst response, or why it is unknown.
    pub bound: Result<Bound, NoBound>,
    /// Whether the deadline is met.
    pub verdict: Verdict,
}

/// One answer per task, in the order of the tasks.
pub fn answers(processor: &Processor) -> Vec<Answer> {
    answers_within(processor, &mut Effort::of_set())
}

/// Like [`answers`], but within the remaining effort. An answer that would need more effort counts as too long.
pub fn answers_within(processor: &Processor, effort: &mut Effort) -> Vec<Answer> {
    if let Some(bounds) = effort.search(|effort| phases::bounds(processor, effort)) {
        let answer = |(task, bound): (&Task, Bound)| {
            let bound = Ok(bound);
            Answer { verdict: verdict(&bound, task.deadline_ns, None), bound }
        };
        return processor.tasks.iter().zip(bounds).map(answer).collect();
    }
    let by_deadline = effort.search(|effort| earliest_first(processor, effort));
    let demand = |(system, _): &(System, Vec<usize>)| effort.search(|effort| system.meets_all(effort));
    let all_met = by_deadline.as_ref().map_err(Clone::clone).and_then(demand);
    // The answers under EDF need many similar searches, so together they get the share of one search.
    let mut of_deadlines = effort.share();
    let answer = |(index, task): (usize, &Task)| {
        let bound = match (task.urgency, &by_deadline) {
            (Urgency::Priority(_), _) => effort.search(|effort| by_priority(processor, index, None, effort)),
            (Urgency::Deadline, Ok((system, places))) => {
                let place = places.iter().position(|place| *place == index).expect("every such task has a place");
                throttled(task).and_then(|()| system.respond(place, &mut of_deadlines))
            }
            (Urgency::Deadline, Err(error)) => Err(error.clone()),
        };
        let bound = bound.map(|bound| split_wakeup(bound, processor.costs.wakeup_ns));
        let demand_says = if task.urgency == Urgency::Deadline { all_met.clone().ok() } else { None };
        Answer { verdict: verdict(&bound, task.deadline_ns, demand_says), bound }
    };
    let found = processor.tasks.iter().enumerate().map(answer).collect();
    effort.put_back(of_deadlines);
    found
}

/// Whether every deadline is met, by the fastest method. `None` if the effort did not suffice.
pub fn meets_all(processor: &Processor, effort: &mut Effort) -> Option<bool> {
    if let Some(bounds) = effort.search(|effort| phases::bounds(processor, effort)) {
        let met = |(task, bound): (&Task, &Bound)| bound.from_nominal_ns <= task.deadline_ns;
        return Some(processor.tasks.iter().zip(&bounds).all(met));
    }
    let has_deadlines = processor.tasks.iter().any(|task| task.urgency == Urgency::Deadline);
    if has_deadlines {
        let system = effort.search(|effort| earliest_first(processor, effort));
        let met = system.and_then(|(system, _)| effort.search(|effort| system.meets_all(effort)));
        if !known(met)? {
            return Some(false);
        }
    }
    for (index, task) in processor.tasks.iter().enumerate() {
        let met = match task.urgency {
            Urgency::Deadline => throttled(task).map(|()| true),
            Urgency::Priority(_) => effort
                .search(|effort| by_priority(processor, index, Some(task.deadline_ns), effort))
                .map(|bound| bound.from_nominal_ns <= task.deadline_ns),
        };
        if !known(met)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether the deadline is met; `None` if the search gave up. An unbounded response counts as missed.
fn known(met: Result<bool, NoBound>) -> Option<bool> {
    match met {
        Ok(met) => Some(met),
        Err(NoBound::TooLong) => None,
        Err(_) => Some(false),
    }
}

fn verdict(bound: &Result<Bound, NoBound>, deadline_ns: u64, demand_says: Option<bool>) -> Verdict {
    match (bound, demand_says) {
        (Ok(bound), _) if bound.from_nominal_ns <= deadline_ns => Verdict::Met,
        (Ok(_), _) => Verdict::Missed,
        (Err(NoBound::TooLong), Some(true)) => Verdict::Met,
        (Err(NoBound::TooLong), _) => Verdict::Unknown,
        (Err(_), _) => Verdict::Missed,
    }
}

/// Moves the wakeup latency to a term of its own, because the search treats it as jitter.
fn split_wakeup(mut bound: Bound, wakeup_ns: u64) -> Bound {
    if let Some(jitter) = bound.terms.iter_mut().find(|term| term.source == Source::Jitter) {
        jitter.total_ns = jitter.total_ns.saturating_sub(wakeup_ns);
        bound.terms.push(Term::once(Source::Wakeup, wakeup_ns));
        bound.terms.retain(|term| term.total_ns > 0);
    }
    bound
}

fn throttled(task: &Task) -> Result<(), NoBound> {
    match task.budget {
        Some(budget) if budget.runtime_ns < task.computation_ns => {
            Err(NoBound::Throttled { computation_ns: task.computation_ns, runtime_ns: budget.runtime_ns })
        }
        _ => Ok(()),
    }
}

fn by_priority(
    processor: &Processor,
    index: usize,
    within_ns: Option<u64>,
    effort: &mut Effort,
) -> Result<Bound, NoBound> {
    let sections: usize = processor.tasks.iter().map(|task| task.sections.len()).sum();
    effort.spend(processor.tasks.len() + processor.locks.len() + processor.interrupts.len() + sections)?;
    let task = &processor.tasks[index];
    let delaying = |other: &usize| *other != index && processor.tasks[*other].may_delay(task);
    let mut others = system_work(processor);
    others.extend(recorded_work(processor, task.urgency));
    others.extend((0..processor.tasks.len()).filter(delaying).map(|other| task_work(processor, other)));
    let demand = Demand {
        job_ns: job_ns(processor, task),
        final_ns: final_ns(processor, task),
        last_stretch_ns: task.last_stretch_ns(),
        arrival: task.arrival.clone().with_jitter(processor.costs.wakeup_ns),
        blocking: with_recorded(blocking(processor, |other| !other.may_delay(task))?, task.blocked_ns),
        others,
        supply: processor.supply,
        within_ns,
    };
    fixed_priority::respond(&demand, effort)
}

/// A recording gives the total blocking; the analysis gives terms for the kinds that it knows. The larger of the two counts.
fn with_recorded(terms: Vec<Term>, blocked_ns: u64) -> Vec<Term> {
    let sum = terms.iter().fold(0, |sum: u64, term| sum.saturating_add(term.total_ns));
    if blocked_ns > sum { vec![Term::once(Source::Kernel, blocked_ns)] } else { terms }
}

/// The EDF tasks and their indexes among all tasks. Tasks of lower priority become obstacles without a deadline.
fn earliest_first(processor: &Processor, effort: &mut Effort) -> Result<(System, Vec<usize>), NoBound> {
    let is_edf = |index: &usize| processor.tasks[*index].urgency == Urgency::Deadline;
    let places: Vec<usize> = (0..processor.tasks.len()).filter(is_edf).collect();
    let job = |place: &usize| {
        let task = &processor.tasks[*place];
        Job {
            work: task_work(processor, *place),
            deadline_ns: task.deadline_ns,
            last_stretch_ns: task.last_stretch_ns(),
        }
    };
    let jobs: Vec<Job> = places.iter().map(job).collect();
    let blocks = |task: &Task| !task.sections.is_empty() || task.longest_stretch_ns() > 0;
    let any_blocks = processor.costs.kernel_ns > 0 || processor.tasks.iter().any(blocks);
    let own = jobs.iter().map(|job| job.deadline_ns).filter(|_| any_blocks);
    let mut deadlines: Vec<u64> = own.chain([u64::MAX]).collect();
    deadlines.sort_unstable();
    deadlines.dedup();
    let sections: usize = processor.tasks.iter().map(|task| task.sections.len()).sum();
    let obstacle = |deadline_ns: u64| -> Result<Obstacle, NoBound> {
        effort.spend(processor.tasks.len() + processor.locks.len() + sections)?;
        let is_lower = |task: &Task| task.urgency != Urgency::Deadline || task.deadline_ns >= deadline_ns;
        let terms = blocking(processor, is_lower)?;
        // Stored terms need memory, so they count as effort too.
        effort.spend(16 * terms.len())?;
        Ok(Obstacle { deadline_ns, terms })
    };
    let obstacles = deadlines.into_iter().map(obstacle).collect::<Result<_, _>>()?;
    let mut system = system_work(processor);
    system.extend(recorded_work(processor, Urgency::Deadline));
    Ok((System { jobs, obstacles, system, supply: processor.supply }, places))
}
