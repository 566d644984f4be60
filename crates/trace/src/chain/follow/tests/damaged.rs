// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings with a loss in the middle, clocks that differ, threads that change their names, and too many instances.
use super::forms::comes_by_its_timer;
use super::simulated::{Load, Machine, seen, seen_with_gap};
use super::*;
use crate::chain::follow::RenamedThread;
use crate::chain::tokens::IN_FLIGHT_MAX;
use proptest::prelude::*;

fn calm(seed: u64) -> Machine {
    let load = Load { period_ns: 60_000, work_ns: 3_000, hog_each: 5, lock_each: 7, drop_each: 9, each: false };
    Machine::new(seed, load).run(200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // An instance on its way during a loss is unseen; every other fate is the true one.
    #[test]
    fn a_loss_makes_instances_unseen_and_no_fate_wrong(seed in 1u64.., cpu in 0u32..3, from in 20u64..150, periods in 1u64..9) {
        let machine = calm(seed);
        let (from_ns, to_ns) = (from * 60_000 + seed % 60_000, (from + periods) * 60_000 + seed % 50_000);
        let (all, chains) = seen_with_gap(&machine, Some((cpu, from_ns, to_ns)));
        let tally = tally(&chains);
        prop_assert_eq!(tally.due(), tally.count(Fate::Done) + tally.missed_count() + tally.count(Fate::Unseen));
        prop_assert_eq!(tally.unequal, 0);
        let ends: Vec<(u64, (Fate, u64))> = chains.told().iter().map(|one| {
            let instance = &one.divided.instance;
            (instance.start_ns, (one.fate, if one.fate == Fate::Done { instance.until_ns() } else { 0 }))
        }).collect();
        prop_assert_eq!(ends.len(), all.len());
        for (start_ns, told) in ends.into_iter().filter(|(_, (fate, _))| *fate != Fate::Unseen) {
            let number = (start_ns - 100_000) / 60_000;
            // The recording ends before the last instances do, so their true fate is unknown.
            let Some(truth) = machine.truth.get(&number).filter(|_| number + 2 < 200) else { continue };
            prop_assert_eq!(&told, truth, "{}", number);
        }
    }

    // The clock of one CPU is off by some microseconds. The hand-over times are wrong by as much, but nothing else breaks.
    #[test]
    fn with_clocks_that_differ_the_accounts_close(seed in 1u64.., cpu in 0u32..3, ahead in any::<bool>(), off_ns in 0u64..8_000) {
        let mut machine = calm(seed);
        for (_, stamped) in machine.stream.events.iter_mut().filter(|(of, _)| *of == cpu) {
            stamped.at_ns = if ahead { stamped.at_ns + off_ns } else { stamped.at_ns.saturating_sub(off_ns) };
        }
        let (_, chains) = seen(&machine);
        let tally = tally(&chains);
        prop_assert_eq!(tally.due(), tally.count(Fate::Done) + tally.missed_count());
        prop_assert_eq!((tally.unequal, tally.ages.agree() == Some(false)), (0, false));
        for one in tally.worst() {
            let visits = one.instance.visits.iter().flat_map(|visit| [visit.arrived_ns, visit.taken_ns, visit.handed_ns]);
            prop_assert!(std::iter::once(one.instance.start_ns).chain(visits).is_sorted(), "{:?}", one);
        }
    }
}

#[test]
fn a_thread_that_gets_another_name_is_no_hop_any_more_and_is_told() {
    let mut stream = begun();
    (1..50).for_each(|number| period(&mut stream, number * 1_000));
    for (_, stamped) in stream.events.iter_mut().filter(|(_, one)| one.at_ns >= 25_000) {
        if let Event::Switch { from, to, .. } = &mut stamped.event {
            [from, to].into_iter().filter(|one| one.id == 2).for_each(|one| one.name = Name::new(b"b2"));
        }
    }
    let chains = stream.followed(CHAIN);
    let thread = Thread { name: Name::new(b"b2"), ..thread(2) };
    assert_eq!(chains.renamed(), [RenamedThread { chain: 0, place: 1, thread }]);
    assert_eq!(tally(&chains).count(Fate::Done), 24);
    assert_eq!(tally(&stream.followed("timer a > a > b* > c")).count(Fate::Done), 49);
}

#[test]
fn a_thread_that_ends_is_told_as_quiet() {
    let mut stream = begun();
    (1..50).for_each(|number| period(&mut stream, number * 1_000));
    assert!(stream.followed(CHAIN).quiet(0).is_empty());
    // From here on, b and c never run again.
    stream.events.retain(|(cpu, one)| {
        let late = one.at_ns >= 25_000;
        let is_c = |event: &Event| matches!(event, Event::Switch { from, to, .. } if from.id == 3 || to.id == 3);
        !late || (*cpu == 0 && !is_c(&one.event))
    });
    let chains = stream.followed(CHAIN);
    let quiet: Vec<(usize, i32)> = chains.quiet(0).iter().map(|one| (one.place, one.thread.id)).collect();
    assert_eq!(quiet, [(1, 2), (2, 3)]);
    assert_eq!((tally(&chains).count(Fate::Done), tally(&chains).due()), (24, 49));
}

// Another thread sets a thousand timers in each period; they hide none of a's timers.
#[test]
fn a_thousand_timers_of_another_thread_hide_no_start() {
    let mut stream = begun();
    for number in 1..30 {
        let at_ns = number * 10_000;
        stream.comes(0, at_ns - 5_000, 1);
        let timer = stream.sets(0, at_ns - 4_990, at_ns);
        stream.sleeps(0, at_ns - 4_980);
        stream.comes(1, at_ns - 4_900, 4);
        for other in 0..1_000 {
            stream.sets(1, at_ns - 4_800 + other, at_ns + 9_000_000);
        }
        stream.sleeps(1, at_ns - 3_000);
        stream.fires(0, at_ns + 10, timer, Some(1));
        stream.comes(0, at_ns + 20, 1);
        stream.wakes(0, at_ns + 30, 2);
        stream.sleeps(0, at_ns + 35);
        stream.comes(1, at_ns + 45, 2);
        stream.sleeps(1, at_ns + 85);
    }
    assert_eq!(fates(&stream.followed("timer a > a > b")), [29, 0, 0, 0, 0]);
}

#[test]
fn of_more_than_64_on_their_way_the_oldest_is_overtaken() {
    let mut stream = begun();
    let count = IN_FLIGHT_MAX as u64 + 6;
    // b stays busy with the first instance and hands on none.
    for number in 1..=count {
        let at_ns = number * 1_000;
        comes_by_its_timer(&mut stream, at_ns);
        if number == 1 {
            stream.wakes(0, at_ns + 30, 2);
            stream.comes(1, at_ns + 32, 2);
        }
        stream.sleeps(0, at_ns + 35);
    }
    let chains = stream.followed("timer a > a > each b > c");
    let tally = tally(&chains);
    assert_eq!((tally.count(Fate::Overtaken), tally.count(Fate::Unfinished), tally.due()), (6, 64, count));
}

// b gets 70 instances while it is busy, and works through them one by one.
#[test]
fn the_output_of_an_overtaken_instance_is_not_that_of_the_next() {
    let mut stream = begun();
    let count = IN_FLIGHT_MAX as u64 + 6;
    for number in 1..=count {
        comes_by_its_timer(&mut stream, number * 1_000);
        if number == 1 {
            stream.wakes(0, 1_030, 2);
            stream.comes(1, 1_032, 2);
        }
        stream.sleeps(0, number * 1_000 + 35);
    }
    (1..=count).for_each(|number| stream.wakes(1, 100_000 + number, 3));
    let chains = stream.followed("timer a > a > each b > wakes c");
    assert_eq!((tally(&chains).count(Fate::Overtaken), tally(&chains).count(Fate::Done)), (6, 64));
    for one in tally(&chains).worst() {
        assert_eq!(one.instance.until_ns(), 100_000 + one.instance.number + 1);
    }
}

#[test]
fn lost_events_make_instances_unseen_and_never_done_by_guess() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    let mut analysis = Analysis::new(Chains::new(vec![Spec::parse(CHAIN).unwrap()], true));
    for (cpu, stamped) in &stream.events {
        if stamped.at_ns == 1_080 {
            analysis.gap_begins(1, 1_060);
            analysis.gap(1, 1_080);
        }
        analysis.event(*cpu, stamped);
    }
    let chains = analysis.finish().1;
    assert_eq!(fates(&chains), [0, 0, 0, 0, 1]);
}

#[test]
fn starts_without_an_end_are_bounded_and_counted() {
    let mut stream = begun();
    for at in 0..1_000 {
        stream.comes(0, 1_000 + at * 100, 1);
        let timer = stream.sets(0, 1_010 + at * 100, 1_050 + at * 100);
        stream.fires(0, 1_051 + at * 100, timer, None);
    }
    let chains = stream.followed(CHAIN);
    assert_eq!(tally(&chains).due(), 1_000);
    assert_eq!(tally(&chains).missed_count(), 1_000);
}
