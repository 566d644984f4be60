// SPDX-License-Identifier: MIT OR Apache-2.0
use super::super::answer::{NoBound, Verdict};
use super::super::processor::answers;
use super::super::task::Urgency;
use super::super::utilization::{Share, sufficient};
use super::{all, by_order, responses};

type Row = (&'static str, &'static [(u64, u64, u64)], &'static [u64]);

const ROWS: &[Row] = &[
    ("Burns and Wellings, set A", &[(10, 30, 30), (10, 40, 40), (12, 50, 50)], &[10, 20, 52]),
    ("Burns and Wellings, set B", &[(4, 16, 16), (5, 40, 40), (32, 80, 80)], &[4, 9, 58]),
    ("Burns and Wellings, set C", &[(5, 20, 20), (10, 40, 40), (40, 80, 80)], &[5, 15, 80]),
    ("Burns and Wellings, set D", &[(3, 7, 7), (3, 12, 12), (5, 20, 20)], &[3, 6, 20]),
    ("deadline monotonic", &[(3, 20, 5), (3, 15, 7), (4, 10, 10), (3, 20, 20)], &[3, 6, 10, 20]),
    ("the same, rate monotonic", &[(4, 10, 10), (3, 15, 7), (3, 20, 5), (3, 20, 20)], &[4, 7, 10, 20]),
    ("SEI, 20", &[(20, 100, 100), (40, 150, 150), (100, 350, 350)], &[20, 60, 240]),
    ("SEI, 40", &[(40, 100, 100), (40, 150, 150), (100, 350, 350)], &[40, 80, 300]),
    ("Liu and Layland", &[(1, 2, 2), (2, 5, 5)], &[1, 4]),
    ("Liu and Layland, swapped", &[(1, 5, 5), (1, 2, 2)], &[1, 2]),
    ("Lehoczky 2", &[(52, 100, 100), (52, 140, 140)], &[52, 156]),
    ("Lehoczky 2, swapped", &[(52, 140, 140), (52, 100, 100)], &[52, 108]),
    ("Lehoczky 3", &[(26, 70, 70), (62, 100, 100)], &[26, 118]),
    ("the crate's basic one", &[(1, 4, 4), (1, 5, 5), (3, 9, 9), (3, 18, 18)], &[1, 2, 7, 18]),
    (
        "SchedCAT",
        &[(17116, 50000, 50000), (7200, 100000, 100000), (14384, 138000, 138000), (13596, 122000, 122000)],
        &[17116, 24316, 38700, 69412],
    ),
    ("Cheddar, as its file has it", &[(1, 5, 5), (2, 10, 4), (7, 29, 15)], &[1, 3, 14]),
    ("Cheddar, deadline monotonic", &[(2, 10, 4), (1, 5, 5), (7, 29, 15)], &[2, 3, 14]),
];

#[test]
fn every_row_has_its_responses() {
    for (name, tasks, expected) in ROWS {
        assert_eq!(responses(&by_order(tasks)), all(expected), "{name}");
    }
    assert_eq!(ROWS.len(), 17);
}

#[test]
fn the_worst_job_of_lehoczkys_third_example_is_the_fifth() {
    let found = answers(&by_order(&[(26, 70, 70), (62, 100, 118)]));
    let bound = found[1].bound.clone().unwrap();
    assert_eq!((bound.worst_job, bound.jobs, found[1].verdict), (5, 7, Verdict::Met));
    let second = answers(&by_order(&[(52, 100, 100), (52, 140, 140)]))[1].clone();
    assert_eq!((second.bound.unwrap().worst_job, second.verdict), (1, Verdict::Missed));
}

#[test]
fn an_overload_ends_and_says_from_where_on() {
    let found = answers(&by_order(&[(1, 2, 2), (1, 3, 3), (3, 9, 9), (3, 18, 18)]));
    let bounds: Vec<Option<u64>> = found.iter().map(|a| a.bound.clone().ok().map(|b| b.from_nominal_ns)).collect();
    assert_eq!(bounds, [Some(1), Some(2), None, None]);
    assert_eq!(found[2].bound, Err(NoBound::Overload { percent: 117 }));
}

/// SeL4's example (60, 80, 260) is for round robin. In order of arrival, each task waits for one job of every other task.
#[test]
fn equals_wait_for_each_other() {
    let mut processor = by_order(&[(20, 100, 100), (20, 200, 200), (20, 800, 800)]);
    processor.tasks.iter_mut().for_each(|task| task.urgency = Urgency::Priority(1));
    assert_eq!(responses(&processor), all(&[60, 60, 60]));
}

/// Name, tasks, utilization in hundredths of a percent, Liu and Layland, hyperbolic.
type Test = (&'static str, &'static [(u64, u64)], u64, bool, bool);

const TESTS: &[Test] = &[
    ("A", &[(10, 30), (10, 40), (12, 50)], 8233, false, false),
    ("B", &[(4, 16), (5, 40), (32, 80)], 7750, true, true),
    ("C", &[(5, 20), (10, 40), (40, 80)], 10000, false, false),
    ("D", &[(3, 7), (3, 12), (5, 20)], 9286, false, false),
    ("SEI, 20", &[(20, 100), (40, 150), (100, 350)], 7524, true, true),
    ("SEI, 40", &[(40, 100), (40, 150), (100, 350)], 9524, false, false),
    ("Lehoczky 2", &[(52, 100), (52, 140)], 8914, false, false),
    ("Lehoczky 3", &[(26, 70), (62, 100)], 9914, false, false),
];

#[test]
fn the_tests_by_utilization_say_what_the_books_say() {
    for (name, tasks, utilization, liu_layland, hyperbolic) in TESTS {
        let shares: Vec<Share> = tasks.iter().map(|(work, period)| Share::of(*work, *period)).collect();
        let found = sufficient(&shares);
        let total = shares.iter().copied().sum::<Share>().percent() * 100.0;
        assert_eq!(
            (total.round() as u64, found.liu_layland, found.hyperbolic),
            (*utilization, *liu_layland, *hyperbolic),
            "{name}"
        );
    }
    let product = sufficient(&[Share::of(10, 30), Share::of(10, 40), Share::of(12, 50)]).hyperbolic_product;
    assert!((product - 2.0667).abs() < 1e-4);
}

#[test]
fn the_bounds_of_liu_and_layland_are_theirs() {
    let bounds = [(1, 1.0), (2, 0.828427), (3, 0.779763), (4, 0.756828), (5, 0.743492), (10, 0.717735)];
    for (count, expected) in bounds {
        let found = sufficient(&vec![Share::of(1, 1000); count]).liu_layland_bound;
        assert!((found - expected).abs() < 1e-6, "{count}: {found}");
    }
}
