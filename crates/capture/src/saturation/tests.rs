// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use proptest::prelude::*;

const RULE: SearchRule = SearchRule {
    start: Tick(200_000),
    shortest: Tick(50),
    longest: Tick(10_000_000),
    pulses: 2_000,
    narrowness: u64::MAX,
    budget: 100,
    progress: None,
};

fn mf(name: &str) -> Goal {
    Goal { name: name.into(), holds: Holds::NothingLost }
}

// How many pulses a device loses that is busy for `service` with each one and remembers up to `memory` more.
fn lost(period: u64, pulses: u64, service: u64, memory: usize) -> u64 {
    let mut ends: std::collections::VecDeque<u64> = [].into();
    let mut lost = 0;
    for at in (0..pulses).map(|n| n * period) {
        while ends.front().is_some_and(|end| *end <= at) {
            ends.pop_front();
        }
        if ends.len() > memory {
            lost += 1;
        } else {
            ends.push_back(at.max(ends.back().copied().unwrap_or(0)) + service);
        }
    }
    lost
}

fn run(search: &mut Search, device: impl Fn(Trial) -> Vec<u64>) {
    loop {
        let trials = search.next();
        if trials.is_empty() {
            return;
        }
        trials.into_iter().for_each(|trial| search.observe(trial, &device(trial)));
    }
}

#[test]
fn a_device_without_memory_saturates_at_its_service_time() {
    for service in [51, 1_000, 12_345, 200_000, 1_234_567] {
        let mut search = Search::new(RULE, vec![mf("MF-IST")]);
        run(&mut search, |trial| vec![lost(trial.period.0, trial.pulses, service, 0)]);
        assert_eq!(search.found(0), GoalResult::At { period: Tick(service), fails_at: Tick(service - 1) });
        assert!(search.out_of_order(0).is_empty());
        assert!(search.tried().count() < 40);
    }
}

// With one remembered pulse, the k-th is served (k - 1)(service - period) late, and is lost when it is more than one period late:
// with 2,000 pulses the period may be 1/2,000 shorter than the service time.
#[test]
fn a_device_that_coalesces_saturates_where_the_last_pulse_is_just_remembered() {
    let mut search = Search::new(RULE, vec![mf("MF-APP")]);
    run(&mut search, |trial| vec![lost(trial.period.0, trial.pulses, 10_000, 1)]);
    let expected = (1..).find(|period| lost(*period, RULE.pulses, 10_000, 1) == 0).unwrap();
    assert_eq!(search.found(0), GoalResult::At { period: Tick(expected), fails_at: Tick(expected - 1) });
    assert!((9_990..10_000).contains(&expected), "{expected}");
}

#[test]
fn one_trial_serves_all_goals() {
    let goals = vec![mf("MF-IST"), mf("MF-APP"), Goal { name: "SF".into(), holds: Holds::Moves }];
    let mut search = Search::new(SearchRule { narrowness: 200, ..RULE }, goals);
    let trials = std::cell::Cell::new(0);
    run(&mut search, |trial| {
        trials.set(trials.get() + 1);
        let Trial { period, pulses } = trial;
        let idle = period.0.saturating_sub(9_000) * pulses; // time that the responses leave to the load
        vec![lost(period.0, pulses, 4_000, 0), lost(period.0, pulses, 9_000, 1), idle / 50_000]
    });
    for (goal, expected) in [(0, 4_000), (1, 9_000), (2, 9_025)] {
        let GoalResult::At { period, fails_at } = search.found(goal) else {
            panic!("goal {goal}: {:?}", search.found(goal))
        };
        assert!(period.0 - fails_at.0 <= period.0 / 200);
        assert!(period.0.abs_diff(expected) <= expected / 100, "goal {goal}: {period:?}");
    }
    assert!(trials.get() < 30, "{} trials", trials.get());
    assert_eq!(trials.get(), search.tried().count());
}

#[test]
fn a_line_that_holds_or_fails_everywhere_is_said_to() {
    let mut search = Search::new(RULE, vec![mf("MF-IST"), mf("MF-APP")]);
    run(&mut search, |_| vec![0, 1]);
    assert_eq!(search.found(0), GoalResult::Everywhere(Tick(50)));
    assert_eq!(search.found(1), GoalResult::Nowhere(Tick(10_000_000)));
}

// Pulses about 12,500 apart collide with something periodic in the device; shorter periods do not.
#[test]
fn a_longer_period_that_fails_is_found_and_reported() {
    let mut search = Search::new(SearchRule { start: Tick(210_000), narrowness: 1_000, ..RULE }, vec![mf("MF-IST")]);
    let resonant = |period: u64| (12_400..12_700).contains(&period);
    run(&mut search, |trial| vec![u64::from(trial.period.0 < 10_000 || resonant(trial.period.0))]);
    assert!(!search.out_of_order(0).is_empty());
    let GoalResult::At { period, .. } = search.found(0) else { panic!("{:?}", search.found(0)) };
    assert!((12_700..12_720).contains(&period.0), "the strict frequency lies below the disturbance: {period:?}");
    let bands = search.bands(0);
    assert_eq!(bands.iter().map(|band| band.holds).collect::<Vec<_>>(), [false, true, false, true]);
    assert!(bands[1].from.0 >= 10_000 && bands[1].to.0 < 12_400 && bands[3].from == period, "{bands:?}");
}

#[test]
fn the_budget_ends_a_search_as_unfinished() {
    let mut search = Search::new(SearchRule { budget: 5, ..RULE }, vec![mf("MF-IST")]);
    run(&mut search, |trial| vec![u64::from(trial.period.0 < 12_345)]);
    assert_eq!((search.tried().count(), search.found(0)), (5, GoalResult::Unfinished));
}

#[test]
fn a_trial_is_long_enough_for_an_undisturbed_load_to_move() {
    let rule = SearchRule { progress: Some(Tick(100_000_000)), ..RULE };
    let search = Search::new(rule, vec![Goal { name: "SF".into(), holds: Holds::Moves }]);
    assert_eq!(search.next(), [Trial { period: Tick(200_000), pulses: 10_000 }]);
}

#[test]
fn the_rule_names_its_numbers() {
    let rule = Search::new(SearchRule { narrowness: 200, ..RULE }, vec![mf("MF-IST")]).rule();
    for text in ["200,000 instructions", "between 50 and 10,000,000", "1/200", "2,000 pulses"] {
        assert!(rule.contains(text), "{text}: {rule}");
    }
}

proptest! {
    #[test]
    fn a_search_ends_and_its_bracket_was_observed(
        broken in prop::collection::vec(1u64..1_000_000, 0..20), start in 1u64..2_000_000, narrowness in 1u64..2_000,
    ) {
        let rule = SearchRule { start: Tick(start), shortest: Tick(1), longest: Tick(1_000_000), narrowness, ..RULE };
        let mut search = Search::new(rule, vec![mf("MF-IST")]);
        let fails = |period: u64| broken.iter().any(|b| period.abs_diff(*b) < 1 + b / 10);
        run(&mut search, |trial| vec![u64::from(fails(trial.period.0))]);
        if let GoalResult::At { period, fails_at } = search.found(0) {
            prop_assert!(!fails(period.0) && fails(fails_at.0));
            prop_assert!(search.tried().all(|(tried, figures)| tried < period || figures[0] == 0));
            let bands = search.bands(0);
            prop_assert_eq!(bands.last().map(|band| (band.from, band.holds)), Some((period, true)));
            prop_assert!(bands.windows(2).all(|pair| pair[0].to < pair[1].from && pair[0].holds != pair[1].holds));
        }
    }
}
