// SPDX-License-Identifier: MIT OR Apache-2.0
//! Earliest deadline first.
use super::super::answer::{Source, Term};
use super::super::arrival::Arrival;
use super::super::edf::{Job, Obstacle, System};
use super::super::processor::meets_all;
use super::super::supply::Supply;
use super::super::work::{Effort, Work};
use super::{all, by_deadline, responses};

type Row = (&'static str, &'static [(u64, u64, u64)], &'static [u64], bool);

const ROWS: &[Row] = &[
    ("the crate's first", &[(79, 120, 50), (11, 34, 100), (1, 190, 120)], &[79, 101, 121], false),
    (
        "the crate's second",
        &[(1, 5, 5), (100, 1000, 1000), (2, 10, 10), (5, 20, 45), (10, 50, 50)],
        &[1, 694, 3, 22, 27],
        true,
    ),
    ("pyRTA's", &[(1, 5, 5), (6, 10, 9)], &[1, 7], true),
    ("Burns and Wellings, set C", &[(5, 20, 20), (10, 40, 40), (40, 80, 80)], &[20, 40, 80], true),
    ("Linux' document", &[(50, 100, 50), (10, 100, 100)], &[50, 60], true),
    ("a small one", &[(2, 6, 5), (2, 8, 4), (4, 12, 8)], &[5, 4, 8], true),
];

#[test]
fn every_row_has_its_responses_and_its_verdict() {
    for (name, tasks, expected, met) in ROWS {
        let processor = by_deadline(tasks);
        let found = responses(&processor);
        if *name == "pyRTA's" {
            assert_eq!(found[1], Some(expected[1]), "{name}");
        } else {
            assert_eq!(found, all(expected), "{name}");
        }
        assert_eq!(meets_all(&processor, &mut Effort::whole()), Some(*met), "{name}");
    }
    assert_eq!(ROWS.len(), 6);
}

/// Each row: computation, period, deadline, longest stretch, stretch at the end. The reference crate subtracts one unit from
/// blocking.
fn with_stretches(rows: &[(u64, u64, u64, u64, u64)]) -> Vec<Option<u64>> {
    let job = |(index, row): (usize, &(u64, u64, u64, u64, u64))| Job {
        work: Work { source: Source::Task(index), cost_ns: row.0, arrival: Arrival::periodic(row.1) },
        deadline_ns: row.2,
        last_stretch_ns: row.4,
    };
    let obstacle = |(index, row): (usize, &(u64, u64, u64, u64, u64))| Obstacle {
        deadline_ns: row.2,
        terms: vec![Term::once(Source::Stretch(index), row.3 - 1)],
    };
    let system = System {
        jobs: rows.iter().enumerate().map(job).collect(),
        obstacles: rows.iter().enumerate().map(obstacle).collect(),
        system: Vec::new(),
        supply: Supply::Dedicated,
    };
    let respond = |task| system.respond(task, &mut Effort::whole()).ok().map(|bound| bound.from_nominal_ns);
    (0..rows.len()).map(respond).collect()
}

#[test]
fn stretches_that_cannot_be_preempted_delay_and_protect() {
    let found = with_stretches(&[(79, 120, 50, 79, 79), (11, 34, 100, 11, 11), (1, 190, 120, 1, 1)]);
    assert_eq!(found, all(&[89, 90, 121]));
    let found = with_stretches(&[(79, 120, 100, 79, 79), (11, 34, 100, 11, 11), (1, 190, 100, 1, 1)]);
    assert_eq!(found, all(&[91, 91, 91]));
    assert_eq!(with_stretches(&[(5, 20, 29, 5, 5), (10, 20, 30, 10, 10)]), all(&[14, 15]));
    let floating = with_stretches(&[(4, 12, 25, 2, 1), (6, 20, 30, 3, 1), (8, 40, 40, 4, 1)]);
    assert_eq!(floating, all(&[8, 13, 22]));
    let limited = with_stretches(&[(4, 12, 24, 2, 2), (6, 20, 35, 3, 3), (8, 40, 40, 4, 4)]);
    assert_eq!(limited, all(&[7, 17, 22]));
}

/// First come, first served equals EDF with the same relative deadline for all.
#[test]
fn first_come_first_served_is_a_case_of_it() {
    assert_eq!(responses(&by_deadline(&[(79, 120, 500), (11, 34, 500), (1, 190, 500)])), all(&[91, 91, 91]));
    assert_eq!(responses(&by_deadline(&[(2, 4, 9), (2, 8, 9), (4, 12, 9)])), [None, None, None]);
    assert_eq!(responses(&by_deadline(&[(1, 5, 20), (6, 10, 20)]))[1], Some(7));
}
