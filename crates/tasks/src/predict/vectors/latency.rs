// SPDX-License-Identifier: MIT OR Apache-2.0
use super::super::answer::NoBound;
use super::super::wakeup::Parts;
use super::super::windows_ce::{Between, Latencies, Reading};

const CE: Latencies =
    Latencies { masked_ns: 4_000, dispatch_ns: 2_000, exit_ns: 1_500, call_ns: 25_000, schedule_ns: 15_000 };
const LIGHT: [Between; 2] = [(6_000, 50_000), (10_000, 200_000)];
const HEAVY: [Between; 2] = [(6_000, 20_000), (10_000, 40_000)];

#[test]
fn the_paper_counts_each_interrupt_once_and_the_fixed_point_as_often_as_it_comes() {
    let (routine, thread) = (CE.routine_ns(), CE.thread_ns());
    assert_eq!((routine, thread), (6_000, 43_500));
    for between in [LIGHT, HEAVY] {
        let once = |base, reading| CE.with_each_once_ns(base, &between, reading);
        assert_eq!((once(routine, Reading::Literal), once(routine, Reading::Whole)), (22_000, 29_000));
        assert_eq!((once(thread, Reading::Literal), once(thread, Reading::Whole)), (59_500, 66_500));
    }
    let bound = |base, between: &[Between], reading| CE.bound_ns(base, between, reading).unwrap();
    assert_eq!(bound(routine, &LIGHT, Reading::Whole), 29_000);
    assert_eq!((bound(thread, &LIGHT, Reading::Literal), bound(thread, &LIGHT, Reading::Whole)), (65_500, 76_000));
    assert_eq!(bound(routine, &HEAVY, Reading::Whole), 38_500);
    assert_eq!((bound(thread, &HEAVY, Reading::Literal), bound(thread, &HEAVY, Reading::Whole)), (109_500, 238_500));
    let storm = CE.bound_ns(thread, &[(20_000, 20_000)], Reading::Whole);
    assert_eq!(storm, Err(NoBound::Overload { percent: 118 }));
}

#[test]
fn the_wake_up_of_rtsls_example_is_its_own() {
    let parts = Parts { postponed_ns: 56_194, starting_ns: 45_883, entering_ns: 5_167, switching_ns: 48_092 };
    assert_eq!(parts.alone_ns(), 109_453);
    let first = [46_687, 3_463, 13_735, 24_572, 27_098, 30_522];
    let mut interrupts: Vec<Vec<(u64, u64)>> = first.iter().map(|needed| vec![(0, *needed)]).collect();
    assert_eq!(parts.latency_ns(&interrupts), Ok(255_530));
    interrupts[0].push((255_530, 49_321));
    assert_eq!(parts.latency_ns(&interrupts), Ok(258_164));
}
