// SPDX-License-Identifier: MIT OR Apache-2.0
//! Supply of a reservation, and memoryless events.
use super::super::poisson;
use super::super::supply::Supply;

#[test]
fn a_reservation_supplies_what_the_crate_says() {
    let supply = Supply::Periodic { period_ns: 5, budget_ns: 3 };
    let provided: Vec<u64> = (0..=15).map(|window| supply.provided_ns(window)).collect();
    assert_eq!(provided, [0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 6, 6, 7]);
    let windows: Vec<u64> = (1..=9).map(|service| supply.window_ns(service)).collect();
    assert_eq!(windows, [5, 6, 7, 10, 11, 12, 15, 16, 17]);
}

#[test]
fn a_slot_of_a_cycle_serves_as_in_pycpa() {
    let slot = Supply::Slot { cycle_ns: 4, slot_ns: 2 };
    assert_eq!([10, 3, 2].map(|service| slot.window_ns(service)), [20, 7, 4]);
}

#[test]
fn a_window_exceeds_a_number_of_events_as_rarely_as_said() {
    let rows = [(1e-6, [4, 9, 19, 28]), (1e-9, [6, 11, 23, 34])];
    for (exceeded, expected) in rows {
        assert_eq!([0.1, 1.0, 5.0, 10.0].map(|mean| poisson::most(mean, exceeded)), expected, "{exceeded}");
    }
}

#[test]
fn one_server_keeps_events_waiting_as_long_as_the_formulas_say() {
    let rows = [
        (0.3, 0.214286, [0.3, 0.055099, 0.007987, 1.7e-5, 0.0]),
        (0.5, 0.5, [0.5, 0.175639, 0.053039, 0.001236, 2e-6]),
        (0.8, 2.0, [0.8, 0.554892, 0.36548, 0.100497, 0.011657]),
    ];
    for (utilization, mean, tail) in rows {
        assert!((poisson::mean_wait(utilization) - mean).abs() < 1e-6, "{utilization}");
        for (wait, expected) in [0.0, 1.0, 2.0, 5.0, 10.0].into_iter().zip(tail) {
            let found = poisson::waits_longer(utilization, wait);
            assert!((found - expected).abs() < 1e-6, "{utilization} {wait}: {found}");
        }
    }
}
