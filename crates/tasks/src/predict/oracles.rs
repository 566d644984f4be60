// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks random task sets against two independent references: the crate `response-time-analysis`, whose analyses were verified
//! in Coq, and a simulation of the schedule in unit steps.
use super::answer::{Bound, NoBound, Source, Term};
use super::arrival::Arrival;
use super::edf::{Job, Obstacle, System};
use super::fixed_priority::{Demand, respond};
use super::processor::{answers, meets_all};
use super::sensitivity::longest_computation_ns;
use super::supply::Supply;
use super::task::{Processor, Task, Urgency};
use super::work::{Effort, Work};
use response_time_analysis::arrival::Sporadic;
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::{demand::RBF, edf, fixed_priority, wcet::Scalar};

const SETS: u64 = 1_000;

pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number in (0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(super) fn up_to(&mut self, most: u64) -> u64 {
        self.next() % (most + 1)
    }

    /// Random utilizations with a given sum, each at most 1: UUniFast-Discard (Bini and Buttazzo 2005, Davis and Burns 2011).
    fn utilizations(&mut self, count: usize, total: f64) -> Vec<f64> {
        loop {
            let mut left = total;
            let mut all: Vec<f64> = (1..count)
                .rev()
                .map(|rest| {
                    let next = left * self.unit().powf(1.0 / rest as f64);
                    let one = left - next;
                    left = next;
                    one
                })
                .collect();
            all.push(left);
            if all.iter().all(|one| *one <= 1.0) {
                return all;
            }
        }
    }

    /// Computation, period, deadline, jitter. Periods are log-uniform from 10 to `longest`.
    fn tasks(&mut self, longest: f64) -> Vec<(u64, u64, u64, u64)> {
        let count = 2 + self.up_to(4) as usize;
        let total = 0.4 + 0.58 * self.unit();
        self.utilizations(count, total)
            .into_iter()
            .map(|utilization| {
                let period = (10.0 * (longest / 10.0).powf(self.unit())).round() as u64;
                let computation = ((utilization * period as f64) as u64).max(1);
                let deadline = computation + self.up_to(period + period / 2);
                (computation, period, deadline, self.up_to(period / 2))
            })
            .collect()
    }
}

fn processor(tasks: &[(u64, u64, u64, u64)], edf: bool, jitter: bool) -> Processor {
    let task = |(place, row): (usize, &(u64, u64, u64, u64))| {
        let urgency = if edf { Urgency::Deadline } else { Urgency::Priority((tasks.len() - place) as u32) };
        let mut task = Task::new(&format!("t{place}"), urgency, row.0, row.1);
        task.deadline_ns = row.2;
        task.arrival = task.arrival.with_jitter(if jitter { row.3 } else { 0 });
        task
    };
    Processor { tasks: tasks.iter().enumerate().map(task).collect(), ..Processor::default() }
}

fn from_arrival(processor: &Processor) -> Vec<Option<u64>> {
    answers(processor).into_iter().map(|answer| answer.bound.ok().map(|bound| bound.from_arrival_ns)).collect()
}

fn ns(duration: Duration) -> u64 {
    duration.into()
}

fn all_met(processor: &Processor) -> bool {
    meets_all(processor, &mut Effort::of_set()).unwrap()
}

fn respond_to(demand: Demand) -> Result<Bound, NoBound> {
    respond(&demand, &mut Effort::whole())
}

const LIMIT: u64 = 10_000_000;

#[test]
fn fixed_priorities_with_jitter_equal_the_crate() {
    let mut numbers = Numbers(1);
    let (mut compared, mut bounded) = (0, 0);
    for _ in 0..SETS {
        let tasks = numbers.tasks(1_000.0);
        let arrivals: Vec<Sporadic> =
            tasks.iter().map(|row| Sporadic::new(Duration::from(row.1), Duration::from(row.3))).collect();
        let costs: Vec<Scalar> = tasks.iter().map(|row| Scalar::new(Service::from(row.0))).collect();
        let rbfs: Vec<_> = costs.iter().zip(&arrivals).map(|(cost, arrival)| RBF::new(arrival, cost)).collect();
        let found = from_arrival(&processor(&tasks, false, true));
        for (place, rbf) in rbfs.iter().enumerate() {
            let expected = fixed_priority::fully_preemptive::dedicated_uniproc_rta(rbf, &rbfs[..place], LIMIT.into());
            assert_eq!(found[place], expected.ok().map(ns), "{tasks:?}, task {place}");
            compared += 1;
            bounded += usize::from(found[place].is_some());
        }
    }
    assert!(compared > 3_500 && bounded > 3_400, "{compared} {bounded}");
}

#[test]
fn stretches_under_fixed_priorities_equal_the_crate() {
    let mut numbers = Numbers(2);
    let mut compared = 0;
    for _ in 0..SETS {
        let tasks = numbers.tasks(1_000.0);
        let arrivals: Vec<Sporadic> =
            tasks.iter().map(|row| Sporadic::new_zero_jitter(Duration::from(row.1))).collect();
        let costs: Vec<Scalar> = tasks.iter().map(|row| Scalar::new(Service::from(row.0))).collect();
        let rbfs: Vec<_> = costs.iter().zip(&arrivals).map(|(cost, arrival)| RBF::new(arrival, cost)).collect();
        for (place, row) in tasks.iter().enumerate() {
            let (last, blocking) = (1 + numbers.up_to(row.0 - 1), numbers.up_to(20));
            let asked = fixed_priority::limited_preemptive::TaskUnderAnalysis {
                wcet: costs[place],
                arrivals: &arrivals[place],
                last_np_segment: Service::from(last),
                blocking_bound: Service::from(blocking),
            };
            let expected =
                fixed_priority::limited_preemptive::dedicated_uniproc_rta(&asked, &rbfs[..place], LIMIT.into());
            let other = |(index, row): (usize, &(u64, u64, u64, u64))| Work {
                source: Source::Task(index),
                cost_ns: row.0,
                arrival: Arrival::periodic(row.1),
            };
            let found = respond_to(Demand {
                job_ns: row.0,
                final_ns: row.0,
                last_stretch_ns: last,
                arrival: Arrival::periodic(row.1),
                blocking: vec![Term::once(Source::Kernel, blocking)],
                others: tasks[..place].iter().enumerate().map(other).collect(),
                supply: Supply::Dedicated,
                within_ns: None,
            });
            let found = found.ok().map(|bound| bound.from_arrival_ns);
            assert_eq!(found, expected.ok().map(ns), "{tasks:?}, task {place}, {last}, {blocking}");
            compared += 1;
        }
    }
    assert!(compared > 3_500, "{compared}");
}

#[test]
fn earliest_deadline_first_with_stretches_equals_the_crate() {
    let mut numbers = Numbers(3);
    let mut compared = 0;
    for _ in 0..SETS {
        let tasks = numbers.tasks(300.0);
        let stretches: Vec<u64> = tasks.iter().map(|row| 1 + numbers.up_to(row.0 - 1)).collect();
        let arrivals: Vec<Sporadic> =
            tasks.iter().map(|row| Sporadic::new_zero_jitter(Duration::from(row.1))).collect();
        let costs: Vec<Scalar> = tasks.iter().map(|row| Scalar::new(Service::from(row.0))).collect();
        let rbfs: Vec<_> = costs.iter().zip(&arrivals).map(|(cost, arrival)| RBF::new(arrival, cost)).collect();
        let job = |(index, row): (usize, &(u64, u64, u64, u64))| Job {
            work: Work { source: Source::Task(index), cost_ns: row.0, arrival: Arrival::periodic(row.1) },
            deadline_ns: row.2,
            last_stretch_ns: stretches[index],
        };
        let obstacle = |(index, row): (usize, &(u64, u64, u64, u64))| Obstacle {
            deadline_ns: row.2,
            terms: vec![Term::once(Source::Stretch(index), stretches[index] - 1)],
        };
        let system = System {
            jobs: tasks.iter().enumerate().map(job).collect(),
            obstacles: tasks.iter().enumerate().map(obstacle).collect(),
            system: Vec::new(),
            supply: Supply::Dedicated,
        };
        for place in 0..tasks.len() {
            let asked = edf::limited_preemptive::TaskUnderAnalysis {
                wcet: costs[place],
                arrivals: &arrivals[place],
                deadline: Duration::from(tasks[place].2),
                last_np_segment: Service::from(stretches[place]),
            };
            let others: Vec<_> = (0..tasks.len())
                .filter(|other| *other != place)
                .map(|other| edf::limited_preemptive::InterferingTask {
                    rbf: &rbfs[other],
                    deadline: Duration::from(tasks[other].2),
                    max_np_segment: Service::from(stretches[other]),
                })
                .collect();
            let expected = edf::limited_preemptive::dedicated_uniproc_rta(&asked, &others, LIMIT.into());
            let found = system.respond(place, &mut Effort::whole()).ok().map(|bound| bound.from_arrival_ns);
            assert_eq!(found, expected.ok().map(ns), "{tasks:?}, {stretches:?}, task {place}");
            compared += 1;
        }
    }
    assert!(compared > 3_500, "{compared}");
}

/// The longest response of each task, from a simulation in unit steps: all tasks are released at once and then once per period.
fn simulated(tasks: &[(u64, u64, u64, u64)], edf: bool, until: u64) -> Vec<u64> {
    let mut waiting: Vec<(usize, u64, u64)> = Vec::new(); // task, release, remaining computation
    let mut worst = vec![0; tasks.len()];
    for now in 0..until {
        let released = tasks.iter().enumerate().filter(|(_, row)| now % row.1 == 0);
        waiting.extend(released.map(|(task, row)| (task, now, row.0)));
        let rank = |(task, release, _): &(usize, u64, u64)| {
            if edf { (release + tasks[*task].2, *task as u64, *release) } else { (*task as u64, *release, 0) }
        };
        let Some(running) = (0..waiting.len()).min_by_key(|place| rank(&waiting[*place])) else { continue };
        waiting[running].2 -= 1;
        if waiting[running].2 == 0 {
            let (task, release, _) = waiting.swap_remove(running);
            worst[task] = worst[task].max(now + 1 - release);
        }
    }
    worst
}

#[test]
fn no_simulated_response_is_longer_and_the_worst_under_fixed_priorities_is_found() {
    let mut numbers = Numbers(4);
    let (mut met_exactly, mut below) = (0, 0);
    for _ in 0..SETS / 2 {
        let tasks = numbers.tasks(60.0);
        let seen = simulated(&tasks, false, 8_000);
        for (seen, found) in seen.iter().zip(from_arrival(&processor(&tasks, false, false))) {
            let Some(found) = found else { continue };
            assert!(*seen <= found, "{tasks:?}");
            if *seen == found { met_exactly += 1 } else { below += 1 }
        }
        let seen = simulated(&tasks, true, 4_000);
        for (seen, found) in seen.iter().zip(from_arrival(&processor(&tasks, true, false))) {
            assert!(found.is_none_or(|found| *seen <= found), "{tasks:?}");
        }
    }
    assert!(met_exactly > 1_500 && below * 20 < met_exactly, "{met_exactly} {below}");
}

/// The demand test and the response times are two exact tests of the same property, so they must agree.
#[test]
fn the_demand_test_says_what_the_response_times_say() {
    let mut numbers = Numbers(5);
    let mut counts = [0, 0];
    for round in 0..SETS {
        let set = processor(&numbers.tasks(300.0), true, round % 2 == 0);
        let late = answers(&set)
            .iter()
            .zip(&set.tasks)
            .any(|(answer, task)| answer.bound.as_ref().is_ok_and(|bound| bound.from_nominal_ns > task.deadline_ns));
        assert_eq!(all_met(&set), !late, "{set:?}");
        counts[usize::from(late)] += 1;
    }
    assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
}

#[test]
fn more_computation_never_makes_a_response_shorter_and_the_terms_add_up() {
    let mut numbers = Numbers(6);
    for round in 0..SETS {
        let mut set = processor(&numbers.tasks(300.0), round % 3 == 0, true);
        let before = answers(&set);
        for bound in before.iter().filter_map(|answer| answer.bound.as_ref().ok()) {
            let sum: u64 = bound.terms.iter().map(|term| term.total_ns).sum();
            assert_eq!(sum, bound.from_nominal_ns + bound.earlier_ns, "{bound:?}");
            assert!(bound.from_arrival_ns <= bound.from_nominal_ns);
        }
        let grown = numbers.up_to(set.tasks.len() as u64 - 1) as usize;
        set.tasks[grown].computation_ns += 1;
        for (before, after) in before.iter().zip(answers(&set)) {
            let (Ok(before), Ok(after)) = (&before.bound, &after.bound) else { continue };
            assert!(after.from_nominal_ns >= before.from_nominal_ns, "{set:?}");
        }
    }
}

#[test]
fn one_nanosecond_more_than_the_longest_computation_misses() {
    let mut numbers = Numbers(7);
    let mut found = 0;
    for round in 0..SETS / 4 {
        let set = processor(&numbers.tasks(300.0), round % 2 == 0, false);
        let Some(longest) = longest_computation_ns(&set, 0) else { continue };
        let met_with = |computation_ns| {
            let mut changed = set.clone();
            changed.tasks[0].computation_ns = computation_ns;
            all_met(&changed)
        };
        assert!(met_with(longest) && !met_with(longest + 1), "{set:?}: {longest}");
        found += 1;
    }
    assert!(found > 50, "{found}");
}

/// A reservation of the whole period equals the CPU, and a smaller one is never faster.
#[test]
fn a_reservation_is_between_a_processor_and_nothing() {
    let mut numbers = Numbers(8);
    for _ in 0..SETS / 4 {
        let mut set = processor(&numbers.tasks(300.0), false, true);
        let alone = from_arrival(&set);
        set.supply = Supply::Periodic { period_ns: 50, budget_ns: 50 };
        assert_eq!(from_arrival(&set), alone);
        set.supply = Supply::Periodic { period_ns: 50, budget_ns: 49 };
        for (alone, reserved) in alone.iter().zip(from_arrival(&set)) {
            assert!(reserved.is_none_or(|reserved| alone.is_some_and(|alone| reserved >= alone)));
        }
    }
}
