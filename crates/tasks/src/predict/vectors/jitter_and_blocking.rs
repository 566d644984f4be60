// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed priorities with jitter, blocking, non-preemptible stretches, and overheads.
use super::super::answer::{Source, Term, Verdict};
use super::super::arrival::Arrival;
use super::super::blocking::blocking;
use super::super::fixed_priority::{Demand, respond};
use super::super::processor::answers;
use super::super::supply::Supply;
use super::super::task::{Costs, Lock, Preemption, Protocol, Section};
use super::super::work::Effort;
use super::super::work::Work;
use super::{all, by_order, from_arrival, responses};

fn jittery(tasks: &[(u64, u64, u64)]) -> super::Processor {
    let mut processor = by_order(tasks);
    for (task, (_, period, jitter)) in processor.tasks.iter_mut().zip(tasks) {
        task.deadline_ns = 10 * period;
        task.arrival = task.arrival.clone().with_jitter(*jitter);
    }
    processor
}

#[test]
fn jitter_counts_from_the_nominal_instant_and_not_from_the_arrival() {
    let mix = jittery(&[(2, 10, 3), (3, 15, 5), (6, 40, 0)]);
    assert_eq!((from_arrival(&mix), responses(&mix)), (all(&[2, 5, 16]), all(&[5, 10, 16])));
    let big = jittery(&[(5, 30, 60), (9, 100, 0)]);
    assert_eq!((from_arrival(&big), responses(&big)), (all(&[15, 24]), all(&[65, 24])));
}

fn demand(tasks: &[(u64, u64)], place: usize, blocking: u64, last: u64) -> Demand {
    let others = tasks[..place].iter().enumerate().map(|(index, (cost, period))| Work {
        source: Source::Task(index),
        cost_ns: *cost,
        arrival: Arrival::periodic(*period),
    });
    let (own, period) = tasks[place];
    Demand {
        job_ns: own,
        final_ns: own,
        last_stretch_ns: last,
        arrival: Arrival::periodic(period),
        blocking: vec![Term::once(Source::Kernel, blocking)],
        others: others.collect(),
        supply: Supply::Dedicated,
        within_ns: None,
    }
}

fn with_stretches(tasks: &[(u64, u64)], longest: &[u64], last: &[u64]) -> Vec<Option<u64>> {
    let one = |place: usize| {
        let blocking = longest[place + 1..].iter().max().map_or(0, |longest| longest - 1);
        respond(&demand(tasks, place, blocking, last[place]), &mut Effort::whole())
            .ok()
            .map(|bound| bound.from_nominal_ns)
    };
    (0..tasks.len()).map(one).collect()
}

/// The reference crate subtracts one unit from blocking, because the blocking job started before.
#[test]
fn stretches_that_cannot_be_preempted_delay_and_protect() {
    let full = |tasks: &[(u64, u64)]| {
        let all: Vec<u64> = tasks.iter().map(|task| task.0).collect();
        with_stretches(tasks, &all, &all)
    };
    assert_eq!(full(&[(20, 70), (20, 80), (35, 200)]), all(&[54, 74, 75]));
    assert_eq!(full(&[(10, 20), (20, 50), (30, 200)]), [Some(39), Some(79), None]);
    let limited = [(4, 12), (6, 20), (8, 40)];
    assert_eq!(with_stretches(&limited, &[2, 3, 4], &[2, 3, 3]), all(&[7, 13, 22]));
    assert_eq!(with_stretches(&[(4, 12), (6, 20), (8, 21)], &[2, 3, 4], &[2, 3, 3]), [Some(7), Some(13), None]);
    assert_eq!(with_stretches(&limited, &[2, 3, 4], &[1, 1, 1]), all(&[7, 17, 32]));
}

#[test]
fn the_second_instance_on_the_bus_is_the_one_that_misses() {
    let mut bus = by_order(&[(1000, 2500, 2500), (1000, 3500, 3250), (1000, 3500, 3250)]);
    bus.tasks.iter_mut().for_each(|task| task.preemption = Preemption::Never);
    let found = answers(&bus);
    assert_eq!(responses(&bus), all(&[2000, 3000, 3500]));
    assert_eq!(
        found.iter().map(|answer| answer.verdict).collect::<Vec<_>>(),
        [Verdict::Met, Verdict::Met, Verdict::Missed]
    );
    assert_eq!(found[2].bound.clone().unwrap().worst_job, 2);
}

#[test]
fn blocking_by_inheritance_and_by_ceilings_is_the_books() {
    let sections: [&[(usize, u64)]; 4] =
        [&[(0, 1), (1, 2)], &[(1, 9), (2, 3)], &[(0, 8), (1, 7)], &[(0, 6), (1, 5), (2, 4)]];
    let mut processor = by_order(&[(100, 1000, 1000); 4]);
    for (task, held) in processor.tasks.iter_mut().zip(sections) {
        task.sections = held.iter().map(|(lock, length_ns)| Section { lock: *lock, length_ns: *length_ns }).collect();
    }
    for (protocol, expected) in [(Protocol::Inheritance, [17, 14, 6, 0]), (Protocol::Ceiling, [9, 8, 6, 0])] {
        processor.locks = ["A", "B", "C"].map(|name| Lock { name: name.into(), protocol }).to_vec();
        let found = processor.tasks.iter().map(|task| {
            let terms = blocking(&processor, |other| !other.may_delay(task)).unwrap();
            terms.iter().map(|term| term.total_ns).sum::<u64>()
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{protocol:?}");
    }
    processor.locks[0].protocol = Protocol::Plain;
    let refused: Vec<bool> = answers(&processor).iter().map(|answer| answer.bound.is_err()).collect();
    assert_eq!(refused, [true, true, true, false]);
}

/// The model of Burns and Wellings: releases of lower-priority tasks also delay the task of the highest priority.
#[test]
fn overheads_cost_every_task() {
    let mut processor = by_order(&[(200, 1000, 1000), (800, 5000, 5000), (2000, 10000, 10000), (6000, 40000, 40000)]);
    processor.tasks[0].timed = false;
    processor.tasks[3].preemption = Preemption::Stretches { longest_ns: 30, last_ns: 1 };
    assert_eq!(responses(&processor), all(&[230, 1230, 3630, 16600]));
    processor.costs = Costs {
        switch_in_ns: 5,
        switch_out_ns: 5,
        interrupt_ns: 3,
        release_ns: 4,
        tick_ns: 2,
        tick_period_ns: 1000,
        ..Costs::default()
    };
    assert_eq!(responses(&processor), all(&[252, 1277, 3717, 16948]));
}

/// pyCPA's `spp_test`: two CPUs. Each job that ends on the first releases one on the second.
#[test]
fn jitter_is_handed_on_from_processor_to_processor() {
    let first = jittery(&[(10, 30, 5), (3, 15, 6)]);
    assert_eq!(from_arrival(&first), all(&[10, 13]));
    let mut second = by_order(&[(2, 30, 300), (9, 15, 150)]);
    second.tasks[0].arrival = Arrival::Periodic { period_ns: 30, jitter_ns: 5 + 10 - 5, distance_ns: 5 };
    second.tasks[1].arrival = Arrival::Periodic { period_ns: 15, jitter_ns: 6 + 13 - 1, distance_ns: 1 };
    assert_eq!(from_arrival(&second), all(&[2, 19]));
}

/// pyCPA's tutorial: two CPUs and a bus without preemption. pyCPA gives 11 for the second task on the bus. If the first CPU's
/// jobs end 2 apart, however, that task waits for 16. So 11 is not a bound, and backwall's is larger.
#[test]
fn a_bus_without_preemption_is_bounded_above_the_schedule_that_shows_it() {
    let released = |period_ns, jitter_ns, distance_ns| Arrival::Periodic { period_ns, jitter_ns, distance_ns };
    let first = jittery(&[(10, 30, 3), (3, 15, 1)]);
    assert_eq!(from_arrival(&first), all(&[10, 13]));
    let mut bus = by_order(&[(2, 30, 300), (9, 15, 150)]);
    bus.tasks.iter_mut().for_each(|task| task.preemption = Preemption::Never);
    bus.tasks[0].arrival = released(30, 3 + 10 - 5, 5);
    bus.tasks[1].arrival = released(15, 1 + 13 - 1, 1);
    assert_eq!(from_arrival(&bus), all(&[11, 18]));
}
