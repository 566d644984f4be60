// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the tests for several CPUs against a simulation of the schedule in unit steps, and against each other.
use super::answer::Verdict;
use super::global::{Answer, Says, Shared};
use super::oracles::Numbers;
use super::vectors::by_deadline;

type Row = (u64, u64, u64);

fn answer(tasks: &[Row], count: u32) -> Answer {
    Shared::of(&by_deadline(tasks), count).unwrap().answer()
}

fn tasks(numbers: &mut Numbers, count: u32) -> Vec<Row> {
    let tasks = count as usize + numbers.up_to(4) as usize;
    let heaviest = 0.2 + 0.8 * numbers.unit();
    let implicit = numbers.up_to(1) == 0;
    let mut row = || {
        let period = 4 + numbers.up_to(26);
        let computation = ((heaviest * numbers.unit() * period as f64).round() as u64).clamp(1, period);
        let deadline = if implicit { period } else { computation + numbers.up_to(period - computation) };
        (computation, period, deadline)
    };
    (0..tasks).map(|_| row()).collect()
}

/// The latest end of a job after its deadline, by simulation. Some releases are farther apart than the period.
fn latest(tasks: &[Row], count: u32, numbers: &mut Numbers, until: u64) -> u64 {
    let loose = numbers.up_to(1);
    let mut next: Vec<u64> = tasks.iter().map(|row| loose * numbers.up_to(row.1)).collect();
    let mut waiting: Vec<(u64, usize, u64)> = Vec::new(); // deadline, task, remaining computation
    let mut latest = 0;
    for now in 0..until {
        for (task, row) in tasks.iter().enumerate().filter(|(task, _)| next[*task] == now).collect::<Vec<_>>() {
            waiting.push((now + row.2, task, row.0));
            next[task] = now + row.1 + loose * numbers.up_to(2);
        }
        waiting.sort_unstable();
        // Two jobs of the same task do not run at the same time.
        let mut running: Vec<usize> = Vec::new();
        for (place, job) in waiting.iter().enumerate() {
            if running.len() < count as usize && !running.iter().any(|other| waiting[*other].1 == job.1) {
                running.push(place);
            }
        }
        for place in running {
            waiting[place].2 -= 1;
            if waiting[place].2 == 0 {
                latest = latest.max((now + 1).saturating_sub(waiting[place].0));
            }
        }
        waiting.retain(|job| job.2 > 0);
    }
    latest
}

#[test]
fn a_set_that_passes_a_test_never_misses_in_a_simulation_and_no_job_is_later_than_said() {
    let mut numbers = Numbers(11);
    let (mut met, mut bounded, mut late) = ([0; 4], 0, 0);
    for _ in 0..3_000 {
        let count = 2 + numbers.up_to(2) as u32;
        let tasks = tasks(&mut numbers, count);
        let found = answer(&tasks, count);
        let seen = latest(&tasks, count, &mut numbers, 400);
        for (test, met) in found.tests.iter().zip(&mut met) {
            assert!(test.says != Says::Passes || seen == 0, "{} on {count}: {tasks:?}: {seen}", test.by);
            *met += u32::from(test.says == Says::Passes);
        }
        if let Some(latest) = found.latest_ns {
            assert!(seen <= latest, "on {count}: {tasks:?}: {seen} of {latest}");
            bounded += u32::from(latest > 0);
        }
        late += u32::from(seen > 0);
    }
    assert!(met.iter().all(|met| *met > 100) && bounded > 300 && late > 300, "{met:?} {bounded} {late}");
}

/// More computation, or one CPU less, never makes a set schedulable.
#[test]
fn a_set_that_passes_still_passes_with_less_computation_and_with_a_processor_more() {
    let mut numbers = Numbers(12);
    let mut compared = 0;
    for _ in 0..3_000 {
        let count = 2 + numbers.up_to(2) as u32;
        let tasks = tasks(&mut numbers, count);
        let before = answer(&tasks, count);
        let more = answer(&tasks, count + 1);
        let mut lighter = tasks.clone();
        let place = numbers.up_to(tasks.len() as u64 - 1) as usize;
        lighter[place].0 = lighter[place].0.max(2) - 1;
        let less = answer(&lighter, count);
        for (place, test) in before.tests.iter().enumerate().filter(|(_, test)| test.says == Says::Passes) {
            assert_eq!(more.tests[place].says, Says::Passes, "{}: {tasks:?}", test.by);
            // Baker's test lacks this property: a smaller share can count for more.
            assert!(less.tests[place].says == Says::Passes || test.by == "Baker", "{}: {tasks:?}", test.by);
            compared += 1;
        }
        assert!(before.verdict != Verdict::Missed || before.tests.iter().all(|test| test.says != Says::Passes));
    }
    assert!(compared > 1_000, "{compared}");
}
